/** Requests for work: who makes them, and those that wait. Source: contract 5, "Runner protocol". */
import { firstPoolId } from '../../../../storage/runs/first-runner-pool.ts'
import { ApiError } from '../../../platform/http/answers/errors.ts'
import type { LeasingRunner, RunnerRegistration } from '../../../platform/http/guard/caller.ts'

/** The server's own runner: it belongs to the first pool, and has come with no token. */
export const ownRunner: RunnerRegistration = {
  poolId: firstPoolId,
  organizationId: null,
  tokenId: null,
  endsAt: Number.POSITIVE_INFINITY,
}

/** The name that the slots of a machine are held under. The machines of one pool do not get in the way of another's. */
export const machineOf = ({ poolId, tokenId }: LeasingRunner, machineId: string): string =>
  tokenId === null ? machineId : `${poolId}/${machineId}`

/** Requests for work that may wait at once, of one pool. */
const waitingMax = 1_000

interface Waiting {
  runner: RunnerRegistration
  ended: AbortController
}

/** The requests that wait, so that those of a token end when the token changes. */
export class WaitingClaims {
  readonly #waiting = new Set<Waiting>()
  readonly #byPool = new Map<string, number>()

  /**
   * Does something that waits, with a signal that fires when the request has gone or its token has changed. Throws 429 when
   * too many runners of the pool wait already.
   */
  async during<Result>(
    runner: RunnerRegistration,
    request: AbortSignal,
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const count = this.#byPool.get(runner.poolId) ?? 0
    if (count >= waitingMax) {
      throw new ApiError(429, 'rate_limited', `At most ${waitingMax} runners of a pool may wait at once.`, {
        retryAfterSeconds: 5,
      })
    }
    const waiting: Waiting = { runner, ended: new AbortController() }
    this.#waiting.add(waiting)
    this.#byPool.set(runner.poolId, count + 1)
    try {
      return await work(AbortSignal.any([request, waiting.ended.signal]))
    } finally {
      this.#waiting.delete(waiting)
      const left = (this.#byPool.get(runner.poolId) ?? 1) - 1
      if (left > 0) this.#byPool.set(runner.poolId, left)
      else this.#byPool.delete(runner.poolId)
    }
  }

  /** Ends the requests of some runners. */
  end(isMeant: (runner: RunnerRegistration) => boolean): void {
    for (const { runner, ended } of this.#waiting) if (isMeant(runner)) ended.abort()
  }

  get size() {
    return this.#waiting.size
  }
}
