/** Attempts of a delivery that have ended. */
import type { AttemptErrorClass, DeliveryContext } from '../../../machines/delivery.ts'

/** A stored attempt. Source: contract 7, `Attempt`. */
export interface KeptAttempt {
  number: number
  status: number | null
  errorClass: AttemptErrorClass | null
  durationMs: number
  /** The start, epoch milliseconds. */
  at: number
  /** The first KiB of the response, if it is captured. */
  response?: string
}

/** An attempt that a change has ended. */
export interface EndedAttempt extends KeptAttempt {
  /** The number of its claim; attempts are counted from 1 again after a retry. */
  claim: DeliveryContext['claims']
}
