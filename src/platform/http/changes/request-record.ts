/**
 * The statements that a changing request commits besides its effect: the audit line, and the answer under its
 * Idempotency-Key. Every command takes a `record`, calls it once with the body of its answer, and commits the statements in
 * its own unit of work. A command that changes an existing resource also passes it as the API showed it before, so that
 * the audit line names the fields that really changed.
 */
import type { Write } from '../../../../storage/store.ts'

export type RequestRecord = (answer: unknown, before?: object) => Write[]

/** For requests that change nothing. */
export const recordNothing: RequestRecord = () => []
