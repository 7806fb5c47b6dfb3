/** Access to workflow runs, and the users on whose behalf they act. Source: requirement 4.4, `actorUserId`; contract 1. */

import { findWorkflowRun } from '../../../storage/automation/workflows.ts'
import type { Store } from '../../../storage/store.ts'
import type { WorkflowRunRow } from '../../../storage/tables.ts'
import { isMember } from '../../../storage/tenancy/organizations.ts'
import { ApiError, notFound, permissionDenied } from '../../platform/http/answers/errors.ts'
import { inScope, may } from '../../platform/http/guard/authorization-scope.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import type { WorkflowRunPath } from './schema.ts'

export class WorkflowAccess {
  constructor(private readonly store: Store) {}

  /** A run for a user is visible only to requests that name that user. Throws `notFound`, and as `assertActor` does. */
  async find(caller: Caller, path: WorkflowRunPath, actorUserId?: string): Promise<WorkflowRunRow> {
    await this.assertActor(caller, path.projectId, actorUserId)
    const row = await this.#inReach(caller, path)
    if (!row || row.actor_user_id !== (actorUserId ?? null)) throw notFound()
    return row
  }

  /** Whether the caller may address the run: one for a user requires the right to name users. Throws `notFound`. */
  async assertThere(caller: Caller, path: WorkflowRunPath): Promise<void> {
    const row = await this.#inReach(caller, path)
    const mayName = caller.principal.type === 'apiKey' && may(caller, 'agent-runs:personalize', path.projectId)
    if (!row || (row.actor_user_id !== null && !mayName)) throw notFound()
  }

  async #inReach(caller: Caller, path: WorkflowRunPath): Promise<WorkflowRunRow | undefined> {
    const { projectId, environmentId, workflowRunId: id } = path
    const key = { organizationId: caller.organizationId, projectId, environmentId, id }
    const row = await this.store.first<WorkflowRunRow>(findWorkflowRun(this.store, key))
    return row && inScope(caller, { projectId, environmentId, agentId: row.agent_id }) ? row : undefined
  }

  /** Throws `invalid_subject` (400) without an API key or for a user who is not a member, `permission_denied` (403). */
  async assertActor(caller: Caller, projectId: string, userId: string | undefined): Promise<void> {
    if (userId === undefined) return
    const refuse = (message: string) => new ApiError(400, 'invalid_subject', message)
    if (caller.principal.type !== 'apiKey') throw refuse('`actorUserId` requires an API key.')
    if (!may(caller, 'agent-runs:personalize', projectId)) throw permissionDenied('agent-runs:personalize')
    if (!(await isMember(this.store, caller.organizationId, userId))) {
      throw refuse('`actorUserId` is not a member of the organization.')
    }
  }
}
