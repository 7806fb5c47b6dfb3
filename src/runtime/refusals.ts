/** Classifies the errors of background commands. */
import { StoreUnavailable } from '../../storage/errors.ts'
import { ApiError } from '../platform/http/answers/errors.ts'

/** The actor has moved on or was deleted: the command is obsolete. */
export const isOver = (error: unknown): boolean =>
  error instanceof ApiError && (error.code === 'invalid_transition' || error.code === 'not_found')

/** The store is unavailable: retry. */
export const isStoreAway = (error: unknown): boolean =>
  error instanceof StoreUnavailable || (error instanceof ApiError && error.code === 'store_unavailable')
