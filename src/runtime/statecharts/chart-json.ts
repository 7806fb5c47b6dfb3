/**
 * A statechart as JSON: a config for XState's `createMachine`, which Stately's editor opens. Actions, guards and delays
 * are names without implementations. Source: contract 9, "Statecharts".
 */
import type { AnyStateMachine } from 'xstate'
import type { Creation, StateMeta } from '../../../machines/words.ts'

interface Named {
  type: string
}

interface MoveJson {
  target?: string
  guard?: Named
  actions?: Named[]
  reenter?: boolean
}

interface StateJson {
  id?: string
  type?: string
  entry?: Named[]
  exit?: Named[]
  on?: Record<string, MoveJson[]>
  after?: Record<string, MoveJson[]>
  meta?: unknown
  /** Only of a group. */
  initial?: string
  states?: Record<string, StateJson>
}

export interface ChartJson {
  id: string
  version: string
  initial: string
  states: Record<string, StateJson>
  meta?: { creations: Record<string, { guard?: Named }> }
}

type Loose = Record<string, unknown>

const listOf = (value: unknown): unknown[] => (value === undefined ? [] : Array.isArray(value) ? value : [value])
const isLoose = (value: unknown): value is Loose => typeof value === 'object' && value !== null

/** Throws if an action or a guard of the chart has no name. */
export function toChartJson(machine: AnyStateMachine): ChartJson {
  const named = (what: unknown, state: string): Named => {
    const type = isLoose(what) ? what.type : what
    if (typeof type !== 'string')
      throw new Error(`The statechart ${machine.id} has something without a name in ${state}.`)
    return { type }
  }
  const names = (what: unknown, state: string): Named[] => listOf(what).map((item) => named(item, state))

  const moveJson = (given: unknown, state: string): MoveJson => {
    const move: Loose = isLoose(given) ? given : { target: given }
    return {
      ...(move.target !== undefined && { target: String(listOf(move.target)[0]) }),
      ...(move.guard !== undefined && { guard: named(move.guard, state) }),
      ...(move.actions !== undefined && { actions: names(move.actions, state) }),
      ...(move.reenter === true && { reenter: true }),
    }
  }
  const movesJson = (given: unknown, state: string): Record<string, MoveJson[]> =>
    Object.fromEntries(
      Object.entries(given as Loose).map(([event, moves]) => [
        event,
        listOf(moves).map((move) => moveJson(move, state)),
      ]),
    )

  const stateJson = (key: string, given: Loose): StateJson => ({
    ...(given.id !== undefined && { id: String(given.id) }),
    ...(given.type !== undefined && { type: String(given.type) }),
    ...(given.entry !== undefined && { entry: names(given.entry, key) }),
    ...(given.exit !== undefined && { exit: names(given.exit, key) }),
    ...(given.on !== undefined && { on: movesJson(given.on, key) }),
    ...(given.after !== undefined && { after: movesJson(given.after, key) }),
    ...(given.meta !== undefined && { meta: structuredClone(given.meta) }),
    ...(given.states !== undefined && { initial: String(given.initial), states: statesJson(given.states) }),
  })
  const statesJson = (states: unknown): Record<string, StateJson> =>
    Object.fromEntries(
      Object.entries(states as Record<string, Loose>).map(([key, state]) => [key, stateJson(key, state)]),
    )

  const creationsJson = (creations: Record<string, Creation>) =>
    Object.fromEntries(
      Object.entries(creations).map(([event, { guard }]) => [
        event,
        guard === undefined ? {} : { guard: { type: guard } },
      ]),
    )

  const config = machine.config as unknown as { initial: string; states: Record<string, Loose>; meta?: StateMeta }
  return {
    id: machine.id,
    version: machine.version ?? '1',
    initial: config.initial,
    states: statesJson(config.states),
    ...(config.meta?.creations && { meta: { creations: creationsJson(config.meta.creations) } }),
  }
}
