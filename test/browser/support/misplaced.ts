/** What the width of the window has no space for, in the parts of a page that do not scroll. */
import type { Page } from 'playwright-core'

/** Texts of controls that are beside the window, and of facts that reach over the next one. */
export const misplaced = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const scrolling = '.chart, .graph, .tabs, .table-frame, .visually-hidden, [role="group"]'
    const shown = (selector: string) =>
      [...document.querySelectorAll<HTMLElement>(selector)].filter(
        (each) => each.checkVisibility({ visibilityProperty: true }) && !each.closest(scrolling),
      )
    const beside = shown('main :is(button, input, select, textarea)').filter((control) => {
      const { left, right } = control.getBoundingClientRect()
      return left < 0 || right > innerWidth
    })
    const over = shown('main .facts > div').filter((fact) => fact.scrollWidth > fact.clientWidth + 1)
    return [...beside, ...over].map((each) => (each.innerText || each.tagName).slice(0, 40))
  })
