/**
 * A statechart as it is drawn: its states, its groups, and one edge between two of them for all transitions that are
 * declared there. Built from the response of `GET /api/v1/machines/{kind}`.
 */
import { type ChartLayouts, edgeIdOf, type LabelLine } from '../../runtime/statecharts/layouts/chart-layout.ts'
import { commonGuard, type DrawnChart, linesOf } from '../../runtime/statecharts/layouts/lines.ts'

/** One row of the transition table, as the API returns it. */
export type Move = DrawnChart['transitions'][number]

/** The parts of a statechart that are drawn. */
export interface Machine extends DrawnChart {
  kind: string
  title: string
  version: string
  /** Computed by the server; if absent or null, the browser computes them. */
  layouts?: ChartLayouts | null
}

export interface ChartState {
  name: string
  isInitial: boolean
  /** It has no outgoing transitions. */
  isFinal: boolean
  /** Events of deadlines. */
  deadlines: string[]
}

/** One event on an edge, with its guards. */
export interface EdgeEvent {
  event: string
  isDeadline: boolean
  /** In the order of evaluation, without a guard that every transition has. Empty if there are no others. */
  guards: string[]
}

export interface ChartEdge {
  id: string
  /** A state, or a group. */
  from: string
  to: string
  events: EdgeEvent[]
  label: LabelLine[]
}

interface ChartGroup {
  name: string
  /** Including the states of groups inside it. */
  states: readonly string[]
}

export interface ChartModel {
  kind: string
  title: string
  /** Identifies the statechart; its layout is cached by this name. */
  key: string
  states: ChartState[]
  groups: ChartGroup[]
  edges: ChartEdge[]
  chart: DrawnChart
  layouts: ChartLayouts | null
  /** The edge of a transition, which may be a group's; undefined if the statechart has no such transition. */
  edgeOf(move: MadeMove): string | undefined
}

export type MadeMove = Pick<Move, 'from' | 'event' | 'to'>

const moveName = ({ from, event, to }: MadeMove) => JSON.stringify([from, event, to])

/** The edge of each transition. */
const edgesOfMoves = ({ transitions }: DrawnChart): Map<string, string> =>
  new Map(
    transitions.flatMap((move) =>
      move.declaredAt === null ? [] : [[moveName(move), edgeIdOf(move.declaredAt, move.declaredTo)] as const],
    ),
  )

/** The edge of a row of the table; undefined for the creation of an actor. */
export const edgeOfRow = ({ declaredAt, declaredTo }: Move): string | undefined =>
  declaredAt === null ? undefined : edgeIdOf(declaredAt, declaredTo)

/** 32 bits of FNV-1a: enough to notice that a statechart has changed. */
function digest(text: string): string {
  let hash = 0x811c9dc5
  for (let place = 0; place < text.length; place += 1) hash = Math.imul(hash ^ text.charCodeAt(place), 0x01000193)
  return (hash >>> 0).toString(36)
}

/** The deadlines of each state. */
export function deadlinesOf({ deadlines }: Pick<Machine, 'deadlines'>, state: string): string[] {
  return deadlines.flatMap(({ event, states }) => (states.includes(state) ? [event] : []))
}

export function modelOf(machine: Machine): ChartModel {
  const { kind, title, version, states, groups, transitions, layouts = null } = machine
  const left = new Set(transitions.map(({ from }) => from))
  const initial = transitions.find(({ from }) => from === null)?.to ?? states[0]
  const unsaid = commonGuard(machine)
  const eventsOf = (edge: string): EdgeEvent[] => {
    const events = new Map<string, EdgeEvent>()
    for (const row of transitions) {
      if (edgeOfRow(row) !== edge || row.from === null) continue
      const { event, guard, from } = row
      const known = events.get(event) ?? { event, isDeadline: deadlinesOf(machine, from).includes(event), guards: [] }
      events.set(event, known)
      if (guard !== null && guard !== unsaid && !known.guards.includes(guard)) known.guards.push(guard)
    }
    return [...events.values()]
  }
  const edgeByMove = edgesOfMoves(machine)
  return {
    kind,
    title,
    key: `${kind}@${version}-${digest(JSON.stringify([states, groups, transitions]))}`,
    states: states.map((name) => ({
      name,
      isInitial: name === initial,
      isFinal: !left.has(name),
      deadlines: deadlinesOf(machine, name),
    })),
    groups: groups.map(({ name, states }) => ({ name, states })),
    edges: linesOf(machine).map((line) => ({ ...line, events: eventsOf(line.id) })),
    chart: machine,
    layouts,
    edgeOf: (move) => edgeByMove.get(moveName(move)),
  }
}
