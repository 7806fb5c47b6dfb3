/** Whether an attempt is to stop, and why. Source: contract 5, "Cancel while `running`", and 9, "SIGTERM". */

/**
 * - `cancel`: wind down, keep what was said, report `canceled`.
 * - `drain`: hand the attempt back; it goes on elsewhere from its latest checkpoint.
 * - `broken`: a report could not be delivered, so that going on is pointless.
 * - `lost`: the attempt has ended or was replaced; not a word more.
 */
export type InterruptionReason = 'cancel' | 'drain' | 'broken' | 'lost'

const weight: Record<InterruptionReason, number> = { cancel: 1, drain: 1, broken: 2, lost: 3 }

export class Interruption {
  #reason: InterruptionReason | null = null
  readonly #any = new AbortController()
  #loss: AbortController | undefined

  get reason(): InterruptionReason | null {
    return this.#reason
  }

  /** Whether nothing more of the attempt will count. */
  get isFatal(): boolean {
    return this.#reason === 'broken' || this.#reason === 'lost'
  }

  /** Fires on any reason. */
  get signal(): AbortSignal {
    return this.#any.signal
  }

  /** Fires only when the attempt is lost: for what must not be aborted otherwise. */
  get lossSignal(): AbortSignal {
    this.#loss ??= new AbortController()
    if (this.#reason === 'lost') this.#loss.abort()
    return this.#loss.signal
  }

  /** The first reason stays, unless a graver one comes. */
  request(reason: InterruptionReason): void {
    if (this.#reason && weight[reason] <= weight[this.#reason]) return
    this.#reason = reason
    this.#any.abort()
    if (reason === 'lost') this.#loss?.abort()
  }
}

export const interrupted = Symbol('interrupted')

/** What the work results in, or `interrupted` as soon as the signal fires; then nobody looks at the work any more. */
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
