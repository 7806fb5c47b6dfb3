/** Visits pages of the console in one window, each with all its tabs. */
import type { Page } from 'playwright-core'
import { goTo, settled } from '../world.ts'

interface Stop {
  at: string
  /** The index of the tab, 0 for the first or if there are none. */
  place: number
}

/** Calls `look` on every page and tab. */
export async function walk(
  page: Page,
  url: string,
  addresses: readonly string[],
  look: (stop: Stop) => Promise<void>,
): Promise<void> {
  await page.goto(url + addresses[0])
  for (const at of addresses) {
    await goTo(page, at)
    const tabs = page.getByRole('main').getByRole('tab')
    const count = await tabs.count()
    for (let place = 0; place < Math.max(1, count); place += 1) {
      if (place > 0) {
        await tabs.nth(place).click()
        await settled(page)
      }
      await look({ at, place })
    }
  }
}
