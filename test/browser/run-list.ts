/** The list of runs, for scrolling and filtering. */
import { expect } from 'bun:test'
import type { Locator, Page } from 'playwright-core'
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

/** Shows every run as if it had been in the queue for an hour less a second. */
export const queuedForLong = (page: Page) =>
  page.route('**/api/v1/agent-runs?*', async (route) => {
    const answer = await (await route.fetch()).text()
    const body = answer
      .replace(/"createdAt":"[^"]*"/g, '"createdAt":"2026-01-01T10:00:00Z"')
      .replace(/"startedAt":"[^"]*"/g, '"startedAt":"2026-01-01T10:59:59Z"')
    await route.fulfill({ body, contentType: 'application/json' })
  })

/** The pixels from the end of these words to the end of what they are in; negative if they reach over it. */
export const roomBeside = (words: Locator, frame: string): Promise<number> =>
  words.evaluate((element, frame) => {
    const text = document.createRange()
    text.selectNodeContents(element)
    return element.closest(frame)!.getBoundingClientRect().right - text.getBoundingClientRect().right
  }, frame)
