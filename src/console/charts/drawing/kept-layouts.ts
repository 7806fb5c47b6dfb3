/** Layouts cached in the browser's storage, so that a chart appears at once next time. */

import type { ChartLayout, Direction } from '../../../runtime/statecharts/layouts/chart-layout.ts'
import type { ChartModel } from '../model.ts'

/** Increase the number when the layout algorithm changes. */
const prefix = 'troupe.layout.2.'
/** The most layouts kept; the oldest are removed first, since entities bring statecharts of their own. */
const storedMax = 60

/** The key of a layout: one statechart in one direction. */
export const layoutName = ({ key }: Pick<ChartModel, 'key'>, direction: Direction): string => `${key}.${direction}`

/** The cached layout; undefined if there is none. */
export function keptLayout(name: string): ChartLayout | undefined {
  try {
    const text = localStorage.getItem(prefix + name)
    return text === null ? undefined : (JSON.parse(text) as ChartLayout)
  } catch {
    return undefined
  }
}

/** Caches a layout, and removes the oldest beyond the limit. */
export function keepLayout(name: string, layout: ChartLayout): void {
  try {
    const names = Object.keys(localStorage).filter((one) => one.startsWith(prefix))
    for (const old of names.slice(0, Math.max(0, names.length - storedMax + 1))) localStorage.removeItem(old)
    localStorage.setItem(prefix + name, JSON.stringify(layout))
  } catch {
    // without storage the layout is computed again next time
  }
}
