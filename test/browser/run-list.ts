/** The list of runs, as somebody reads and narrows it. */
import { expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { settled } from './world.ts'

/** However long the list is, only one page of it is in the document. */
const elementsMax = 2_000

export function runList(page: Page) {
  const main = page.getByRole('main')
  const rows = page.getByRole('table', { name: 'runs' }).locator('tbody tr')
  const pager = page.getByRole('navigation', { name: 'Pages of runs' })
  return {
    first: rows.first(),
    go: (which: 'More' | 'Back') => pager.getByRole('button', { name: which }).click(),
    choose: (filter: string, value: string) => main.getByLabel(filter, { exact: true }).selectOption(value),
    toggle: (state: string) => page.getByRole('group', { name: 'States' }).getByRole('button', { name: state }).click(),

    /** Where the rows of the page lead, once it is this one. */
    async onPage(number: number): Promise<string[]> {
      await pager.getByText(`Page ${number}`, { exact: true }).waitFor()
      await settled(page)
      expect(await page.locator('*').count()).toBeLessThan(elementsMax)
      return rows.getByRole('link').evaluateAll((links) => links.map((link) => link.getAttribute('href') as string))
    },
    states: () => rows.locator('.badge').evaluateAll((all) => all.map((each) => each.getAttribute('data-state'))),
  }
}
