/**
 * Streams one model call to an external runner: a line of JSON per part and a last line with the outcome. It reads from
 * the vendor no faster than the runner reads, and ends whether or not the runner reads. Source: contract 5.
 */

import type { Clock } from '../../../platform/time/clock.ts'
import { nextTurn } from '../../../platform/time/next-turn.ts'
import { ProviderFailure } from '../../providers/errors.ts'
import { estimatedUsage } from '../../providers/estimate.ts'
import type { StepFinish, StepPart, StepRequest, StepUsage } from '../../providers/step.ts'

/** Why the server stops a call. */
type Stop = 'cancel' | 'drain' | 'stale' | 'gone' | 'late'

/** The last line of an unfinished call. */
type Ending =
  | { type: 'error'; error: { code: string; message: string; retryable: boolean; retryAfterMs?: number } }
  | { type: 'stopped'; signal: 'cancel' | 'drain' | 'stale' }

interface ModelStreamParts {
  clock: Clock
  /** The request without its signal. */
  request: Omit<StepRequest, 'signal'>
  streamStep(request: StepRequest): AsyncIterable<StepPart>
  /** The timeout of the whole call. */
  callMsMax: number
  /** Called regularly while the call makes progress. */
  onProgress(): void
  /** Records the usage of the call before its last line is sent; null: none. Never rejects. */
  onEnd(usage: StepUsage | null): Promise<void>
  onError(error: unknown): void
}

const chunkCharactersMax = 16_384
/** The interval of empty lines that keep the connection open while the vendor sends nothing. */
const keepAliveMs = 5_000

const encoder = new TextEncoder()
const line = (value: unknown) => `${JSON.stringify(value)}\n`

export class ModelStream {
  readonly #abort = new AbortController()
  readonly #request: StepRequest
  readonly #timer: { cancel(): void }
  /** Lines to send. The first is empty and tells the runner at once that the call has begun. */
  #text = '\n'
  /** The last delta, held back so that the next one can be merged into it. */
  #held: Exclude<StepPart, { type: 'toolCall' | 'finish' }> | undefined
  /** Whether `#text` contains the last line. */
  #ended = false
  #onNews: (() => void) | undefined
  #onRoom: (() => void) | undefined
  #streamed = ''
  #usage: StepUsage | undefined
  #closing: Promise<void> | undefined

  constructor(private readonly parts: ModelStreamParts) {
    this.#request = { ...parts.request, signal: this.#abort.signal }
    this.#timer = parts.clock.after(parts.callMsMax, () => void this.stop('late'))
  }

  /** Calls the vendor and returns the stream that the runner reads. */
  open(): ReadableStream<Uint8Array> {
    void this.#read()
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          if (this.#isEmpty && !this.#ended) await this.#news()
          // parts that arrive in the same tick are sent together
          if (!this.#ended) await nextTurn()
          this.#flush()
          const text = this.#text
          this.#text = ''
          this.#onRoom?.()
          controller.enqueue(encoder.encode(text || '\n'))
          if (this.#ended) controller.close()
          else this.parts.onProgress()
        },
        cancel: () => this.stop('gone'),
      },
      // no read-ahead beyond what the connection accepts
      { highWaterMark: 0 },
    )
  }

  /** Aborts the vendor's call unless it has ended. Resolves once its usage is recorded. */
  stop(why: Stop): Promise<void> {
    return this.#close(endingOf(why, this.parts.callMsMax))
  }

  /** Reads the vendor's answer to its end, with a bounded read-ahead of the runner. */
  async #read(): Promise<void> {
    try {
      for await (const part of this.parts.streamStep(this.#request)) {
        if (this.#closing) return
        this.#count(part)
        if (part.type === 'finish') return await this.#close(part)
        this.#take(part)
        if (this.#text.length + (this.#held?.text.length ?? 0) >= chunkCharactersMax) await this.#room()
      }
      const message = 'The model stopped before it finished its answer.'
      await this.#close(failed(new ProviderFailure('invalid_model_output', message, { retryable: true })))
    } catch (error) {
      if (!(error instanceof ProviderFailure) && !this.#closing) this.parts.onError(error)
      const failure = error instanceof ProviderFailure ? error : unusable()
      await this.#close(failed(failure))
    }
  }

  /** Waits until the runner has read the pending lines; yields to other requests in between. */
  async #room(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#onRoom = resolve
    this.#onNews?.()
    await promise
    await nextTurn()
  }

  /** Waits briefly for something to send. */
  async #news(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#onNews = resolve
    const timer = this.parts.clock.after(keepAliveMs, resolve)
    await promise
    timer.cancel()
    this.#onNews = undefined
  }

  get #isEmpty(): boolean {
    return this.#text === '' && !this.#held
  }

  /** Adds a part; consecutive deltas of one kind are merged. */
  #take(part: Exclude<StepPart, { type: 'finish' }>) {
    const held = this.#held
    const continues =
      held?.type === part.type && (held.type !== 'toolInput' || held.toolCallId === (part as typeof held).toolCallId)
    if (held && continues) {
      held.text += (part as typeof held).text
      return
    }
    this.#flush()
    if (part.type === 'toolCall') this.#text += line(part)
    else this.#held = { ...part }
    this.#onNews?.()
  }

  #flush() {
    if (this.#held) this.#text += line(this.#held)
    this.#held = undefined
  }

  #count(part: StepPart) {
    if (part.type === 'finish') this.#usage = part.usage
    if (part.type === 'finish' || part.type === 'toolCall') return
    this.#streamed += part.text
  }

  /** Ends the call once; its usage is recorded before the last line is sent. */
  #close(last: Ending | StepFinish): Promise<void> {
    this.#closing ??= (async () => {
      this.#timer.cancel()
      // the vendor's call may ignore the abort and is not awaited
      this.#abort.abort()
      this.#onRoom?.()
      const usage = this.#usage ?? (this.#streamed === '' ? null : await estimatedUsage(this.#request, this.#streamed))
      await this.parts.onEnd(usage)
      this.#flush()
      this.#text += line(last)
      this.#ended = true
      this.#onNews?.()
    })()
    return this.#closing
  }
}

function endingOf(why: Stop, callMsMax: number): Ending {
  if (why === 'late') return failed(tooLate(callMsMax))
  return { type: 'stopped', signal: why === 'gone' ? 'stale' : why }
}

const unusable = () => new ProviderFailure('provider_error', 'The conversation cannot be sent to the model.')
const tooLate = (ms: number) =>
  new ProviderFailure('provider_error', `The model call timed out after ${Math.round(ms / 1_000)} s.`, {
    retryable: true,
  })

/** A failure as the last line. */
export const failed = ({ code, message, retryable, retryAfterMs }: ProviderFailure): Ending => ({
  type: 'error',
  error: { code, message, retryable, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) },
})

/** A stream that contains only its last line. */
export const endingAtOnce = (ending: Ending): ReadableStream<Uint8Array> =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(encoder.encode(line(ending)))
      controller.close()
    },
  })
