/** Previews an event on a copy of an actor. Nothing is stored or executed. Source: contract 9. */
import type { AnyEventObject } from 'xstate'
import type { Caller } from '../../../platform/http/guard/caller.ts'
import { type Decision, decide } from '../../decisions/decide.ts'
import type { Watch } from './watch.ts'

interface Preview {
  /** Whether the actor would accept the event. */
  accepted: boolean
  /** The state after the event; the current state if it is not accepted. */
  state: string
  /** The effects that would be requested, in order. */
  effects: string[]
}

/** Throws `not_found` (404). */
export async function previewEvent(watch: Watch, caller: Caller, id: string, event: AnyEventObject): Promise<Preview> {
  const actor = await watch.actor(id)
  const { state, context, row } = actor
  const facts = await watch.factsFor(caller, actor, event)
  let decision: Decision | undefined
  try {
    // the stamp comes last: the client cannot choose the time, the random values, or the server's facts
    const stamped = { ...event, ...facts, at: watch.parts.clock.now(), chance: 0 }
    decision = decide(watch.lookups(row).table, state, structuredClone(context), stamped)
  } catch {
    // statecharts trust their events, but this one comes from a client: an exception in a guard counts as false
    decision = undefined
  }
  return decision
    ? { accepted: true, state: decision.state, effects: decision.effects.map(({ name }) => name) }
    : { accepted: false, state, effects: [] }
}
