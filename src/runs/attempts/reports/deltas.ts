/** Validates a report of streamed text beyond its schema. Source: contract 5, "`step.delta`". */
import type { Static } from '@sinclair/typebox'
import { type Issue, invalid } from '../../../platform/http/answers/errors.ts'
import type { StepDelta } from '../../runner/protocol/protocol.ts'
import type { EventsBody } from '../schema.ts'

const callFields = ['toolCallId', 'toolName'] as const

/** Only deltas of kind toolInput name a call. Throws 422. */
export function deltasOf({ events }: Static<typeof EventsBody>): StepDelta[] {
  const issues: Issue[] = []
  for (const [index, { data }] of events.entries()) {
    for (const field of callFields) {
      const path = `/body/events/${index}/data/${field}`
      if (data.kind === 'toolInput' && data[field] === undefined) {
        issues.push({ path, message: 'Required if the kind is toolInput.' })
      } else if (data.kind !== 'toolInput' && data[field] !== undefined) {
        issues.push({ path, message: `Not allowed if the kind is ${data.kind}.` })
      }
    }
  }
  if (issues.length > 0) throw invalid(issues.slice(0, 20))
  return events as StepDelta[]
}
