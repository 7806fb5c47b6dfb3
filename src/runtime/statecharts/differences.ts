/**
 * Compares two versions of a statechart: of a machine, or of an entity's chart in two revisions of its Definition.
 * Pure, and based on the API's description of a statechart, so that a page can draw the result.
 */
import type { DrawnChart } from './layouts/lines.ts'

type Transition = DrawnChart['transitions'][number]

export type Change = 'added' | 'removed' | 'changed'

/** A changed property of a state or group: initial state, finality, enclosing group, deadline. */
export type StateAspect = 'initial' | 'final' | 'group' | 'deadlines'

export interface StateDifference {
  state: string
  change: Change
  /** The changes of a changed element. */
  aspects: StateAspect[]
}

export interface TransitionDifference {
  change: Change
  before: Transition | null
  after: Transition | null
}

export interface ChartDifferences {
  /** Whether there are no differences. */
  same: boolean
  /** Includes groups. */
  states: StateDifference[]
  transitions: TransitionDifference[]
  /** The union of both, so that removed elements have a place too. */
  both: DrawnChart
}

/** The compared properties of a state, as text. */
function aspectsOf(chart: DrawnChart): Map<string, Record<StateAspect, string>> {
  const initial = chart.transitions.find(({ from }) => from === null)?.to
  const left = new Set(chart.transitions.map(({ from }) => from))
  const parents = new Map(chart.groups.map(({ name, parent }) => [name, parent]))
  // the innermost group comes last
  for (const { name, states } of chart.groups) for (const state of states) parents.set(state, name)
  const deadlines = (state: string) =>
    chart.deadlines.flatMap(({ event, states, defaultMs }) => (states.includes(state) ? [`${event} ${defaultMs}`] : []))
  const groups = new Set(chart.groups.map(({ name }) => name))
  return new Map(
    [...chart.states, ...groups].map((state) => [
      state,
      {
        initial: String(state === initial),
        final: String(!groups.has(state) && !left.has(state)),
        group: parents.get(state) ?? '',
        deadlines: deadlines(state).join('\n'),
      },
    ]),
  )
}

function stateDifferences(before: DrawnChart, after: DrawnChart): StateDifference[] {
  const [old, present] = [aspectsOf(before), aspectsOf(after)]
  return [...new Set([...present.keys(), ...old.keys()])].flatMap((state): StateDifference[] => {
    const [was, is] = [old.get(state), present.get(state)]
    if (!was) return [{ state, change: 'added', aspects: [] }]
    if (!is) return [{ state, change: 'removed', aspects: [] }]
    const aspects = (Object.keys(is) as StateAspect[]).filter((aspect) => was[aspect] !== is[aspect])
    return aspects.length === 0 ? [] : [{ state, change: 'changed', aspects }]
  })
}

/** Matches transitions from the closest likeness to the least: equal; another guard or effect; another target. */
const likenesses: ((transition: Transition) => unknown[])[] = [
  ({ from, event, guard, to, effects, declaredAt }) => [from, event, guard, to, effects, declaredAt],
  ({ from, event, guard, to }) => [from, event, guard, to],
  ({ from, event, to }) => [from, event, to],
  ({ from, event, guard }) => [from, event, guard],
  ({ from, event }) => [from, event],
]

function transitionDifferences(before: DrawnChart, after: DrawnChart): TransitionDifference[] {
  const pairs = new Map<Transition, Transition>()
  let unmatched = [...before.transitions]
  for (const likeness of likenesses) {
    const waiting = Map.groupBy(unmatched, (transition) => JSON.stringify(likeness(transition)))
    for (const transition of after.transitions) {
      if (pairs.has(transition)) continue
      const found = waiting.get(JSON.stringify(likeness(transition)))?.shift()
      if (found) pairs.set(transition, found)
    }
    unmatched = [...waiting.values()].flat()
  }
  const isSame = likenesses[0] as (typeof likenesses)[number]
  const present = after.transitions.flatMap((transition): TransitionDifference[] => {
    const was = pairs.get(transition)
    if (!was) return [{ change: 'added', before: null, after: transition }]
    if (JSON.stringify(isSame(was)) === JSON.stringify(isSame(transition))) return []
    return [{ change: 'changed', before: was, after: transition }]
  })
  return [...present, ...unmatched.map((was) => ({ change: 'removed' as const, before: was, after: null }))]
}

/** The groups of both: a removed state stays in those of its groups that still exist. */
function groupsOfBoth(before: DrawnChart, after: DrawnChart, removed: readonly string[]): DrawnChart['groups'] {
  const taken = new Set([...after.states, ...removed, ...after.groups.map(({ name }) => name)])
  const old = before.groups.filter(({ name }) => !taken.has(name)).map((group) => ({ ...group, states: [] }))
  const groups = new Map([...after.groups, ...old].map((group) => [group.name, group]))
  const around = (name: string | null): string[] => {
    const group = name === null ? undefined : groups.get(name)
    return group ? [group.name, ...around(group.parent)] : []
  }
  const added = Map.groupBy(
    removed.flatMap((state) => {
      const innermost = before.groups.findLast(({ name, states }) => states.includes(state) && groups.has(name))
      return around(innermost?.name ?? null).map((group) => ({ state, group }))
    }),
    ({ group }) => group,
  )
  return [...groups.values()]
    .map((group) => ({
      ...group,
      parent: around(group.parent)[0] ?? null,
      states: [...group.states, ...(added.get(group.name) ?? []).map(({ state }) => state)],
    }))
    .filter(({ states }) => states.length > 0)
}

/** The union of both charts; a moved state has its new place. */
function bothOf(before: DrawnChart, after: DrawnChart, transitions: readonly TransitionDifference[]): DrawnChart {
  const present = new Set([...after.states, ...after.groups.map(({ name }) => name)])
  const removed = before.states.filter((state) => !present.has(state))
  const deadlines = new Set(after.deadlines.map(({ event }) => event))
  return {
    states: [...after.states, ...removed],
    groups: groupsOfBoth(before, after, removed),
    transitions: [
      ...after.transitions,
      ...transitions.flatMap(({ before: was, after: is }) => (was && !is && was.from !== null ? [was] : [])),
    ],
    deadlines: [...after.deadlines, ...before.deadlines.filter(({ event }) => !deadlines.has(event))],
  }
}

/** The changes that turn the first statechart into the second. */
export function differencesOf(before: DrawnChart, after: DrawnChart): ChartDifferences {
  const states = stateDifferences(before, after)
  const transitions = transitionDifferences(before, after)
  return {
    same: states.length + transitions.length === 0,
    states,
    transitions,
    both: bothOf(before, after, transitions),
  }
}
