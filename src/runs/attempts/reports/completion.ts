/** Validates a final report beyond its schema. Source: contract 5, "`complete`". */
import { type Issue, invalid } from '../../../platform/http/answers/errors.ts'
import type { CompletionReport } from '../../runner/protocol/protocol.ts'
import type { CompleteBody } from '../schema.ts'

/** Checks the fields that each outcome requires. Throws 422. */
export function completion({ outcome, stopReason, output, error, awaiting }: CompleteBody): CompletionReport {
  const missing = (path: string) =>
    invalid([{ path: `/body/${path}`, message: `Required if the outcome is ${outcome}.` }])
  switch (outcome) {
    case 'completed':
      if (!stopReason) throw missing('stopReason')
      return { outcome, stopReason, output: output ?? null }
    case 'failed':
      if (!error) throw missing('error')
      return { outcome, error }
    case 'canceled':
      return { outcome }
    default:
      if (!awaiting) throw missing('awaiting')
      assertAnswerable(awaiting, outcome === 'awaitingToolResult' ? 'tool' : 'delegate')
      return { outcome, awaiting }
  }
}

/** A run cannot wait for a call of another kind, or twice for the same call. */
function assertAnswerable(awaiting: NonNullable<CompleteBody['awaiting']>, kind: 'tool' | 'delegate') {
  const issues: Issue[] = []
  const seen = new Set<string>()
  for (const [index, pending] of awaiting.entries()) {
    const path = `/body/awaiting/${index}`
    if (pending.kind !== kind) issues.push({ path: `${path}/kind`, message: `Must be ${kind} for this outcome.` })
    if (seen.has(pending.toolCallId)) issues.push({ path: `${path}/toolCallId`, message: 'Duplicate toolCallId.' })
    seen.add(pending.toolCallId)
  }
  if (issues.length > 0) throw invalid(issues.slice(0, 20))
}
