/**
 * What a request that changes something leaves besides its effect, to be committed together with it: the line in the
 * audit log, and the answer under the request's Idempotency-Key. Every command takes a `keep`, calls it once with the
 * body that it will answer, and commits the statements in its own unit of work.
 */
import type { Write } from '../../storage/store.ts'

export type Keep = (answer: unknown) => Write[]

/** Of a request that changes nothing. */
export const keepNothing: Keep = () => []
