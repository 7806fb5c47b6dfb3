/** Resources that a body names: a 404 says which field names it. Foreign and missing ones get the same answer. */
import { ApiError } from './errors.ts'

/** `noSuch('Release', '/body/releaseId')`. */
export const noSuch = (what: string, at: string) =>
  new ApiError(404, 'not_found', `There is no such ${what}, or the credential does not reach it.`, { at })

/** The value. Throws `noSuch` if it is null or undefined. */
export function orNoSuch<Found>(found: Found, what: string, at: string): NonNullable<Found> {
  if (!found) throw noSuch(what, at)
  return found
}

/** Waits for the look-up of a resource that the body names; its bare `notFound` becomes `noSuch`. */
export async function referredTo<Found>(looking: Promise<Found>, what: string, at: string): Promise<Found> {
  try {
    return await looking
  } catch (error) {
    if (error instanceof ApiError && error.code === 'not_found' && error.details === undefined) {
      throw noSuch(what, at)
    }
    throw error
  }
}
