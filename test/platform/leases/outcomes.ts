/** Helpers that wait for the outcome of calls. One that never comes runs into the test's timeout. */
import { LeasesUnavailable } from '../../../src/platform/leases/leases.ts'

/** The error of a refused call. */
export const refusal = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'not refused',
    (error) => error,
  )

/** The answer of a call once leases are available again. */
export async function recovered<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof LeasesUnavailable)) throw error
      await Bun.sleep(10)
    }
  }
}

/** The answer of a call once it isn't null. */
export async function eventually<T>(call: () => Promise<T | null>): Promise<T> {
  for (;;) {
    const found = await call()
    if (found !== null) return found
    await Bun.sleep(10)
  }
}
