/** A response as OpenAI streams it: the same turn always yields the same events with the same numbers. */
import { toApiError } from '../../platform/http/answers/failure.ts'
import { keepAlive, message } from '../event-stream.ts'
import type { PendingCall, TurnEvent } from '../turns/events.ts'
import { type Saying, TurnSummary } from '../turns/summary.ts'
import { errorOf } from './errors.ts'
import { callItem, messageItem, type ResponseHead, responseOf, textPart } from './responses.ts'

/** `after`: the number of the client's last event. */
export async function* responseEvents(
  events: AsyncIterable<TurnEvent>,
  head: ResponseHead,
  after = -1,
): AsyncGenerator<string> {
  const writer = new Writer(head, after)
  const summary = new TurnSummary()
  try {
    yield* writer.tell('response.created', { response: responseOf(summary, head) })
    yield* writer.tell('response.in_progress', { response: { ...responseOf(summary, head), status: 'in_progress' } })
    for await (const event of events) {
      summary.add(event)
      if (event.type === 'idle') yield keepAlive
      if (event.type === 'text') yield* writer.text(event.stepId, event.text)
      if (event.type === 'modelEnded' || event.type === 'modelFailed')
        yield* writer.endText(event.type === 'modelEnded')
      if (summary.ended || summary.callsOfClient.length > 0) break
    }
    yield* writer.endText(false)
    for (const call of summary.callsOfClient) yield* writer.call(call)
    const response = responseOf(summary, head)
    const { status } = response
    // the server stops, or the conversation has continued: the client reads the response again
    if (status === 'in_progress' || status === 'queued') return
    const type = status === 'cancelled' ? 'incomplete' : status
    yield* writer.tell(`response.${type}`, { response })
  } catch (error) {
    const { message: text, code, param } = errorOf(toApiError(error))
    yield* writer.tell('error', { code, message: text, param })
  }
}

class Writer {
  #number = 0
  #items = 0
  #open: Saying | undefined

  constructor(
    private readonly head: ResponseHead,
    private readonly after: number,
  ) {}

  *tell(type: string, body: object): Generator<string> {
    const sequence_number = this.#number
    this.#number += 1
    if (sequence_number > this.after) yield message({ type, sequence_number, ...body }, type)
  }

  *text(stepId: number, delta: string): Generator<string> {
    if (this.#open && this.#open.stepId !== stepId) yield* this.endText(true)
    if (!this.#open) {
      this.#open = { stepId, text: '', isWhole: false }
      const item = messageItem(this.head.turn, this.#open, 'in_progress')
      yield* this.tell('response.output_item.added', { output_index: this.#items, item })
      yield* this.tell('response.content_part.added', { ...this.#place, part: textPart('') })
    }
    this.#open.text += delta
    yield* this.tell('response.output_text.delta', { ...this.#place, delta, logprobs: [] })
  }

  *endText(isWhole: boolean): Generator<string> {
    const saying = this.#open
    if (!saying) return
    const { text } = saying
    yield* this.tell('response.output_text.done', { ...this.#place, text, logprobs: [] })
    yield* this.tell('response.content_part.done', { ...this.#place, part: textPart(text) })
    const item = messageItem(this.head.turn, saying, isWhole ? 'completed' : 'incomplete')
    yield* this.tell('response.output_item.done', { output_index: this.#items, item })
    this.#open = undefined
    this.#items += 1
  }

  *call(call: PendingCall): Generator<string> {
    const { turn } = this.head
    const [added, done] = [callItem(turn, call, 'in_progress'), callItem(turn, call)]
    const place = { output_index: this.#items, item_id: done.id }
    const text = done.arguments
    yield* this.tell('response.output_item.added', { output_index: this.#items, item: added })
    yield* this.tell('response.function_call_arguments.delta', { ...place, delta: text })
    yield* this.tell('response.function_call_arguments.done', { ...place, name: call.toolName, arguments: text })
    yield* this.tell('response.output_item.done', { output_index: this.#items, item: done })
    this.#items += 1
  }

  get #place() {
    const id = messageItem(this.head.turn, this.#open as Saying, 'in_progress').id
    return { item_id: id, output_index: this.#items, content_index: 0 }
  }
}
