/**
 * A refused request first finds out whether the resource in its path exists: 404 comes before 400, 413 and 422, also when
 * the handler found the fault. Valid requests skip this look-up. Source: contract 0, "Order of checks", "Decided since".
 */
import type { Static, TObject } from '@sinclair/typebox'
import { ApiError } from '../answers/errors.ts'
import { toApiError } from '../answers/failure.ts'
import type { AttemptClaims, Caller, Identity } from './caller.ts'

/** What a finder gets for a caller's request; `params` are valid. */
export interface Naming<Path extends TObject> {
  caller: Caller
  params: Static<Path>
}

/** The same for a public request. */
export interface PublicNaming<Path extends TObject> {
  params: Static<Path>
}

/** The same for a user's request outside organizations. */
export interface IdentityNaming<Path extends TObject> {
  identity: Identity
  params: Static<Path>
}

/** The same for a runner's report. */
export interface AttemptNaming<Path extends TObject> {
  attempt: AttemptClaims
  params: Static<Path>
}

/** Looks up the resource in the path, as the handler does. Throws `notFound`; its result is ignored. */
export type Find = (naming: never) => unknown

/** A request as far as the guard has read it. */
export interface Sought {
  find?: Find | undefined
  /** The finder's argument; undefined until the path is read. */
  naming?: unknown
}

const requestFaults = new Set([400, 413, 422])
/** A key that was used for another request says nothing about this path. */
const keyConflicts = new Set(['idempotency_key_reused', 'idempotency_in_progress'])

/** Whether the refusal requires that the resource exists. */
export const comesAfterFinding = (thrown: unknown, { find, naming }: Sought): boolean => {
  if (!find || naming === undefined) return false
  const { status, code } = toApiError(thrown)
  return requestFaults.has(status) || keyConflicts.has(code)
}

/** The error to answer: `notFound`, or the one that was thrown. */
export async function foundFirst(thrown: unknown, { find, naming }: Sought): Promise<unknown> {
  try {
    await find?.(naming as never)
    return thrown
  } catch (missing) {
    // a conflict with the state of a resource is reported after faults of the request
    const isRequestOrState =
      missing instanceof ApiError && (missing.status === 409 || requestFaults.has(missing.status))
    return isRequestOrState ? thrown : missing
  }
}
