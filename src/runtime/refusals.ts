/** What those who tell actors something in the background make of a refusal. */
import { StoreUnavailable } from '../../storage/errors.ts'
import { ApiError } from '../platform/http/answers/errors.ts'

/** The actor is further on, or gone: what it was to be told was told before, or is of no interest any more. */
export const isOver = (error: unknown): boolean =>
  error instanceof ApiError && (error.code === 'invalid_transition' || error.code === 'not_found')

/** Nothing was stored, and nothing refused: it can be told again. */
export const isStoreAway = (error: unknown): boolean =>
  error instanceof StoreUnavailable || (error instanceof ApiError && error.code === 'store_unavailable')
