/** Waiting, and how long. */

/** Resolves after the time; rejects with the signal's reason when that comes first. */
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

const longestMs = 30_000

/** From half of the whole up: 0.5 s doubling to 30 s, so that clients that failed together do not come back together. */
export function backOffMs(failures: number): number {
  const whole = Math.min(500 * 2 ** (failures - 1), longestMs)
  return whole / 2 + Math.random() * (whole / 2)
}
