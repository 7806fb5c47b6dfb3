/** Leases of calls, as workers receive them. */
import { digestOfText } from '../../platform/http/digest.ts'
import { timestamp } from '../../platform/http/timestamp.ts'
import { readStoredSpan } from '../../platform/tracing/own-span.ts'
import { tracePairs } from '../../platform/tracing/trace-context.ts'
import type { WorkerCallActor } from './actor.ts'
import type { WorkerLease } from './schema.ts'

/** A token that is shown once, and the event that stores its digest. */
export function newLease(worker: string, type: 'leased' | 'leasedAgain' = 'leased') {
  const token = Buffer.from(crypto.getRandomValues(new Uint8Array(24))).toString('base64url')
  return { token, event: { type, lease: digestOfText(token), worker } }
}

export type NewLease = ReturnType<typeof newLease>

/** A call that is leased with this token; `trace`: the span of the call, as stored. */
export function presentLease(
  { row, context }: WorkerCallActor,
  { input, trace }: { input: unknown; trace: string | null },
  token: string,
): WorkerLease {
  const span = readStoredSpan(trace)
  return {
    invocationId: row.id,
    operation: row.operation,
    input,
    attempt: context.attempts,
    idempotencyKey: row.id,
    expiresAt: timestamp(context.leaseEndsAt as number),
    token,
    ...(span && tracePairs(span.context)),
  }
}
