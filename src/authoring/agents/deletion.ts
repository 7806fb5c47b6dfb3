/** Accepting the removal of an Agent that nothing live depends on. Source: requirement 4.9; contract 3. */
import { findAgent } from '../../../storage/authoring/agents.ts'
import type { Store } from '../../../storage/store.ts'
import { markAgentDeleting } from '../../../storage/tenancy/deletions.ts'
import { deletionInProgress, notFound } from '../../platform/http/answers/errors.ts'
import type { RequestRecord } from '../../platform/http/changes/request-record.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import { isConcurrentChange } from '../../runtime/refusals.ts'
import { type Answer, type BeginParts, beginDeletion } from '../../tenancy/deletions/begin.ts'
import { noProgress } from '../../tenancy/deletions/progress.ts'
import type { AgentPlace } from './agents.ts'
import { assertUnused, unusedGuards } from './dependents.ts'
import { presentAgent } from './present.ts'
import type { Agent } from './schema.ts'

export interface AgentDeletionParts extends BeginParts {
  store: Store
}

/** Accepts the removal of an Agent. Throws `notFound`, `agent_in_use`, `deletion_in_progress` (409). */
export async function deleteAgent(
  parts: AgentDeletionParts,
  caller: Caller,
  { projectId, agentId }: AgentPlace,
  record: RequestRecord,
): Promise<Answer<Agent>> {
  const { store } = parts
  const place = { organizationId: caller.organizationId, projectId, agentId }
  const find = () => store.first(findAgent(store, { ...place, id: agentId }))
  const row = await find()
  if (!row) throw notFound()
  await assertUnused(store, place)
  try {
    return await beginDeletion(parts, caller, record, {
      id: agentId,
      kind: 'agent',
      projectId,
      mark: (at) => [
        markAgentDeleting(store, { organizationId: place.organizationId, projectId, id: agentId, at }),
        ...unusedGuards(store, place),
      ],
      present: (at) => ({
        ...presentAgent({ ...row, status: 'deleting', updated_at: at }),
        deletion: noProgress(at),
      }),
    })
  } catch (error) {
    if (!isConcurrentChange(error)) throw error
    if (!(await find())) throw notFound()
    await assertUnused(store, place)
    throw deletionInProgress()
  }
}
