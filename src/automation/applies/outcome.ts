/** The result of one step of an Apply, which another server may be doing too. */
import type { ApplyContext, ApplyEvent } from '../../../machines/apply.ts'
import type { Cause, Stamp } from '../../../machines/words.ts'
import { assertNoted } from '../../../storage/automation/applies.ts'
import type { Store, Write } from '../../../storage/store.ts'
import type { ApplyRow } from '../../../storage/tables.ts'
import type { ApiError, Issue } from '../../platform/http/answers/errors.ts'

export type Answer = ApplyEvent extends infer Event ? (Event extends Stamp ? Omit<Event, keyof Stamp> : never) : never

/** The event that the step ends with, and the writes that commit with it. */
export interface Outcome {
  event: Answer
  writes?: Write[]
}

export const rejected = (failure: Cause): Outcome => ({ event: { type: 'rejected', failure } })

/**
 * The outcome of the work that began with this context and row. A failure counts only for the same work, and only if no
 * other server has created its resource, which may be why it failed.
 */
export function ofStep(store: Store, outcome: Outcome, { step }: ApplyContext, row: ApplyRow): Outcome {
  const { event } = outcome
  if (event.type !== 'rejected') return outcome
  const { id, release_id: releaseId, deployment_id: deploymentId, activation_id: activationId } = row
  return { event: { ...event, step }, writes: [assertNoted(store, { id, releaseId, deploymentId, activationId })] }
}

export const changedMeanwhile: Cause = {
  code: 'concurrent_change',
  message: 'An Agent or a Definition was changed while the manifest was applied; apply it again.',
}

/** The most problems in the reason of a failure. */
const shownMax = 5

/** The first problems, one sentence each. */
export function sentence(issues: readonly Issue[]): string {
  const shown = issues.slice(0, shownMax).map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
  return issues.length > shownMax ? `${shown.join(' ')} And ${issues.length - shownMax} more.` : shown.join(' ')
}

/** The details of an error besides its message. */
export function issuesText({ message: said, details }: ApiError): string {
  const issues = ((details?.issues ?? []) as Issue[]).filter(({ message }) => message !== said)
  return issues.length > 0 ? ` ${sentence(issues)}` : ''
}
