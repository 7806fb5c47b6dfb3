/** Merges two statecharts into one chart, with the differences marked and described in words. */
import {
  type Change,
  type ChartDifferences,
  differencesOf,
  type StateAspect,
  type StateDifference,
  type TransitionDifference,
} from '../../../runtime/statecharts/differences.ts'
import type { DrawnChart } from '../../../runtime/statecharts/layouts/lines.ts'
import { type ChartModel, edgeOfRow, type Machine, type Move, modelOf } from '../model.ts'
import type { Marks } from './marks.ts'

interface Compared {
  /** Whether there are no differences. */
  same: boolean
  /** The states and transitions of both. */
  model: ChartModel
  marks: Marks
  /** Every difference in words. */
  texts: DifferenceText[]
}

interface DifferenceText {
  key: string
  change: Change
  text: string
}

/** A removed transition may name a group that no longer exists; it is then drawn between its states. */
function between({ states, groups, transitions, ...rest }: DrawnChart): DrawnChart {
  const known = new Set([...states, ...groups.map(({ name }) => name)])
  return {
    ...rest,
    states,
    groups,
    transitions: transitions.map((move) =>
      move.declaredAt === null || (known.has(move.declaredAt) && known.has(move.declaredTo))
        ? move
        : { ...move, declaredAt: move.from, declaredTo: move.to },
    ),
  }
}

export function compare(before: Machine, after: Machine): Compared {
  const differences = ownDifferences(differencesOf(before, after))
  const { kind, title, version } = after
  const both = between(differences.both)
  const model = modelOf(
    differences.same ? after : { kind, title, version: `${before.version}…${version}`, ...both, layouts: null },
  )
  return { same: differences.same, model, marks: marksOf(differences, both), texts: textsOf(differences) }
}

/** Without the transitions that a state inherits from a group: they are added and removed with the state. */
function ownDifferences(differences: ChartDifferences): ChartDifferences {
  const whole = new Set(differences.states.flatMap(({ state, change }) => (change === 'changed' ? [] : [state])))
  const isOfGroup = ({ change, before, after }: TransitionDifference) => {
    const { from, declaredAt } = after ?? before ?? { from: null, declaredAt: null }
    return (
      change !== 'changed' && from !== null && whole.has(from) && declaredAt !== from && !whole.has(declaredAt ?? '')
    )
  }
  return { ...differences, transitions: differences.transitions.filter((one) => !isOfGroup(one)) }
}

function marksOf({ states, transitions }: ChartDifferences, both: DrawnChart): Marks {
  const changes = new Map<Move, Change>()
  for (const { change, before, after } of transitions) {
    const move = both.transitions.find((one) => one === (after ?? before)) ?? twinOf(both, after ?? before)
    if (move) changes.set(move, change)
  }
  const edges = new Map<string, Change>()
  for (const [edge, moves] of Map.groupBy(both.transitions, (move) => edgeOfRow(move))) {
    const found = new Set(moves.map((move) => changes.get(move)))
    const [change] = found
    // a line shared with other transitions exists before and after
    if (edge !== undefined && found.size > 1) edges.set(edge, 'changed')
    else if (edge !== undefined && change) edges.set(edge, change)
  }
  return { states: new Map(states.map(({ state, change }) => [state, change])), edges }
}

/** A transition that is not drawn where it is declared. */
const twinOf = ({ transitions }: DrawnChart, move: Move | null) =>
  transitions.find(
    (one) => one.from === move?.from && one.event === move?.event && one.guard === move?.guard && one.to === move?.to,
  )

const aspectWords: Record<StateAspect, string> = {
  initial: 'initial',
  final: 'final',
  group: 'group',
  deadlines: 'deadlines',
}

function textOfState({ state, change, aspects }: StateDifference): string {
  if (change === 'added') return `State ${state} added`
  if (change === 'removed') return `State ${state} removed`
  return `State ${state} changed: ${aspects.map((aspect) => aspectWords[aspect]).join(', ')}`
}

const nameOf = ({ from, event }: Move) => (from === null ? `${event} (new)` : `${event} in ${from}`)
const withGuard = ({ guard }: Move) => (guard === null ? 'without a guard' : `if ${guard}`)
const withEffects = ({ effects }: Move) => (effects.length === 0 ? 'without effects' : `with ${effects.join(', ')}`)

function textOfTransition({ before, after }: TransitionDifference): string {
  if (!after) return before ? `${nameOf(before)} removed (to ${before.to})` : ''
  if (!before) return `${nameOf(after)} added (to ${after.to})`
  const parts = [
    before.to !== after.to && `to ${after.to}, previously to ${before.to}`,
    before.guard !== after.guard && `${withGuard(after)}, previously ${withGuard(before)}`,
    before.effects.join() !== after.effects.join() && `${withEffects(after)}, previously ${withEffects(before)}`,
    before.declaredAt !== after.declaredAt && `declared at ${after.declaredAt}, previously at ${before.declaredAt}`,
  ].filter((part) => part !== false)
  return `${nameOf(after)} changed: ${parts.join('; ')}`
}

/** States first, then transitions, each in the order of the later chart. */
function textsOf({ states, transitions }: ChartDifferences): DifferenceText[] {
  const texts = [
    ...states.map((one) => ({ change: one.change, text: textOfState(one) })),
    ...transitions.map((one) => ({ change: one.change, text: textOfTransition(one) })),
  ]
  return texts.map(({ change, text }, place) => ({ key: `${place} ${text}`, change, text }))
}
