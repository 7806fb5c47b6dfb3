/** Simple layouts for tests of pages, kept beforehand: no test waits for the kernel, which takes its time to load. */
import { keepLayout, layoutName } from '../../../src/console/charts/drawing/kept-layouts.ts'
import { type ChartModel, type Machine, modelOf } from '../../../src/console/charts/model.ts'
import type { ChartLayout } from '../../../src/runtime/statecharts/layouts/chart-layout.ts'

/** All states below each other. */
function column({ states, edges }: ChartModel): ChartLayout {
  const boxes = states.map(({ name }, place) => [name, { x: 0, y: place * 80, width: 120, height: 40 }] as const)
  const points = [
    { x: 0, y: 0 },
    { x: 50, y: 0 },
  ]
  const routes = edges.map(
    ({ id, label }) => [id, { points, label: { x: 0, y: 0, width: 80, height: 20, lines: label } }] as const,
  )
  return {
    width: 120,
    height: states.length * 80,
    states: Object.fromEntries(boxes),
    groups: {},
    edges: Object.fromEntries(routes),
    initial: null,
  }
}

/** Of a statechart that is not built in. There has to be a document, for its store. */
export function keepLayouts(machine: Machine): void {
  const model = modelOf(machine)
  for (const direction of ['down', 'right'] as const) keepLayout(layoutName(model, direction), column(model))
}
