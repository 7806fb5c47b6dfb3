/** What hostile text would leave in a page that took it for markup. */
import type { Page } from 'playwright-core'
import { flag } from '../filled/words.ts'

export const injected = (page: Page) =>
  page.evaluate(
    (flag) => ({
      ran: flag in window,
      elements: document.querySelectorAll('img[src="x"], main script, svg[onload], [onerror], a[href^="javascript"]')
        .length,
      widerThanTheScreen: document.documentElement.scrollWidth > innerWidth,
    }),
    flag,
  )

export const harmless = { ran: false, elements: 0, widerThanTheScreen: false }
