/**
 * Leaves out the waits of the past: a client that gets a turn again from its beginning would end at its first wait,
 * although the run has gone on. Until the events are current, a wait is held back until it is over.
 */
import { left, type TurnEvent } from './events.ts'

type Wait = Extract<TurnEvent, { type: 'waiting' }>

/** Of events since the message. */
export async function* withoutPastWaits(events: AsyncIterable<TurnEvent>): AsyncGenerator<TurnEvent> {
  let isCurrent = false
  let wait: Wait | undefined
  for await (const event of events) {
    if (event.type === 'waiting' && !isCurrent) {
      wait = event
      continue
    }
    if (event.type === 'resumed') wait = undefined
    if (wait) wait = { ...wait, pending: left(wait.pending, event) }
    if (event.type === 'current') {
      isCurrent = true
      if (wait) yield wait
      wait = undefined
    }
    yield event
  }
  // another turn has begun with the answers
  if (wait) yield wait
}
