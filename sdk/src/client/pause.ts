/** Waiting, and the length of waits. */

/** Resolves after the time; rejects with the signal's reason if the signal fires first. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const abort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', abort, { once: true })
  })
}

/** The same promise for one of several callers: rejects with the reason of its signal if that fires first. */
export function unlessAborted<Value>(value: Promise<Value>, signal?: AbortSignal): Promise<Value> {
  if (!signal) return value
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    value.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

const longestMs = 30_000

/**
 * A random part of at least half of the back-off: 0.5 s doubling to 30 s, so that clients that failed together do not
 * retry together.
 */
export function backOffMs(failures: number): number {
  const whole = Math.min(500 * 2 ** (failures - 1), longestMs)
  return whole / 2 + Math.random() * (whole / 2)
}
