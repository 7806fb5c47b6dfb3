/** The body of a report of streamed text, checked beyond its shape. Source: contract 5, "`step.delta`". */
import type { Static } from '@sinclair/typebox'
import { type Issue, invalid } from '../../../platform/http/answers/errors.ts'
import type { StepDelta } from '../../runner/protocol/protocol.ts'
import type { EventsBody } from '../schema.ts'

const callFields = ['toolCallId', 'toolName'] as const

/** Input of a tool says of which call it is, and nothing else does. Throws 422. */
export function deltasOf({ events }: Static<typeof EventsBody>): StepDelta[] {
  const issues: Issue[] = []
  for (const [index, { data }] of events.entries()) {
    for (const field of callFields) {
      const path = `/body/events/${index}/data/${field}`
      if (data.kind === 'toolInput' && data[field] === undefined) {
        issues.push({ path, message: 'Required with the kind toolInput.' })
      } else if (data.kind !== 'toolInput' && data[field] !== undefined) {
        issues.push({ path, message: `Not allowed with the kind ${data.kind}.` })
      }
    }
  }
  if (issues.length > 0) throw invalid(issues.slice(0, 20))
  return events as StepDelta[]
}
