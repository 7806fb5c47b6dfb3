/**
 * A request that is refused for what it says hears first whether what its path names is there: 404 comes before 400, 413
 * and 422, also where a handler has found the fault. Only a refusal costs the look; a good request costs none.
 * Source: contract 0, "Order of checks", "Decided since".
 */
import type { Static, TObject } from '@sinclair/typebox'
import { ApiError } from '../answers/errors.ts'
import { toApiError } from '../answers/failure.ts'
import type { AttemptClaims, Caller, Identity } from './caller.ts'

/** What a finder gets of a request that a caller sent; `params` are read and valid. */
export interface Naming<Path extends TObject> {
  caller: Caller
  params: Static<Path>
}

/** The same of a request that anybody may send. */
export interface PublicNaming<Path extends TObject> {
  params: Static<Path>
}

/** The same of a request that a user sent for themselves, in whatever organizations. */
export interface IdentityNaming<Path extends TObject> {
  identity: Identity
  params: Static<Path>
}

/** The same of a report of a runner. */
export interface AttemptNaming<Path extends TObject> {
  attempt: AttemptClaims
  params: Static<Path>
}

/** Looks for what the path names, as the handler does. Throws `notFound`; what it returns does not matter. */
export type Find = (naming: never) => unknown

/** A request as far as the guard has read it. */
export interface Sought {
  find?: Find | undefined
  /** What the finder gets; undefined until the path is read. */
  naming?: unknown
}

const requestFaults = new Set([400, 413, 422])
/** A key that was used for something else says nothing about what this path names. */
const keyConflicts = new Set(['idempotency_key_reused', 'idempotency_in_progress'])

/** Whether the refusal may be told only of something that is there. */
export const comesAfterFinding = (thrown: unknown, { find, naming }: Sought): boolean => {
  if (!find || naming === undefined) return false
  const { status, code } = toApiError(thrown)
  return requestFaults.has(status) || keyConflicts.has(code)
}

/** What is told in the end: that there is no such thing, or what was thrown. */
export async function foundFirst(thrown: unknown, { find, naming }: Sought): Promise<unknown> {
  try {
    await find?.(naming as never)
    return thrown
  } catch (missing) {
    // a conflict with the state of something is told later than what is wrong with the request
    const isRequestOrState =
      missing instanceof ApiError && (missing.status === 409 || requestFaults.has(missing.status))
    return isRequestOrState ? thrown : missing
  }
}
