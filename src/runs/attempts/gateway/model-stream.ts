/**
 * One call of a model as it goes to a runner elsewhere: a line of JSON for each part, and one that says how it ended. It
 * reads from the vendor no faster than the runner reads, and ends whatever the runner does. Source: contract 5.
 */

import type { Clock } from '../../../platform/time/clock.ts'
import { ProviderFailure } from '../../providers/errors.ts'
import { estimatedUsage } from '../../providers/estimate.ts'
import type { StepFinish, StepPart, StepRequest, StepUsage } from '../../providers/step.ts'

/** Why a call ends that its vendor has not ended. */
export type Stop = 'cancel' | 'drain' | 'stale' | 'gone' | 'late'

/** The last line of a call that did not finish. */
type Ending =
  | { type: 'error'; error: { code: string; message: string; retryable: boolean; retryAfterMs?: number } }
  | { type: 'stopped'; signal: 'cancel' | 'drain' | 'stale' }

export interface ModelStreamParts {
  clock: Clock
  /** Everything but the signal. */
  request: Omit<StepRequest, 'signal'>
  streamStep(request: StepRequest): AsyncIterable<StepPart>
  /** For the whole call. */
  callMsMax: number
  /** Told now and then that the call gets on. */
  onProgress(): void
  /** Records what the call has used, before its last line goes out; null: nothing. Never rejects. */
  onEnd(usage: StepUsage | null): Promise<void>
  onError(error: unknown): void
}

const chunkCharactersMax = 16_384
/** While the vendor is silent, an empty line says so often that the call is alive. */
const keepAliveMs = 5_000

const encoder = new TextEncoder()
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))
const line = (value: unknown) => `${JSON.stringify(value)}\n`

export class ModelStream {
  readonly #abort = new AbortController()
  readonly #request: StepRequest
  readonly #timer: { cancel(): void }
  /** Lines that are to be sent. The first one is empty: it tells the runner at once that the call has begun. */
  #text = '\n'
  /** A delta that the next one may go on from. */
  #held: Exclude<StepPart, { type: 'toolCall' | 'finish' }> | undefined
  /** Whether the last line is among them. */
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

  /** What the runner reads. The vendor is called now. */
  open(): ReadableStream<Uint8Array> {
    void this.#read()
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          if (this.#isEmpty && !this.#ended) await this.#news()
          // what comes in the same go is sent together
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
      // nothing is read ahead of what the connection takes
      { highWaterMark: 0 },
    )
  }

  /** Aborts the vendor's call, unless it has ended. Resolves once what it has used is recorded. */
  stop(why: Stop): Promise<void> {
    return this.#close(endingOf(why, this.parts.callMsMax))
  }

  /** Reads the vendor's answer to its end, but not far ahead of the runner. */
  async #read(): Promise<void> {
    try {
      for await (const part of this.parts.streamStep(this.#request)) {
        if (this.#closing) return
        this.#count(part)
        if (part.type === 'finish') return await this.#close(part)
        this.#take(part)
        if (this.#text.length + (this.#held?.text.length ?? 0) >= chunkCharactersMax) await this.#room()
      }
      const message = 'The model ended without finishing its answer.'
      await this.#close(failed(new ProviderFailure('invalid_model_output', message, { retryable: true })))
    } catch (error) {
      if (!(error instanceof ProviderFailure) && !this.#closing) this.parts.onError(error)
      const failure = error instanceof ProviderFailure ? error : unusable()
      await this.#close(failed(failure))
    }
  }

  /** Waits until the runner has read what there is; everybody else has a turn in between. */
  async #room(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#onRoom = resolve
    this.#onNews?.()
    await promise
    await nextTurn()
  }

  /** Waits until there is something to send, but not for long. */
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

  /** Takes up a part; deltas that go on from each other become one. */
  #take(part: Exclude<StepPart, { type: 'finish' }>) {
    const held = this.#held
    const goesOn =
      held?.type === part.type && (held.type !== 'toolInput' || held.toolCallId === (part as typeof held).toolCallId)
    if (held && goesOn) {
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

  /** Ends everything, once: what the call has used is recorded before its last line goes out. */
  #close(last: Ending | StepFinish): Promise<void> {
    this.#closing ??= (async () => {
      this.#timer.cancel()
      // a vendor that does not heed it is not waited for
      this.#abort.abort()
      this.#onRoom?.()
      const usage = this.#usage ?? (this.#streamed === '' ? null : estimatedUsage(this.#request, this.#streamed))
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

const unusable = () => new ProviderFailure('provider_error', 'The conversation cannot be put to the model.')
const tooLate = (ms: number) =>
  new ProviderFailure('provider_error', `The call of the model took longer than ${Math.round(ms / 1_000)} s.`, {
    retryable: true,
  })

/** A failure on the wire. */
export const failed = ({ code, message, retryable, retryAfterMs }: ProviderFailure): Ending => ({
  type: 'error',
  error: { code, message, retryable, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) },
})

/** A call that ends before it has begun. */
export const endingAtOnce = (ending: Ending): ReadableStream<Uint8Array> =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(encoder.encode(line(ending)))
      controller.close()
    },
  })
