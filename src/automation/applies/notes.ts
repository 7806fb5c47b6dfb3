/** The resources that an Apply has created, as noted in its row: another server may be doing the same work. */
import type { ApplyContext } from '../../../machines/apply.ts'
import { assertNoted } from '../../../storage/automation/applies.ts'
import type { Store, Write } from '../../../storage/store.ts'
import type { ApplyRow } from '../../../storage/tables.ts'
import type { RequestRecord } from '../../platform/http/changes/request-record.ts'
import type { Outcome } from './outcome.ts'

/** A record that also notes the created resources. */
export const noting =
  (record: RequestRecord, note: (made: string) => Write): RequestRecord =>
  (answer, before) => [...record(answer, before), note((answer as { data: { id: string } }).data.id)]

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
