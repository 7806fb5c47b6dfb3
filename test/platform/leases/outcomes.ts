/** How tests wait for what a call comes to. One that never gets there runs into the test's time limit. */
import { LeasesUnavailable } from '../../../src/platform/leases/leases.ts'

/** The error that a call was refused with. */
export const refusal = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'not refused',
    (error) => error,
  )

/** What a call answers once leases are available again. */
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

/** What a call answers once it isn't null. */
export async function eventually<T>(call: () => Promise<T | null>): Promise<T> {
  for (;;) {
    const found = await call()
    if (found !== null) return found
    await Bun.sleep(10)
  }
}
