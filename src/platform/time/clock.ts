/** Time as a dependency, so that tests can control it. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number
  /** Calls back once, after at least `delayMs`. */
  after(delayMs: number, callback: () => void): { cancel(): void }
}

/** The longest delay of a platform timer; longer waits use several. */
const delayMax = 2 ** 31 - 1

export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, Math.min(Math.max(0, delayMs), delayMax))
    return { cancel: () => clearTimeout(timer) }
  },
}
