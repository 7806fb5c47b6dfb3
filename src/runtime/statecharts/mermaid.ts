/** A statechart as a Mermaid diagram (`stateDiagram-v2`). Source: contract 9, "Statecharts". */
import type { DecisionTable } from '../decisions/table.ts'
import { type ChartMove, deadlinesOf, listMoves } from './moves.ts'

/** Words that begin a statement of their own in Mermaid. */
const reserved =
  /^(?:state|note|class|classdef|click|href|scale|style|direction|hide|end|fork|join|choice|as|default|accTitle|accDescr)$/i

/** Names for the states: their own where Mermaid can read it. */
function identifiers(states: readonly string[]): Map<string, string> {
  const taken = new Set<string>()
  return new Map(
    states.map((state) => {
      let id = state.replace(/[^A-Za-z0-9_]/g, '_').replace(/^(?=\d)/, '_')
      while (reserved.test(id) || taken.has(id)) id += '_'
      taken.add(id)
      return [state, id]
    }),
  )
}

function label({ event, guard, effects }: ChartMove, deadlines: ReadonlySet<string>): string {
  const words = [deadlines.has(event) ? `after ${event}` : event]
  if (guard !== null) words.push(`[${guard}]`)
  if (effects.length > 0) words.push('/', effects.join(', '))
  return words.join(' ')
}

/** `running --> running : progressed [current] / keepReports`, one line for each move, then the ends. */
export function toMermaid(table: DecisionTable): string {
  const ids = identifiers(table.states)
  const id = (state: string) => ids.get(state) as string
  const deadlines = deadlinesOf(table)
  const moves = listMoves(table)
  const left = new Set(moves.map(({ from }) => from))
  return [
    'stateDiagram-v2',
    ...table.states.map((state) => (id(state) === state ? `  ${state}` : `  state "${state}" as ${id(state)}`)),
    ...moves.map((move) => {
      const from = move.from === null ? '[*]' : id(move.from)
      return `  ${from} --> ${id(move.to)} : ${label(move, deadlines)}`
    }),
    ...table.states.filter((state) => !left.has(state)).map((state) => `  ${id(state)} --> [*]`),
    '',
  ].join('\n')
}
