/** Watches whether the controls of a page move after they are shown: a click on one would miss. */
import type { Page, Request } from 'playwright-core'

/** A control may go out from under the pointer if it moves by half of its height. */
const movedMax = 12
/** Shown for as long as a frame or two, nobody aims at it. */
const shownMs = 100

/** Runs in the page, from its first moment on. */
function watchControls({ movedMax, shownMs }: { movedMax: number; shownMs: number }): void {
  const seen = new Map<Element, { top: number; since: number }>()
  const moves: string[] = []
  Object.assign(window, { movesOfControls: moves })
  const look = () => {
    const now = performance.now()
    for (const control of document.querySelectorAll('main :is(a, button, input, select)')) {
      const { y, height } = control.getBoundingClientRect()
      if (height === 0 || getComputedStyle(control).visibility === 'hidden') continue
      const top = y + scrollY
      const before = seen.get(control)
      if (before && Math.abs(before.top - top) < movedMax) continue
      if (before && now - before.since > shownMs) {
        const name = control.getAttribute('aria-label') ?? control.textContent ?? control.tagName
        moves.push(`${name} by ${Math.round(top - before.top)} px`)
      }
      seen.set(control, { top, since: now })
    }
    requestAnimationFrame(look)
  }
  document.addEventListener('DOMContentLoaded', look)
}

/**
 * Lets each answer of the API come at another time, and watches the pages that are opened from now on. Returns the moves
 * of the page, once all answers have come.
 */
export async function watchMoves(page: Page): Promise<() => Promise<string[]>> {
  const open = new Set<Request>()
  await page.addInitScript(watchControls, { movedMax, shownMs })
  let count = 0
  page.on('requestfinished', (request) => open.delete(request))
  page.on('requestfailed', (request) => open.delete(request))
  await page.route(/\/api\/v1\/(?!.*stream)/, async (route) => {
    open.add(route.request())
    count += 37
    await Bun.sleep(30 + (count % 101) * 4)
    await route.continue()
  })
  return async () => {
    // an answer may be followed by another request
    for (let quiet = 0; quiet < 5; quiet += 1) {
      await Bun.sleep(40)
      if (open.size > 0) quiet = 0
    }
    return page.evaluate(() => (window as unknown as { movesOfControls: string[] }).movesOfControls)
  }
}
