/**
 * Hides repeated attempts: what a model said in a step that failed cannot be taken back from a client that has read it. If
 * the next step says the same again, it is told from where the other broke off, as the same step; else as a step of its own.
 */
import type { TurnEvent } from './events.ts'

interface Broken {
  stepId: number
  text: string
}

export async function* retold(events: AsyncIterable<TurnEvent>): AsyncGenerator<TurnEvent> {
  /** What the open step has said. */
  let said = ''
  let broken: Broken | undefined
  /** Steps that are told as an earlier one. */
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
        // before it came to where the other broke off
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
