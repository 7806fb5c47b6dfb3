/** Lease requests: the requesting runner, and the requests that wait. Source: contract 5, "Runner protocol". */
import { firstPoolId } from '../../../../storage/runs/first-runner-pool.ts'
import { ApiError } from '../../../platform/http/answers/errors.ts'
import type { LeasingRunner, RunnerRegistration } from '../../../platform/http/guard/caller.ts'

/** The embedded runner, which belongs to the first pool and has no token. */
export const ownRunner: RunnerRegistration = {
  poolId: firstPoolId,
  organizationId: null,
  tokenId: null,
  endsAt: Number.POSITIVE_INFINITY,
}

/** The name under which a machine's slots are leased, unique per pool. */
export const machineOf = ({ poolId, tokenId }: LeasingRunner, machineId: string): string =>
  tokenId === null ? machineId : `${poolId}/${machineId}`

const slotKeys = new Map<string, string[]>()

/** The keys of a machine's slots. */
export function slotKeysOf(machine: string, slots: number): string[] {
  const known = slotKeys.get(machine)
  if (known?.length === slots) return known
  const keys = Array.from({ length: slots }, (_, index) => `${machine}#${index + 1}`)
  if (slotKeys.size > 1_000) slotKeys.clear()
  slotKeys.set(machine, keys)
  return keys
}

/** The maximum number of waiting requests per pool. */
const waitingMax = 1_000

interface Waiting {
  runner: RunnerRegistration
  ended: AbortController
}

/** Waiting requests, which end when their token changes. */
export class WaitingClaims {
  readonly #waiting = new Set<Waiting>()
  readonly #byPool = new Map<string, number>()

  /**
   * Runs `work` with a signal that is aborted when the request ends or its token changes. Throws 429 if too many
   * runners of the pool already wait.
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

  /** Ends the requests of matching runners. */
  end(isMeant: (runner: RunnerRegistration) => boolean): void {
    for (const { runner, ended } of this.#waiting) if (isMeant(runner)) ended.abort()
  }

  get size() {
    return this.#waiting.size
  }
}
