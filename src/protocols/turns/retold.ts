/**
 * Hides repeated attempts: the text of a failed step cannot be taken back from a client that has read it. If the next
 * step repeats that text, it continues where the failed one broke, as the same step; else it is a separate step.
 */
import type { TurnEvent } from './events.ts'

interface Broken {
  stepId: number
  text: string
}

export async function* retold(events: AsyncIterable<TurnEvent>): AsyncGenerator<TurnEvent> {
  /** The text of the open step. */
  let said = ''
  let broken: Broken | undefined
  /** Steps that continue an earlier one. */
  const told = new Map<number, number>()
  const close = function* (stepId: number): Generator<TurnEvent> {
    yield { type: 'modelFailed', stepId }
    broken = undefined
  }
  for await (const event of events) {
    switch (event.type) {
      case 'modelStarted':
        said = ''
        if (!broken) yield event
        break
      case 'text': {
        said += event.text
        if (broken) {
          if (broken.text.startsWith(said)) break
          if (said.startsWith(broken.text)) {
            const rest = said.slice(broken.text.length)
            told.set(event.stepId, broken.stepId)
            yield { ...event, stepId: broken.stepId, text: rest }
          } else {
            yield* close(broken.stepId)
            yield { type: 'modelStarted', stepId: event.stepId }
            yield { ...event, text: said }
          }
          broken = undefined
          break
        }
        yield { ...event, stepId: told.get(event.stepId) ?? event.stepId }
        break
      }
      case 'modelFailed': {
        const stepId = told.get(event.stepId) ?? event.stepId
        // the step ended before it reached the point where the failed one broke
        if (broken) break
        if (said === '') yield event
        else broken = { stepId, text: said }
        break
      }
      case 'modelEnded': {
        if (broken && said === broken.text) told.set(event.stepId, broken.stepId)
        else if (broken) {
          yield* close(broken.stepId)
          yield { type: 'modelStarted', stepId: event.stepId }
          if (said !== '') yield { type: 'text', stepId: event.stepId, text: said }
        }
        broken = undefined
        yield { ...event, stepId: told.get(event.stepId) ?? event.stepId }
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
