/** What the steps of a workflow do, and what each depends on. Pure. */
import { fieldsWithValues, type WorkflowStep } from '../../../authoring/definitions/source.ts'
import { durationText } from '../../ui/time.tsx'

const used = /\{\{\s*steps\.([a-zA-Z0-9_-]+)\./g

/** A declared time, which is often a round one: `24 h`, `1 min 30 s`. */
const spanText = (milliseconds: number) => durationText(milliseconds).replace(/ 0 (?:h|min|s)$|\.0(?= s$)/, '')

/** What a step does, in few words: its operation, `workflow refund-order`, `sleep 2 h`, `wait for payment.received`. */
export function doingOf({ operation, workflow, sleep = 0, waitFor }: WorkflowStep): string {
  if (operation !== undefined) return operation
  if (workflow !== undefined) return `workflow ${workflow}`
  return waitFor ? `wait for ${waitFor.event}` : `sleep ${spanText(sleep)}`
}

/** How it does that: `for each of {{params.customers}}, 5 at once`, `for {{params.order}}, at most 7 d`. */
export function manner({ forEach, concurrency = 10, waitFor }: WorkflowStep): string | undefined {
  if (forEach !== undefined) return `for each of ${forEach}, ${concurrency} at once`
  return waitFor && `for ${waitFor.correlation}, at most ${spanText(waitFor.timeoutMs)}`
}

/** Dependencies of a step: those declared, and the steps whose output it uses. */
export function waitsFor({ after = [], ...step }: WorkflowStep): string[] {
  const texts = JSON.stringify(fieldsWithValues.map((field) => step[field] ?? null))
  return [...new Set([...after, ...[...texts.matchAll(used)].map(([, id]) => id ?? '')])]
}
