/** The result of one step of an Apply. */
import type { ApplyEvent } from '../../../machines/apply.ts'
import type { Cause, Stamp } from '../../../machines/words.ts'
import type { Write } from '../../../storage/store.ts'
import type { ApiError, Issue } from '../../platform/http/answers/errors.ts'

export type Answer = ApplyEvent extends infer Event ? (Event extends Stamp ? Omit<Event, keyof Stamp> : never) : never

/** The event that the step ends with, and the writes that commit with it. */
export interface Outcome {
  event: Answer
  writes?: Write[]
}

export const rejected = (failure: Cause): Outcome => ({ event: { type: 'rejected', failure } })

/** The most problems in the reason of a failure. */
const shownMax = 5

/** The first problems, one sentence each. */
export function sentence(issues: readonly Issue[]): string {
  const shown = issues.slice(0, shownMax).map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
  return issues.length > shownMax ? `${shown.join(' ')} And ${issues.length - shownMax} more.` : shown.join(' ')
}

/** The details of an error besides its message. */
export function issuesText({ details }: ApiError): string {
  const issues = details?.issues as Issue[] | undefined
  return issues && issues.length > 0 ? ` ${sentence(issues)}` : ''
}
