/**
 * A statechart compiled into a decision table: state × event → candidates, each a guard, a target and the actions in
 * order. XState stays the definition: its `transition()` costs about 10 µs, a look-up here about 1 µs, and a test
 * proves that both decide alike. Supported are states and groups of states with `on`, `after`, `entry` and `exit`; any
 * other feature stops the server's start. The table is flat: a row that a group declares is a row of each of its
 * states. Source: design 3 and 7.
 */
import type { AnyStateMachine, AnyStateNode } from 'xstate'
import type { Creation, Refusal, StateMeta } from '../../../machines/words.ts'
import { type Act, type Context, compilersOf, eventName, type Guard, type Refuse } from './acts.ts'
import { crossingOf, firstOf, groupsOf, leavesOf, pathOf } from './nesting.ts'

export interface Candidate {
  guard: Guard
  /** null: the state stays, and no state is left or entered. */
  target: string | null
  /** Whether states are left and entered, so that their deadlines end and begin. */
  moves: boolean
  acts: readonly Act[]
  /** Names of the effects, for display. */
  effects: readonly string[]
  /** The state that declares the row, or a group around the state. */
  declaredAt: string
  /** The target as declared: the group itself if the actor stays in its current state of the group. */
  declaredTo: string
}

/** A group of states, which share rows or belong together. */
interface StateGroup {
  name: string
  /** The enclosing group. */
  parent: string | null
  /** Includes the states of nested groups. */
  states: readonly string[]
}

export interface DecisionTable {
  kind: string
  version: string
  states: readonly string[]
  /** Outer groups first. */
  groups: readonly StateGroup[]
  initial: { state: string; acts: readonly Act[]; context(input: unknown): Context }
  /** The transitions that create an actor, by the name of the event in the journal. */
  creations: ReadonlyMap<string, { guard: Guard; refuses: readonly Refusal[] }>
  /** Candidates by state and event; the event of a deadline is the name of its delay. */
  rows: ReadonlyMap<string, ReadonlyMap<string, readonly Candidate[]>>
  refusals: ReadonlyMap<string, Readonly<Record<string, Refusal | readonly Refusal[]>>>
}

/** Compiles a statechart. Throws if it uses a feature that the table cannot express. */
export function compile(machine: AnyStateMachine): DecisionTable {
  const refuse: Refuse = (what) => {
    throw new Error(`The statechart ${machine.id} cannot be compiled: ${what}.`)
  }
  const { root } = machine
  checkShape(root, refuse)
  const { compileAction, compileGuard } = compilersOf(machine, refuse)

  const compileCandidate = (leaf: AnyStateNode, transition: AnyStateNode['on'][string][number]): Candidate => {
    const { source, reenter } = transition
    const target = (transition.target?.[0] as AnyStateNode | undefined) ?? null
    if (target && target.type !== 'atomic')
      refuse(`the state ${source.key} moves to ${target.id}, which is not one of its states`)
    const { left, entered, kept } = crossingOf(leaf, { source, target, reenter })
    const moves = left.length > 0
    // all deadlines end with the innermost state, so a deadline of a group would be lost
    for (const group of kept)
      if (moves && group.after.length > 0) refuse(`the group ${group.key} has a deadline, and moves within it`)
    const acts = [
      ...left.flatMap(({ exit }) => exit),
      ...transition.actions,
      ...entered.flatMap(({ entry }) => entry),
    ].map(compileAction)
    return {
      guard: compileGuard(transition.guard),
      target: target?.key ?? null,
      moves,
      acts,
      effects: acts.flatMap((act) => (act.do === 'effect' ? [act.name] : [])),
      declaredAt: source.key,
      declaredTo: target?.key ?? source.key,
    }
  }

  /** The rows of a state: its own come before those of its groups. */
  const compileState = (leaf: AnyStateNode): Map<string, Candidate[]> => {
    const rows = new Map<string, Candidate[]>()
    const types = new Map<string, string>()
    for (const node of pathOf(leaf)) {
      for (const [type, transitions] of node.transitions) {
        if (type.includes('*')) refuse(`the state ${node.key} has a wildcard`)
        const name = eventName(type)
        if ((types.get(name) ?? type) !== type) refuse(`the state ${leaf.key} has two rows named ${name}`)
        types.set(name, type)
        const before = rows.get(name) ?? []
        // candidates after one without a guard are never reached
        if (before.some(({ guard }) => guard === null)) continue
        rows.set(name, [...before, ...transitions.map((transition) => compileCandidate(leaf, transition))])
      }
    }
    return rows
  }

  const compileCreation = ([event, { guard, refuses = [] }]: [string, Creation]) =>
    [event, { guard: compileGuard(guard), refuses }] as const

  const groups = groupsOf(root)
  const leaves = leavesOf(root)
  const first = firstOf(root)
  const context = (machine.config as { context?: unknown }).context
  return {
    kind: machine.id,
    version: machine.version ?? '1',
    states: leaves.map(({ key }) => key),
    groups: groups.map((group) => ({
      name: group.key,
      parent: group.parent === root ? null : (group.parent as AnyStateNode).key,
      states: leavesOf(group).map(({ key }) => key),
    })),
    initial: {
      state: first.key,
      acts: pathOf(first)
        .reverse()
        .flatMap(({ entry }) => entry)
        .map(compileAction),
      context: (input) =>
        typeof context === 'function' ? context({ input }) : { ...(context as Context | undefined) },
    },
    creations: new Map(
      Object.entries((root.meta as StateMeta | undefined)?.creations ?? { create: {} }).map(compileCreation),
    ),
    rows: new Map(leaves.map((leaf) => [leaf.key, compileState(leaf)])),
    refusals: new Map(leaves.map((leaf) => [leaf.key, refusalsOf(leaf)])),
  }
}

/** Refuses states of other types, and rows and actions where the table has no place for them. */
function checkShape(root: AnyStateNode, refuse: Refuse): void {
  if (root.type !== 'compound') refuse(`it is ${root.type}, not a choice of states`)
  if (
    root.transitions.size + root.entry.length + root.exit.length + root.invoke.length + (root.always?.length ?? 0) >
    0
  ) {
    refuse('it has rows or actions outside its states')
  }
  if (root.initial.actions.length > 0) refuse('it acts before its first state')
  const names = new Set<string>()
  for (const node of [...groupsOf(root), ...leavesOf(root)]) {
    checkNode(node, refuse)
    if (names.has(node.key)) refuse(`it has two states named ${node.key}`)
    names.add(node.key)
  }
}

function checkNode(node: AnyStateNode, refuse: Refuse): void {
  if (node.type !== 'atomic' && node.type !== 'compound')
    refuse(`the state ${node.key} is ${node.type}, not a plain one`)
  if (node.invoke.length > 0 || (node.always?.length ?? 0) > 0)
    refuse(`the state ${node.key} invokes or moves by itself`)
  if (node.type === 'compound' && node.initial.actions.length > 0)
    refuse(`the group ${node.key} acts before its first state`)
}

/** A state's own refusals come before those of its groups. */
const refusalsOf = (leaf: AnyStateNode) =>
  Object.assign(
    {},
    ...pathOf(leaf)
      .map(({ meta }) => (meta as StateMeta | undefined)?.refuses ?? {})
      .reverse(),
  )
