/**
 * The actions and guards of a statechart, compiled for its decision table (`table.ts`): each by its name, with the
 * implementation that the statechart gives it.
 */
import type { AnyEventObject, AnyStateMachine } from 'xstate'

export type Context = Record<string, unknown>
interface Given {
  context: Context
  event: AnyEventObject
}
/** What a statechart computes from its context and the event. */
type Compute<Result> = (given: Given, params?: unknown) => Result

/** One action of a row, in the order of XState's execution. */
export type Act =
  | { do: 'assign'; assign: Compute<Partial<Context>> }
  | { do: 'effect'; name: string; params: Compute<unknown> | undefined }
  | { do: 'arm'; timer: string; delayMs: Compute<number> }
  | { do: 'disarm'; timer: string }

/** A guard with its name; null: none. */
export type Guard = { name: string; test: Compute<boolean> } | null

/** Throws: the table cannot express this. */
export type Refuse = (what: string) => never

type Loose = Record<string, unknown>

const after = /^xstate\.after\.([^.]+)\./

/** The name of a deadline from `xstate.after.<delay>.<id of the state>`; other events keep their name. */
export const eventName = (type: string): string => after.exec(type)?.[1] ?? type

export function compilersOf(machine: AnyStateMachine, refuse: Refuse) {
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

  /** Only the actions that XState derives from `after` may raise and cancel events: these end with their state. */
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

  const compileGuard = (guard: unknown): Guard => {
    if (guard === undefined) return null
    const { type = 'without a name', params } = (typeof guard === 'string' ? { type: guard } : guard) as Loose & {
      type?: string
    }
    const test = implementations.guards[type]
    // `and`, `or`, `not` and `stateIn` are functions too; XState uses their `check`.
    if (typeof test !== 'function' || 'check' in test || params !== undefined)
      return refuse(`the guard ${type} is not a plain one`)
    return { name: type, test: test as Compute<boolean> }
  }

  return { compileAction, compileGuard }
}
