/** The list of runs, for scrolling and filtering. */
import { expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { settled, until } from './world.ts'

/** However long the list, only its visible rows are in the document. */
const elementsMax = 2_000

export function runList(page: Page) {
  const main = page.getByRole('main')
  const rows = page.getByRole('table', { name: 'runs' }).locator('.run-row')
  const hrefs = () =>
    rows.getByRole('link').evaluateAll((links) => links.map((link) => link.getAttribute('href') as string))
  return {
    rows,
    first: rows.first(),
    choose: (filter: string, value: string) => main.getByLabel(filter, { exact: true }).selectOption(value),
    toggle: (state: string) =>
      page
        .getByRole('group', { name: 'States' })
        .getByRole('button', { name: new RegExp(`^${state}`) })
        .click(),
    /** Scrolls to the first row, and waits until it is rendered. */
    async top(): Promise<void> {
      await page.evaluate(() => window.scrollTo(0, 0))
      await until(page, () => {
        const first = document.querySelector('main .run-row')?.getBoundingClientRect()
        return window.scrollY === 0 && first !== undefined && first.top < innerHeight
      })
    },

    /** The links of the rows, from the current position down to the row of this number, as seen while scrolling. */
    async through(count: number): Promise<string[]> {
      await rows.first().waitFor()
      await settled(page)
      const seen = new Set<string>()
      for (let still = 0; seen.size < count && still < 200; still += 1) {
        for (const href of await hrefs()) seen.add(href)
        expect(await page.locator('*').count()).toBeLessThan(elementsMax)
        await page.evaluate(() => window.scrollBy(0, innerHeight / 2))
        await page.evaluate(() => new Promise(requestAnimationFrame))
      }
      return [...seen]
    },
    states: () => rows.locator('.badge').evaluateAll((all) => all.map((each) => each.getAttribute('data-state'))),
  }
}
