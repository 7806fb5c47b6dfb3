/** The public description of a statechart. Source: contract 9, "Statecharts"; contract 5, "Machines". */

import type { Chart } from '../../../machines/charts/chart.ts'
import { compile } from '../decisions/table.ts'
import { type ChartJson, toChartJson } from './chart-json.ts'
import { type Explanations, explain } from './explain.ts'
import { layoutsOf } from './layouts/built-in.ts'
import type { ChartLayouts } from './layouts/chart-layout.ts'
import { toMermaid } from './mermaid.ts'
import { type ChartMove, listMoves } from './moves.ts'

export interface ChartDescription extends Explanations {
  kind: string
  title: string
  about: string
  version: string
  states: string[]
  /** Outer groups first; `states` includes those of nested groups. */
  groups: { name: string; parent: string | null; states: string[] }[]
  transitions: ChartMove[]
  /** For `createMachine`, or Stately's editor. */
  xstate: ChartJson
  mermaid: string
  /** null if the chart is not built in: its layout is computed where it is drawn. */
  layouts: ChartLayouts | null
}

const known = new WeakMap<Chart, ChartDescription>()

/** Computed at its first use. Throws if something in the statechart has no name, or a name without a description. */
export function describeChart(chart: Chart): ChartDescription {
  const description = known.get(chart) ?? { ...described(chart, chart), layouts: layoutsOf(chart.machine.id) }
  known.set(chart, description)
  return description
}

/** The description of one actor's own statechart, with the texts of its kind. Throws as `describeChart`. */
export const describeOwn = (ofKind: Chart, own: Pick<Chart, 'title' | 'machine'>): ChartDescription => ({
  ...described(ofKind, { ...own, about: ofKind.aboutOwn ?? ofKind.about }),
  layouts: null,
})

function described(ofKind: Chart, { title, about, machine }: Pick<Chart, 'title' | 'about' | 'machine'>) {
  const table = compile(machine)
  return {
    kind: ofKind.machine.id,
    title,
    about,
    version: table.version,
    states: [...table.states],
    groups: table.groups.map(({ name, parent, states }) => ({ name, parent, states: [...states] })),
    transitions: listMoves(table),
    ...explain(ofKind, table),
    xstate: toChartJson(machine),
    mermaid: toMermaid(table),
  }
}
