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
   * Calls `log` unless it did so for the same failure within the last minute; the field says how often that has repeated
   * since. `what`: the work that failed, if the same failure of another is worth a line of its own.
   */
  tell(error: unknown, log: (repeated: { repeated?: number }) => void, what = ''): void {
    const repeated = this.due(error, what)
    if (repeated) log(repeated)
  }

  /** The field for the line that the caller logs now, as for `tell`; undefined if it is not due. */
  due(error: unknown, what = ''): { repeated?: number } | undefined {
    const key = `${what}\n${error instanceof Error ? error.message : String(error)}`
    const now = this.clock.now()
    const said = this.#said.get(key)
    // the clock may have been set back
    if (said && Math.abs(now - said.at) < minuteMs) {
      said.count += 1
      return undefined
    }
    this.#said.set(key, { at: now, count: 0 })
    return said && said.count > 0 ? { repeated: said.count } : {}
  }
}

/** Logs failures of background work, each at once, and its repetitions once a minute with their number. */
export function backgroundLog(logger: Pick<Logger, 'error'>, clock: Pick<Clock, 'now'>) {
  const repeats = new Repeats(clock)
  return (error: unknown, what: string): void =>
    repeats.tell(
      error,
      (repeated) => logger.error({ err: error, what, ...repeated }, 'something failed in the background'),
      what,
    )
}
