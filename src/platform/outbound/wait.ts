/** Time limits for network operations. */

/** The abort reason of a timeout. */
export const expired = new Error('the time is over')

/** The promise's result, or a rejection with the signal's reason once aborted. */
export function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const end = () => reject(signal.reason)
    if (signal.aborted) end()
    signal.addEventListener('abort', end, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', end))
  })
}

/** A signal that aborts with `expired` after the time, or with the outer signal's reason; `stop` releases both. */
export function within(ms: number, outer?: AbortSignal): { signal: AbortSignal; stop: () => void } {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(expired), ms)
  const pass = () => controller.abort(outer?.reason)
  if (outer?.aborted) pass()
  outer?.addEventListener('abort', pass, { once: true })
  const stop = () => {
    clearTimeout(timer)
    outer?.removeEventListener('abort', pass)
  }
  return { signal: controller.signal, stop }
}
