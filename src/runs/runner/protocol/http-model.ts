/**
 * Runs a model step through the server's gateway. A broken connection is reopened as long as the lease lasts: text that
 * the model repeats is skipped, and a model that answers differently fails. Source: contract 5.
 */

import type { Clock } from '../../../platform/time/clock.ts'
import { pause } from '../../../platform/time/pause.ts'
import { ProviderFailure, type ProviderFailureCode } from '../../providers/errors.ts'
import { aborted, type StepPart } from '../../providers/step.ts'
import { type Signal, StaleAttempt } from './protocol.ts'

/** A line of the gateway's stream. */
type Line =
  | StepPart
  | { type: 'error'; error: { code: ProviderFailureCode; message: string; retryable: boolean; retryAfterMs?: number } }
  | { type: 'stopped'; signal: Exclude<Signal, 'continue'> | 'stale' }

interface ModelCallOverHttp {
  /** Sends the request; resolves with a 200 answer or throws. */
  open(signal: AbortSignal): Promise<Response>
  signal: AbortSignal
  clock: Clock
  /** Called when the server wants the attempt to stop. */
  onStopped(signal: Exclude<Signal, 'continue'>): void
}

/** The server sends a line every five seconds; a connection silent for this long is broken. */
const silenceMsMax = 30_000
/** The maximum number of reconnections. */
const breaksMax = 10
const firstPauseMs = 100

/** Throws ProviderFailure, an AbortError after the signal is aborted, or StaleAttempt. */
export async function* streamOverHttp(call: ModelCallOverHttp): AsyncGenerator<StepPart, void, undefined> {
  const passedOn = new PassedOnText()
  for (let breaks = 0; ; breaks++) {
    if (call.signal.aborted) throw aborted()
    if (breaks > breaksMax) throw broken()
    if (breaks > 0) await pause(call.clock, Math.min(firstPauseMs * 2 ** breaks, 5_000), call.signal)
    const hangUp = new AbortController()
    try {
      passedOn.again()
      for await (const line of linesOf(await call.open(AbortSignal.any([call.signal, hangUp.signal])))) {
        if (line.type === 'error') throw failureOf(line.error)
        if (line.type === 'stopped') {
          if (line.signal === 'stale') throw new StaleAttempt('The attempt has ended or was replaced.')
          call.onStopped(line.signal)
          throw aborted()
        }
        const news = passedOn.newsOf(line)
        if (news) yield news
        if (line.type === 'finish') return
      }
    } catch (error) {
      if (call.signal.aborted) throw aborted()
      if (!(error instanceof Broken)) throw error
    } finally {
      hangUp.abort()
    }
  }
}

/** The connection ended before the call. */
class Broken extends Error {}

async function* linesOf({ body }: Response): AsyncGenerator<Line, void, undefined> {
  const reader = (body ?? new ReadableStream<Uint8Array>()).getReader()
  const decoder = new TextDecoder()
  let rest = ''
  for (;;) {
    const { done, value } = await unlessSilent(reader.read())
    if (done) throw new Broken()
    rest += decoder.decode(value, { stream: true })
    const lines = rest.split('\n')
    rest = lines.pop() as string
    for (const text of lines) if (text !== '') yield parsed(text)
  }
}

function parsed(text: string): Line {
  try {
    return JSON.parse(text) as Line
  } catch {
    // a proxy has altered the stream
    throw new Broken()
  }
}

async function unlessSilent<Result>(work: Promise<Result>): Promise<Result> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Broken()), silenceMsMax)
  try {
    return await Promise.race([work.catch(() => Promise.reject(new Broken())), late])
  } finally {
    clearTimeout(timer)
  }
}

/** The text already passed on, by kind, and the position of a repeating model in it. */
class PassedOnText {
  readonly #texts = new Map<string, string>()
  readonly #again = new Map<string, number>()

  /** The model restarts its answer. */
  again() {
    this.#again.clear()
  }

  /** The new text of a part; undefined if there is none. Throws if the model's answer differs from before. */
  newsOf(part: StepPart): StepPart | undefined {
    if (part.type === 'toolCall' || part.type === 'finish') return part
    const sort = part.type === 'toolInput' ? `toolInput ${part.toolCallId}` : part.type
    const passedOn = this.#texts.get(sort) ?? ''
    const at = this.#again.get(sort) ?? 0
    const known = passedOn.slice(at, at + part.text.length)
    if (!part.text.startsWith(known)) throw broken()
    this.#again.set(sort, at + part.text.length)
    const text = part.text.slice(known.length)
    if (text === '') return undefined
    this.#texts.set(sort, passedOn + text)
    return { ...part, text }
  }
}

const failureOf = ({ code, message, retryable, retryAfterMs }: Extract<Line, { type: 'error' }>['error']) =>
  new ProviderFailure(code, message, { retryable, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) })

const broken = () =>
  new ProviderFailure('provider_error', 'The connection to the model was lost during its answer.', {
    retryable: true,
  })
