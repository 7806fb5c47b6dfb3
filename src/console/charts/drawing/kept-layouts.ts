/** Layouts that were made before, in the browser's own store: the next time there is nothing to wait for. */

import type { ChartLayout, Direction } from '../../../runtime/statecharts/layouts/chart-layout.ts'
import type { ChartModel } from '../model.ts'

/** The number is another one when layouts are made in another way. */
const prefix = 'troupe.layout.2.'
/** Statecharts of single entities come and go: the oldest layouts make room. */
const storedMax = 60

/** A layout is of one statechart, in one direction. */
export const layoutName = ({ key }: Pick<ChartModel, 'key'>, direction: Direction): string => `${key}.${direction}`

/** The layout of that name; undefined where none was kept. */
export function keptLayout(name: string): ChartLayout | undefined {
  try {
    const text = localStorage.getItem(prefix + name)
    return text === null ? undefined : (JSON.parse(text) as ChartLayout)
  } catch {
    return undefined
  }
}

/** Keeps a layout, and forgets others where there are too many. */
export function keepLayout(name: string, layout: ChartLayout): void {
  try {
    const names = Object.keys(localStorage).filter((one) => one.startsWith(prefix))
    for (const old of names.slice(0, Math.max(0, names.length - storedMax + 1))) localStorage.removeItem(old)
    localStorage.setItem(prefix + name, JSON.stringify(layout))
  } catch {
    // a browser that keeps nothing has to lay out again
  }
}
