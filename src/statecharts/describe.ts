/** All that is public about a statechart. Source: contract 9, "Statecharts"; contract 5, "Machines". */
import { compile } from '../runtime/table.ts'
import type { Chart } from './chart.ts'
import { type ChartJson, toChartJson } from './chart-json.ts'
import { toMermaid } from './mermaid.ts'
import { type ChartMove, listMoves } from './moves.ts'

export interface ChartDescription {
  kind: string
  title: string
  version: string
  states: string[]
  transitions: ChartMove[]
  /** For `createMachine`, or Stately's editor. */
  xstate: ChartJson
  mermaid: string
}

export function describeChart({ title, machine }: Pick<Chart, 'title' | 'machine'>): ChartDescription {
  const table = compile(machine)
  return {
    kind: table.kind,
    title,
    version: table.version,
    states: [...table.states],
    transitions: listMoves(table),
    xstate: toChartJson(machine),
    mermaid: toMermaid(table),
  }
}
