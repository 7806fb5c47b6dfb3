/**
 * A statechart as it is drawn: its states, and one line between two states for all moves from the one to the other. Made
 * of what `GET /api/v1/machines/{kind}` answers.
 */

/** One row of the transition table, as the API has it. */
export interface Move {
  /** null: it comes into being. */
  from: string | null
  event: string
  guard: string | null
  to: string
  effects: string[]
}

/** A statechart, as far as it is drawn. */
export interface Machine {
  kind: string
  title: string
  version: string
  states: string[]
  transitions: Move[]
  /** Where each deadline runs. */
  deadlines: { event: string; states: string[] }[]
}

export interface ChartState {
  name: string
  isInitial: boolean
  /** Nothing leaves it. */
  isFinal: boolean
  /** Events that come by themselves after a while. */
  deadlines: string[]
}

/** One event on a line, with everything that may have to hold for it. */
export interface EdgeEvent {
  event: string
  isDeadline: boolean
  /** In the order in which they are tried; none: nothing has to hold. */
  guards: string[]
}

export interface ChartEdge {
  id: string
  from: string
  to: string
  events: EdgeEvent[]
}

export interface ChartModel {
  kind: string
  title: string
  /** Tells this statechart from every other: a drawing is made once for each. */
  key: string
  states: ChartState[]
  edges: ChartEdge[]
}

/** The line that a move from the one state to the other is on. */
export const edgeIdOf = (from: string, to: string): string => `${from} → ${to}`

/** 32 bits of FNV-1a: enough to notice that a statechart is not the one that was drawn. */
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
  const { kind, title, version, states, transitions } = machine
  const initial = transitions.find(({ from }) => from === null)?.to
  const left = new Set(transitions.map(({ from }) => from))
  const edges = new Map<string, ChartEdge>()
  for (const { from, event, guard, to } of transitions) {
    // the state that it begins in is marked as such, and no line leads to it from nowhere
    if (from === null) continue
    const id = edgeIdOf(from, to)
    const edge = edges.get(id) ?? { id, from, to, events: [] }
    edges.set(id, edge)
    let known = edge.events.find((one) => one.event === event)
    if (!known) {
      known = { event, isDeadline: deadlinesOf(machine, from).includes(event), guards: [] }
      edge.events.push(known)
    }
    if (guard !== null && !known.guards.includes(guard)) known.guards.push(guard)
  }
  return {
    kind,
    title,
    key: `${kind}@${version}-${digest(JSON.stringify([states, transitions]))}`,
    states: states.map((name) => ({
      name,
      isInitial: name === initial,
      isFinal: !left.has(name),
      deadlines: deadlinesOf(machine, name),
    })),
    edges: [...edges.values()],
  }
}
