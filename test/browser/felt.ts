/** What a person would feel of a page, as the browser itself measures it. */
import type { Page } from 'playwright-core'

export interface Felt {
  /** Cumulative layout shift: how much has jumped without being asked to; 1 is the whole window. */
  shift: number
  /** In milliseconds. */
  longestTask: number
  /** From an input to the next picture, in milliseconds. */
  slowestInteraction: number
}

/** Begins with each document that the page loads. */
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

/** Forgets what was felt while the page was loaded. */
export const feelAnew = (page: Page) =>
  page.evaluate(() => {
    Object.assign((window as unknown as { felt: Felt }).felt, { shift: 0, longestTask: 0, slowestInteraction: 0 })
  })
