/**
 * For clients that parse the text of an answer as JSON: the only text of a completed turn is its structured output, as
 * soon as it is complete. Texts before tool calls, and the fence around a JSON text, would make it unreadable.
 */
import type { TurnEvent } from './events.ts'

export async function* onlyOutput(events: AsyncIterable<TurnEvent>): AsyncGenerator<TurnEvent> {
  /** The latest step of the model, until the next event shows whether it is the last one. */
  let latest: Extract<TurnEvent, { type: 'modelEnded' }> | undefined
  for await (const event of events) {
    if (event.type === 'text') continue
    if (latest && event.type !== 'idle') {
      const text = event.type === 'ended' ? outputOf(event, latest.text) : ''
      if (text !== '') yield { type: 'text', stepId: latest.stepId, text }
      yield { ...latest, text }
      latest = undefined
    }
    if (event.type === 'modelEnded') latest = event
    else yield event
  }
  if (latest) yield { ...latest, text: '' }
}

/** An interrupted turn has no output, but the beginning of one. */
const outputOf = ({ run, output }: Extract<TurnEvent, { type: 'ended' }>, text: string): string =>
  run.state === 'completed' && (run.stopReason ?? 'end_turn') === 'end_turn' ? JSON.stringify(output) : text
