/** Classifies the errors of background commands. */
import { StaleWrite, StoreUnavailable } from '../../storage/errors.ts'
import { ApiError, concurrentChange, storeUnavailable } from '../platform/http/answers/errors.ts'

/** The actor has moved on or was deleted: the command is obsolete. */
export const isOver = (error: unknown): boolean =>
  error instanceof ApiError && (error.code === 'invalid_transition' || error.code === 'not_found')

/** A guard of the unit of work failed: something changed after it was read. */
export const isConcurrentChange = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.code === 'concurrent_change'

/** The store is unavailable: retry. */
export const isStoreAway = (error: unknown): boolean =>
  error instanceof StoreUnavailable || (error instanceof ApiError && error.code === 'store_unavailable')

/** The error for the sender of a command that could not be stored. */
export function explain(error: unknown) {
  if (error instanceof StaleWrite) return concurrentChange(error)
  return error instanceof StoreUnavailable ? storeUnavailable(error) : error
}
