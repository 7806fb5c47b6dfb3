/** A statechart as a Mermaid diagram (`stateDiagram-v2`). Source: contract 9, "Statecharts". */
import type { DecisionTable } from '../decisions/table.ts'
import { type ChartMove, deadlinesOf, listMoves } from './moves.ts'

/** Words that begin a statement in Mermaid. */
const reserved =
  /^(?:state|note|class|classdef|click|href|scale|style|direction|hide|end|fork|join|choice|as|default|accTitle|accDescr)$/i

/** Identifiers for the states: their own names if Mermaid can read them. */
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

/**
 * The source and target of the drawn row: the group that declares the row, if the row leads out of it. Mermaid cannot
 * draw arrows from a group into itself, so those are drawn from each of its states.
 */
const ends = (groups: DecisionTable['groups']) => {
  const within = new Map(groups.map(({ name, states }) => [name, new Set(states)]))
  return (move: ChartMove): ChartMove => {
    const group = within.get(move.declaredAt ?? '')
    return group && !group.has(move.to) ? { ...move, from: move.declaredAt } : move
  }
}

/** The states, each within its groups: `state leased {`, indented. */
function declarations(table: DecisionTable, id: (name: string) => string): string[] {
  const named = (name: string) => (id(name) === name ? name : `state "${name}" as ${id(name)}`)
  const linesWithin = (parent: string | null): string[] => {
    const groups = table.groups.filter((group) => group.parent === parent)
    const grouped = new Set(groups.flatMap(({ states }) => states))
    const all = parent === null ? table.states : (table.groups.find(({ name }) => name === parent)?.states ?? [])
    const seen = new Set<string>()
    return all.flatMap((state) => {
      if (!grouped.has(state)) return [`  ${named(state)}`]
      const group = groups.find(({ states }) => states.includes(state)) as DecisionTable['groups'][number]
      if (seen.has(group.name)) return []
      seen.add(group.name)
      const head = id(group.name) === group.name ? `state ${group.name}` : named(group.name)
      return [`  ${head} {`, ...linesWithin(group.name).map((line) => `  ${line}`), '  }']
    })
  }
  return linesWithin(null)
}

/**
 * `running --> running : progressed [current] / keepReports`: one line for each declared transition, then the final
 * states.
 */
export function toMermaid(table: DecisionTable): string {
  const ids = identifiers([...table.groups.map(({ name }) => name), ...table.states])
  const id = (state: string) => ids.get(state) as string
  const deadlines = deadlinesOf(table)
  const moves = listMoves(table)
  const left = new Set(moves.map(({ from }) => from))
  const lines = moves.map(ends(table.groups)).map((move) => {
    const from = move.from === null ? '[*]' : id(move.from)
    return `  ${from} --> ${id(move.to)} : ${label(move, deadlines)}`
  })
  return [
    'stateDiagram-v2',
    ...declarations(table, id),
    ...new Set(lines),
    ...table.states.filter((state) => !left.has(state)).map((state) => `  ${id(state)} --> [*]`),
    '',
  ].join('\n')
}
