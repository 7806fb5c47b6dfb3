/**
 * Hides repeated attempts: the text of a failed step cannot be taken back from a client that has read it. If the next
 * step repeats that text, it continues where the failed one broke, as the same step; else it is a separate step.
 */
import type { TurnEvent } from './events.ts'

interface Broken {
  stepId: number
  text: string
}

export async function* withoutRepeats(events: AsyncIterable<TurnEvent>): AsyncGenerator<TurnEvent> {
  /** The text of the open step. */
  let text = ''
  let broken: Broken | undefined
  /** Steps that continue an earlier one. */
  const continued = new Map<number, number>()
  const close = function* (stepId: number): Generator<TurnEvent> {
    yield { type: 'modelFailed', stepId }
    broken = undefined
  }
  for await (const event of events) {
    switch (event.type) {
      case 'modelStarted':
        text = ''
        if (!broken) yield event
        break
      case 'text': {
        text += event.text
        if (broken) {
          if (broken.text.startsWith(text)) break
          if (text.startsWith(broken.text)) {
            const rest = text.slice(broken.text.length)
            continued.set(event.stepId, broken.stepId)
            yield { ...event, stepId: broken.stepId, text: rest }
          } else {
            yield* close(broken.stepId)
            yield { type: 'modelStarted', stepId: event.stepId }
            yield { ...event, text }
          }
          broken = undefined
          break
        }
        yield { ...event, stepId: continued.get(event.stepId) ?? event.stepId }
        break
      }
      case 'modelFailed': {
        const stepId = continued.get(event.stepId) ?? event.stepId
        // the step ended before it reached the point where the failed one broke
        if (broken) break
        if (text === '') yield event
        else broken = { stepId, text }
        break
      }
      case 'modelEnded': {
        if (broken && text === broken.text) continued.set(event.stepId, broken.stepId)
        else if (broken) {
          yield* close(broken.stepId)
          yield { type: 'modelStarted', stepId: event.stepId }
          if (text !== '') yield { type: 'text', stepId: event.stepId, text }
        }
        broken = undefined
        yield { ...event, stepId: continued.get(event.stepId) ?? event.stepId }
        break
      }
      case 'ended':
        if (broken) yield* close(broken.stepId)
        yield event
        break
      default:
        yield event
    }
  }
}
