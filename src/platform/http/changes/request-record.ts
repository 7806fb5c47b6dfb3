/**
 * What a request that changes something leaves besides its effect, to be committed together with it: the line in the
 * audit log, and the answer under the request's Idempotency-Key. Every command takes a `record`, calls it once with the
 * body that it will answer, and commits the statements in its own unit of work. A command that changes what was there
 * says what that was, as the API shows it, so that the audit log names the fields that really changed.
 */
import type { Write } from '../../../../storage/store.ts'

export type RequestRecord = (answer: unknown, before?: object) => Write[]

/** Of a request that changes nothing. */
export const recordNothing: RequestRecord = () => []
