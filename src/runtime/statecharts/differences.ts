/**
 * Compares two versions of a statechart: of a machine, or of an entity's chart in two revisions of its
 * Definition. Pure, and made of what the API says of a statechart, so that a page can draw it.
 */
import type { DrawnChart } from './layouts/lines.ts'

type Transition = DrawnChart['transitions'][number]

export type Change = 'added' | 'removed' | 'changed'

/** What of a state or a group has changed: where it begins, whether anything leaves it, the group around it, a deadline. */
export type StateAspect = 'initial' | 'final' | 'group' | 'deadlines'

export interface StateDifference {
  state: string
  change: Change
  /** Of a changed one. */
  aspects: StateAspect[]
}

export interface TransitionDifference {
  change: Change
  before: Transition | null
  after: Transition | null
}

export interface ChartDifferences {
  /** Whether nothing is different. */
  same: boolean
  /** Groups are among them. */
  states: StateDifference[]
  transitions: TransitionDifference[]
  /** Everything of both, so that what is removed has a place too. */
  both: DrawnChart
}

/** What is compared of a state, as text. */
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

/** The same transition, from the closest likeness to the least: all of it; another guard or effect; another target. */
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

/** The groups of both: a state that is removed is where it was, as far as its groups are still there. */
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

/** Everything of the later one, and what only the earlier one has; what has moved is where it is now. */
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

/** What has to be done to the first statechart to make the second one of it. */
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
