/**
 * Failures that repeat, for a log: an outage fails a dozen pieces of work each second, and the same line each time
 * would only hide the others.
 */
import { RecentlyUsed } from './cache.ts'
import type { Logger } from './operating/logger.ts'
import type { Clock } from './time/clock.ts'
import { minuteMs } from './time/durations.ts'

/** Different failures that are remembered. */
const failuresMax = 1_000

interface Said {
  at: number
  /** How often it has repeated since. */
  count: number
}

export class Repeats {
  readonly #said = new RecentlyUsed<Said>(failuresMax)

  constructor(private readonly clock: Pick<Clock, 'now'>) {}

  /**
   * How often this failure has repeated since it was last logged; undefined if it is not to be logged now, because it
   * was within the last minute.
   */
  before(what: string, error: unknown): number | undefined {
    const key = `${what}\n${error instanceof Error ? error.message : String(error)}`
    const now = this.clock.now()
    const said = this.#said.get(key)
    // the clock may have been set back
    if (said && Math.abs(now - said.at) < minuteMs) {
      said.count += 1
      return undefined
    }
    this.#said.set(key, { at: now, count: 0 })
    return said?.count ?? 0
  }
}

/** Logs failures of background work, each at once, and its repetitions once a minute with their number. */
export function backgroundLog(logger: Pick<Logger, 'error'>, clock: Pick<Clock, 'now'>) {
  const repeats = new Repeats(clock)
  return (error: unknown, what: string): void => {
    const repeated = repeats.before(what, error)
    if (repeated === undefined) return
    logger.error({ err: error, what, ...(repeated > 0 && { repeated }) }, 'something failed in the background')
  }
}
