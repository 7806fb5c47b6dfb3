/** Simple layouts for tests of pages, kept beforehand: no test waits for the kernel, which takes its time to load. */

import { charts } from '../../../machines/charts/all.ts'
import { keepLayout, layoutName } from '../../../src/console/charts/drawing/kept-layouts.ts'
import type { ChartLayout } from '../../../src/console/charts/drawing/layout.ts'
import { type ChartModel, type Machine, modelOf } from '../../../src/console/charts/model.ts'
import { describeChart } from '../../../src/runtime/statecharts/describe.ts'

/** All states below each other. */
function column({ states, edges }: ChartModel): ChartLayout {
  const boxes = states.map(({ name }, place) => [name, { x: 0, y: place * 80, width: 120, height: 40 }] as const)
  const route = {
    points: [
      { x: 0, y: 0 },
      { x: 50, y: 0 },
    ],
    label: { x: 0, y: 0, width: 80, height: 20 },
  }
  return {
    width: 120,
    height: states.length * 80,
    states: Object.fromEntries(boxes),
    edges: Object.fromEntries(edges.map(({ id }) => [id, route])),
    initial: null,
  }
}

/** There has to be a document, for its store. */
export function keepLayouts(machines: Machine[] = charts.map(describeChart)): void {
  for (const model of machines.map(modelOf)) {
    for (const direction of ['down', 'right'] as const) keepLayout(layoutName(model, direction), column(model))
  }
}
