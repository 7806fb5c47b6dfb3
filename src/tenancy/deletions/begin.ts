/**
 * Starts a deletion: in one unit of work the organization, Project or Agent gets the status `deleting` and the deletion's actor
 * is created. Source: requirement 4.5, 4.9; contract 2, 3.
 */
import type { DeletionContext } from '../../../machines/deletion.ts'
import type { Write } from '../../../storage/store.ts'
import type { DeletionRow } from '../../../storage/tables.ts'
import { ApiError, deletionInProgress } from '../../platform/http/answers/errors.ts'
import type { RequestRecord } from '../../platform/http/changes/request-record.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import type { Actors } from '../../runtime/actors.ts'
import type { Revocations } from '../authority/revocations.ts'
import { type DeletionSeed, deletionAddress } from './actor.ts'

export interface BeginParts {
  actors: Actors
  revocations: Revocations
}

export type Answer<Data> = { data: Data }

/** The target of a deletion. */
interface Target<Data> {
  id: string
  kind: DeletionContext['target']
  /** The Project of the target, or the target itself. */
  projectId: string | null
  /** Marks the target; fails the unit of work if it cannot be deleted. */
  mark(at: number): Write[]
  /** The target as the API shows it once it is marked. */
  present(at: number): Data
}

/** The states of a deletion are not those of its target, which is `deleting` throughout. */
function ofTarget(error: unknown): never {
  throw error instanceof ApiError && error.code === 'deletion_in_progress' ? deletionInProgress() : error
}

/**
 * Marks the target and creates the deletion in one unit of work; `deletion-worker.ts` does the rest. Throws
 * `deletion_in_progress` (409).
 */
export async function beginDeletion<Data>(
  { actors, revocations }: BeginParts,
  caller: Caller,
  record: RequestRecord,
  target: Target<Data>,
): Promise<Answer<Data>> {
  const { organizationId, principal } = caller
  const seed: DeletionSeed = {
    id: target.id,
    target: target.kind,
    organization_id: organizationId,
    project_id: target.projectId,
    requested_by_type: principal.type,
    requested_by_id: principal.id,
  }
  const answer = (at: number): Answer<Data> => ({ data: target.present(at) })
  const { actor } = await actors
    .create<DeletionRow>(
      deletionAddress(target.id),
      { input: { target: target.kind }, seed, named: 'delete' },
      {
        by: principal,
        writes: ({ actor: { row } }) => [...target.mark(row.created_at), ...record(answer(row.created_at))],
      },
    )
    .catch(ofTarget)
  await revocations.announce({ organizationId })
  return answer(actor.row.created_at)
}
