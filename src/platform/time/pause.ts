/** Waits. Pure, for server, runner and browser. */
import type { Clock } from './clock.ts'

/** Resolves after the time, or as soon as the signal is aborted; never rejects. */
export function pause(clock: Pick<Clock, 'after'>, ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const end = () => {
      timer.cancel()
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = clock.after(ms, end)
    signal?.addEventListener('abort', end)
  })
}
