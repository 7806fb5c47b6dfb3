/** Decides an event by a statechart. Pure: nothing is executed before it is stored. */
import type { AnyEventObject } from 'xstate'
import type { Act } from './acts.ts'
import type { DecisionTable } from './table.ts'

/** An effect that the statechart requests: its name and its parameters. */
export interface RequestedEffect {
  name: string
  params: unknown
}

export interface Decision {
  state: string
  context: Record<string, unknown>
  /** Whether a state was entered: another one, or the same again. */
  moved: boolean
  effects: RequestedEffect[]
  /** Deadlines of the new state: name and delay in milliseconds. Leaving a state ends its deadlines. */
  timersStarted: { timer: string; delayMs: number }[]
}

const perform = (acts: readonly Act[], context: Record<string, unknown>, event: AnyEventObject) => {
  const effects: RequestedEffect[] = []
  const timersStarted: Decision['timersStarted'] = []
  let current = context
  for (const act of acts) {
    if (act.do === 'assign') current = { ...current, ...act.assign({ context: current, event }) }
    else if (act.do === 'effect') effects.push({ name: act.name, params: act.params?.({ context: current, event }) })
    else if (act.do === 'arm')
      timersStarted.push({ timer: act.timer, delayMs: act.delayMs({ context: current, event }) })
  }
  return { context: current, effects, timersStarted }
}

/** Decides the creation of an actor. */
export function begin(table: DecisionTable, input: unknown): Decision {
  const { state, acts, context } = table.initial
  return { state, moved: true, ...perform(acts, context(input), { type: 'xstate.init', input }) }
}

/**
 * Decides the creation by a named event; undefined if its guard does not hold. Throws if the chart has no such
 * creation.
 */
export function beginBy(table: DecisionTable, event: AnyEventObject, input: unknown): Decision | undefined {
  const birth = table.creations.get(event.type)
  if (!birth) throw new Error(`The statechart ${table.kind} has no birth by ${event.type}.`)
  const { guard } = birth
  if (guard && !guard.test({ context: table.initial.context(input), event })) return undefined
  return begin(table, input)
}

/** Decides an event; undefined if the state has no row for it, or no guard holds. */
export function decide(
  table: DecisionTable,
  state: string,
  context: Record<string, unknown>,
  event: AnyEventObject,
): Decision | undefined {
  const candidates = table.rows.get(state)?.get(event.type)
  if (!candidates) return undefined
  for (const { guard, target, moves, acts } of candidates) {
    if (guard && !guard.test({ context, event })) continue
    if (target === null && acts.length === 0) return undefined
    return { state: target ?? state, moved: moves, ...perform(acts, context, event) }
  }
  return undefined
}
