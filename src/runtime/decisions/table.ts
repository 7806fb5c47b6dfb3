/**
 * A statechart compiled into a decision table: state × event → candidates, each a guard, a target and the actions in
 * order. XState stays the definition; its `transition()` costs some 10 µs, a look-up here about one. A test proves that
 * both decide alike. Charts are flat: states without children, `on`, `after`, `entry`, `exit`; anything else is refused
 * when the server starts. Source: design 3 and 7.
 */
import type { AnyEventObject, AnyStateMachine, AnyStateNode } from 'xstate'
import type { Birth, Refusal, StateMeta } from '../../../machines/words.ts'

type Context = Record<string, unknown>
interface Given {
  context: Context
  event: AnyEventObject
}
type Compute<Result> = (given: Given, params?: unknown) => Result

/** One action of a row, in the order in which XState would take it. */
export type Act =
  | { do: 'assign'; assign: Compute<Partial<Context>> }
  | { do: 'effect'; name: string; params: Compute<unknown> | undefined }
  | { do: 'arm'; timer: string; delayMs: Compute<number> }
  | { do: 'disarm'; timer: string }

export interface Candidate {
  guard: { name: string; test: Compute<boolean> } | null
  /** null: the state stays, and nothing is left or entered. */
  target: string | null
  /** Whether states are left and entered: their deadlines end and begin. */
  moves: boolean
  acts: readonly Act[]
  /** Names of the effects, for tables. */
  effects: readonly string[]
}

export interface DecisionTable {
  kind: string
  version: string
  states: readonly string[]
  initial: { state: string; acts: readonly Act[]; context(input: unknown): Context }
  /** How an actor may come into the initial state, by what the journal calls it. */
  births: ReadonlyMap<string, { guard: Candidate['guard']; refuses: readonly Refusal[] }>
  /** Candidates by state and event; a deadline's event is the name of its delay. */
  rows: ReadonlyMap<string, ReadonlyMap<string, readonly Candidate[]>>
  refusals: ReadonlyMap<string, Readonly<Record<string, Refusal | readonly Refusal[]>>>
}

type Loose = Record<string, unknown>

const after = /^xstate\.after\.(.+?)\.[^.]+\.[^.]+$/

/** The name of a deadline in `xstate.after.<delay>.<machine>.<state>`; other events are themselves. */
export const eventName = (type: string): string => after.exec(type)?.[1] ?? type

/** Compiles a chart. Throws on a chart that needs more than the table can say. */
export function compile(machine: AnyStateMachine): DecisionTable {
  const refuse = (what: string): never => {
    throw new Error(`The statechart ${machine.id} cannot be compiled: ${what}.`)
  }
  const implementations = machine.implementations as unknown as Record<'actions' | 'guards' | 'delays', Loose>

  const compileAction = (action: unknown): Act => {
    const named = (typeof action === 'string' ? { type: action } : action) as Loose & { type: string; params?: unknown }
    if (named.type === 'xstate.raise' || named.type === 'xstate.cancel') return compileDeadline(named)
    const implementation = (typeof action === 'function' ? action : implementations.actions[named.type]) as
      | (Loose & { type?: string; assignment?: unknown })
      | undefined
    const params = typeof action === 'function' ? undefined : compileParams(named.params)
    if (implementation?.type === 'xstate.assign') {
      return { do: 'assign', assign: compileAssignment(implementation.assignment, params) }
    }
    if (typeof action === 'function')
      return refuse(`the action ${named.type ?? action.name}, written in place, has no name of its own`)
    if (typeof implementation !== 'function' || 'resolve' in implementation) {
      return refuse(`the action ${named.type} is neither an assign nor an effect`)
    }
    return { do: 'effect', name: named.type, params }
  }

  /** Only what XState makes of `after` may raise and cancel: those events end with their state. */
  const compileDeadline = (action: Loose): Act => {
    const { type } = (action.event ?? { type: action.sendId }) as { type: unknown }
    if (typeof type !== 'string' || !type.startsWith('xstate.after.'))
      return refuse(`it uses ${String(action.type)} by itself`)
    return action.sendId === undefined
      ? { do: 'arm', timer: eventName(type), delayMs: compileDelay(action.delay) }
      : { do: 'disarm', timer: eventName(type) }
  }

  const compileParams = (params: unknown): Compute<unknown> | undefined => {
    if (params === undefined) return undefined
    return typeof params === 'function' ? (params as Compute<unknown>) : () => params
  }

  const compileAssignment = (assignment: unknown, params: Compute<unknown> | undefined): Compute<Partial<Context>> => {
    if (typeof assignment === 'function') {
      const assign = assignment as Compute<Partial<Context>>
      return params ? (given) => assign(given, params(given)) : assign
    }
    const entries = Object.entries(assignment as Loose)
    return (given) => {
      const changes: Context = {}
      for (const [key, value] of entries) {
        changes[key] = typeof value === 'function' ? (value as Compute<unknown>)(given, params?.(given)) : value
      }
      return changes
    }
  }

  const compileDelay = (delay: unknown): Compute<number> => {
    const named = typeof delay === 'string' ? (implementations.delays[delay] ?? Number(delay)) : delay
    if (typeof named === 'function') return named as Compute<number>
    if (typeof named !== 'number' || Number.isNaN(named)) return refuse(`the delay ${String(delay)} is unknown`)
    return () => named
  }

  const compileGuard = (guard: unknown): Candidate['guard'] => {
    if (guard === undefined) return null
    const { type = 'without a name', params } = (typeof guard === 'string' ? { type: guard } : guard) as Loose & {
      type?: string
    }
    const test = implementations.guards[type]
    // `and`, `or`, `not` and `stateIn` are functions too; XState looks at their `check`.
    if (typeof test !== 'function' || 'check' in test || params !== undefined)
      return refuse(`the guard ${type} is not a plain one`)
    return { name: type, test: test as Compute<boolean> }
  }

  const compileCandidate = (node: AnyStateNode, transition: AnyStateNode['on'][string][number]): Candidate => {
    const target = (transition.target?.[0] as AnyStateNode | undefined) ?? null
    if (target && target.parent !== machine.root)
      refuse(`the state ${node.key} moves to ${target.id}, which is not one of its states`)
    const moves = target !== null && (target !== node || transition.reenter)
    const acts = [...(moves ? node.exit : []), ...transition.actions, ...(moves ? target.entry : [])].map(compileAction)
    return {
      guard: compileGuard(transition.guard),
      target: target?.key ?? null,
      moves,
      acts,
      effects: acts.flatMap((act) => (act.do === 'effect' ? [act.name] : [])),
    }
  }

  const compileState = (node: AnyStateNode): Map<string, Candidate[]> => {
    if (node.type !== 'atomic') refuse(`the state ${node.key} is ${node.type}, not a plain one`)
    if (node.invoke.length > 0 || (node.always?.length ?? 0) > 0)
      refuse(`the state ${node.key} invokes or moves by itself`)
    const rows = new Map<string, Candidate[]>()
    for (const [type, transitions] of node.transitions) {
      if (type.includes('*')) refuse(`the state ${node.key} has a wildcard`)
      const name = eventName(type)
      if (rows.has(name)) refuse(`the state ${node.key} has two rows named ${name}`)
      rows.set(
        name,
        transitions.map((transition) => compileCandidate(node, transition)),
      )
    }
    return rows
  }

  const compileBirth = ([event, { guard, refuses = [] }]: [string, Birth]) =>
    [event, { guard: compileGuard(guard), refuses }] as const

  const { root } = machine
  if (root.type !== 'compound') refuse(`it is ${root.type}, not a choice of states`)
  if (
    root.transitions.size + root.entry.length + root.exit.length + root.invoke.length + (root.always?.length ?? 0) >
    0
  ) {
    refuse('it has rows or actions outside its states')
  }
  if (root.initial.actions.length > 0) refuse('it acts before its first state')
  const nodes = Object.values(machine.states) as AnyStateNode[]
  const first = root.initial.target[0] as AnyStateNode
  const context = (machine.config as { context?: unknown }).context
  return {
    kind: machine.id,
    version: machine.version ?? '1',
    states: nodes.map(({ key }) => key),
    initial: {
      state: first.key,
      acts: first.entry.map(compileAction),
      context: (input) =>
        typeof context === 'function' ? context({ input }) : { ...(context as Context | undefined) },
    },
    births: new Map(Object.entries((root.meta as StateMeta | undefined)?.births ?? { create: {} }).map(compileBirth)),
    rows: new Map(nodes.map((node) => [node.key, compileState(node)])),
    refusals: new Map(nodes.map((node) => [node.key, (node.meta as StateMeta | undefined)?.refuses ?? {}])),
  }
}
