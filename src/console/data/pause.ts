/** Delays between requests, with exponential back-off. */

const backOffMsMax = 15_000

/** Doubles with each consecutive failure, up to 15 s. */
export const backOffMs = (firstMs: number, failures: number): number => Math.min(firstMs * 2 ** failures, backOffMsMax)

/** Waits; ends early when the browser comes online or the signal aborts. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  const { promise, resolve } = Promise.withResolvers<void>()
  // remove listeners: a page may stay open for days
  const waited = new AbortController()
  const once = { once: true, signal: waited.signal }
  const timer = setTimeout(resolve, milliseconds)
  signal.addEventListener('abort', () => resolve(), once)
  globalThis.addEventListener?.('online', () => resolve(), once)
  await promise
  clearTimeout(timer)
  waited.abort()
}

/** Waits until the page is visible. */
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
