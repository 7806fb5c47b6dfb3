/** Requests that wait for a run of any organization or of one, first come, first served. */
import type { Clock } from '../../../platform/time/clock.ts'

/** Whether a request takes runs of this organization now. */
export type TakesRunsOf = (organizationId: string) => boolean

interface Waiter {
  /** Omitted: it takes every run that its line offers. */
  takesRunsOf: TakesRunsOf | undefined
  resolve(runId: string | null): void
  end(): void
}

export class Waiters {
  /** Waiting requests by organization; null: runs of any non-exclusive organization. */
  readonly #lines = new Map<string | null, Waiter[]>()

  constructor(private readonly clock: Clock) {}

  /** Resolves with a run, or with null on timeout or abort. */
  wait(
    only: string | null,
    waitMs: number,
    { signal, takesRunsOf }: { signal?: AbortSignal; takesRunsOf?: TakesRunsOf },
  ): Promise<string | null> {
    return new Promise((resolve) => {
      const giveUp = () => {
        this.#remove(only, waiter)
        answer(waiter, null)
      }
      const timer = this.clock.after(waitMs, giveUp)
      signal?.addEventListener('abort', giveUp, { once: true })
      const waiter: Waiter = {
        takesRunsOf,
        resolve,
        end() {
          timer.cancel()
          signal?.removeEventListener('abort', giveUp)
        },
      }
      const line = this.#lines.get(only)
      if (line) line.push(waiter)
      else this.#lines.set(only, [waiter])
    })
  }

  /** Hands out runs to the waiting requests as long as `next` returns one that the request takes. */
  serve(only: string | null, next: (takesRunsOf: TakesRunsOf | undefined) => string | undefined) {
    const line = this.#lines.get(only)
    for (let index = 0; line && index < line.length; ) {
      const waiter = line[index] as Waiter
      const runId = next(waiter.takesRunsOf)
      if (runId !== undefined) {
        line.splice(index, 1)
        if (line.length === 0) this.#lines.delete(only)
        answer(waiter, runId)
      } else if (waiter.takesRunsOf) index += 1
      else return
    }
  }

  /** Ends all waiting requests. */
  close() {
    const waiters = [...this.#lines.values()].flat()
    this.#lines.clear()
    for (const waiter of waiters) answer(waiter, null)
  }

  #remove(only: string | null, waiter: Waiter) {
    const line = this.#lines.get(only)
    const index = line?.indexOf(waiter) ?? -1
    if (index < 0) return
    line?.splice(index, 1)
    if (line?.length === 0) this.#lines.delete(only)
  }
}

function answer(waiter: Waiter, runId: string | null) {
  waiter.end()
  waiter.resolve(runId)
}
