/** Waiting between two looks at the server, and longer after each look that failed. */

const backOffMsMax = 15_000

/** How long to wait after so many failures in a row: twice as long each time, within bounds. */
export const backOffMs = (firstMs: number, failures: number): number => Math.min(firstMs * 2 ** failures, backOffMsMax)

/** Waits; less long when the browser finds its network again, not at all when it is over. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  const { promise, resolve } = Promise.withResolvers<void>()
  // nothing listens on once the waiting is over: a page may be open for days
  const waited = new AbortController()
  const once = { once: true, signal: waited.signal }
  const timer = setTimeout(resolve, milliseconds)
  signal.addEventListener('abort', () => resolve(), once)
  globalThis.addEventListener?.('online', () => resolve(), once)
  await promise
  clearTimeout(timer)
  waited.abort()
}

/** Waits while the page is hidden. */
export async function untilSeen(signal: AbortSignal): Promise<void> {
  if (signal.aborted || typeof document === 'undefined' || document.visibilityState === 'visible') return
  const { promise, resolve } = Promise.withResolvers<void>()
  const waited = new AbortController()
  const seen = () => document.visibilityState === 'visible' && resolve()
  document.addEventListener('visibilitychange', seen, { signal: waited.signal })
  signal.addEventListener('abort', () => resolve(), { signal: waited.signal })
  await promise
  waited.abort()
}
