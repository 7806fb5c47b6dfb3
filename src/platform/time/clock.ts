/** Time, passed in, so that tests can move it by hand. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number
  /** Calls back once, not before `delayMs` have passed. */
  after(delayMs: number, callback: () => void): { cancel(): void }
}

/** The longest delay that a platform timer takes; whoever waits longer looks again. */
const delayMax = 2 ** 31 - 1

export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, Math.min(Math.max(0, delayMs), delayMax))
    return { cancel: () => clearTimeout(timer) }
  },
}
