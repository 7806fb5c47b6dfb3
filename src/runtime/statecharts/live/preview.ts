/** Previews an event on a copy of an actor. Nothing is stored or executed. Source: contract 9. */
import type { AnyEventObject } from 'xstate'
import type { Caller } from '../../../platform/http/guard/caller.ts'
import { type Decision, decide } from '../../decisions/decide.ts'
import type { Watch } from './watch.ts'

export interface Preview {
  /** Whether the actor would take the event. */
  accepted: boolean
  /** The state after it; the present one when it is not accepted. */
  state: string
  /** What would be asked for, in order. */
  effects: string[]
}

/** Throws `not_found` (404). */
export async function previewEvent(watch: Watch, caller: Caller, id: string, event: AnyEventObject): Promise<Preview> {
  const actor = await watch.actor(id)
  const { state, context, row } = actor
  const facts = await watch.factsFor(caller, actor, event.type)
  let decision: Decision | undefined
  try {
    // the stamp comes last: the client cannot choose the time, the random values, or what the server knows
    const stamped = { ...event, ...facts, at: watch.parts.clock.now(), chance: 0 }
    decision = decide(watch.lookups(row).table, state, structuredClone(context), stamped)
  } catch {
    // statecharts trust their events, and this one is anybody's: what a guard stumbles over it does not let pass
    decision = undefined
  }
  return decision
    ? { accepted: true, state: decision.state, effects: decision.effects.map(({ name }) => name) }
    : { accepted: false, state, effects: [] }
}
