/** The perceived performance of a page, as measured by the browser itself. */
import type { Page } from 'playwright-core'

export interface Felt {
  /** Cumulative layout shift: unexpected movement of the layout; 1 is the whole window. */
  shift: number
  /** In milliseconds. */
  longestTask: number
  /** From an input to the next frame, in milliseconds. */
  slowestInteraction: number
}

/** Starts with each document that the page loads. */
export const feel = (page: Page) =>
  page.addInitScript(() => {
    const felt = { shift: 0, longestTask: 0, slowestInteraction: 0 }
    Object.assign(window, { felt })
    const observe = (init: PerformanceObserverInit, note: (entry: PerformanceEntry) => void) =>
      new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ buffered: true, ...init })
    observe({ type: 'layout-shift' }, (entry) => {
      const { value, hadRecentInput } = entry as PerformanceEntry & { value: number; hadRecentInput: boolean }
      if (!hadRecentInput) felt.shift += value
    })
    observe({ type: 'longtask' }, ({ duration }) => {
      felt.longestTask = Math.max(felt.longestTask, duration)
    })
    const eventTiming = { type: 'event', durationThreshold: 16 } as PerformanceObserverInit
    observe(eventTiming, ({ duration }) => {
      felt.slowestInteraction = Math.max(felt.slowestInteraction, duration)
    })
  })

export const feltOf = (page: Page): Promise<Felt> => page.evaluate(() => (window as unknown as { felt: Felt }).felt)

/** Discards what was measured while the page loaded. */
export const feelAnew = (page: Page) =>
  page.evaluate(() => {
    Object.assign((window as unknown as { felt: Felt }).felt, { shift: 0, longestTask: 0, slowestInteraction: 0 })
  })

/** Scrolls down by this many pixels per frame; returns the cost of a frame on the main thread, in milliseconds of processor time. */
export async function costOfScroll(page: Page, pixels: number, frames: number): Promise<number> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const worked = async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    return metrics.find(({ name }) => name === 'TaskDuration')!.value * 1_000
  }
  const before = await worked()
  await page.evaluate(
    async ([pixels, frames]) => {
      for (let frame = 0; frame < frames; frame += 1) {
        window.scrollBy(0, pixels)
        await new Promise(requestAnimationFrame)
      }
    },
    [pixels, frames] as const,
  )
  const cost = ((await worked()) - before) / frames
  await session.detach()
  return cost
}
