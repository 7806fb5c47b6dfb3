/** Whether an attempt must stop, and why. Source: contract 5, "Cancel while `running`", and 9, "SIGTERM". */

/**
 * - `cancel`: stop, keep the partial text, report `canceled`.
 * - `drain`: hand the attempt back; another runner resumes it from its latest checkpoint.
 * - `broken`: a report failed, so that continuing is pointless.
 * - `lost`: the attempt has ended or was replaced; send nothing more.
 */
type InterruptionReason = 'cancel' | 'drain' | 'broken' | 'lost'

const weight: Record<InterruptionReason, number> = { cancel: 1, drain: 1, broken: 2, lost: 3 }

export class Interruption {
  #reason: InterruptionReason | null = null
  readonly #any = new AbortController()
  #loss: AbortController | undefined

  get reason(): InterruptionReason | null {
    return this.#reason
  }

  /** Whether further reports of the attempt are pointless. */
  get isFatal(): boolean {
    return this.#reason === 'broken' || this.#reason === 'lost'
  }

  /** Aborted for any reason. */
  get signal(): AbortSignal {
    return this.#any.signal
  }

  /** Aborted only when the attempt is lost, for calls that must otherwise finish. */
  get lossSignal(): AbortSignal {
    this.#loss ??= new AbortController()
    if (this.#reason === 'lost') this.#loss.abort()
    return this.#loss.signal
  }

  /** Keeps the first reason, unless a more severe one follows. */
  request(reason: InterruptionReason): void {
    if (this.#reason && weight[reason] <= weight[this.#reason]) return
    this.#reason = reason
    this.#any.abort()
    if (reason === 'lost') this.#loss?.abort()
  }
}

export const interrupted = Symbol('interrupted')

/** The result of `work`, or `interrupted` once the signal is aborted; the work's result is then ignored. */
export function orInterrupted<Result>(
  work: Promise<Result>,
  signal: AbortSignal,
): Promise<Result | typeof interrupted> {
  if (signal.aborted) {
    work.catch(() => {})
    return Promise.resolve(interrupted)
  }
  return new Promise((resolve, reject) => {
    const stop = () => resolve(interrupted)
    signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
