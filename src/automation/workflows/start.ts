/** Starts workflow runs: stores the run and answers; its steps follow in the background. Source: contract 6. */

import { findRequestedWorkflowRun } from '../../../storage/automation/workflows.ts'
import { UniqueViolation } from '../../../storage/errors.ts'
import { newId } from '../../../storage/ids.ts'
import type { Store } from '../../../storage/store.ts'
import type { WorkflowRunRow } from '../../../storage/tables.ts'
import type { Bundles } from '../../delivery/deployments/bundles.ts'
import { ApiError, invalid, schemaRefusedAt } from '../../platform/http/answers/errors.ts'
import type { RequestRecord } from '../../platform/http/changes/request-record.ts'
import { digestOf } from '../../platform/http/digest.ts'
import { inScope } from '../../platform/http/guard/authorization-scope.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import { checkValue } from '../../platform/json-schemas/checks.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { storedSpan } from '../../platform/tracing/own-span.ts'
import type { Tracing } from '../../platform/tracing/tracing.ts'
import type { Actors } from '../../runtime/actors.ts'
import type { WorkflowAccess } from './access.ts'
import { contextOf, paramsName, type WorkflowRunSeed, workflowRunAddress } from './actor.ts'
import { type AdmittedWorkflow, noSuchAgent, WorkflowAdmission } from './admission.ts'
import { planOf } from './plan.ts'
import { type NewWorkflowRun, presentWorkflowRun, type WorkflowRun, type WorkflowsPath } from './schema.ts'
import { readChildren } from './steps/children.ts'
import { bytesOf, readValues } from './values.ts'

export interface WorkflowStartParts {
  store: Store
  clock: Clock
  actors: Actors
  bundles: Bundles
  access: WorkflowAccess
  /** null: traces are disabled. */
  tracing?: Tracing | null
}

/** The answer of a start. */
export interface Started {
  data: WorkflowRun
  /** Whether a repeated request found a run that has ended. */
  hasEnded: boolean
}

const triesMax = 5

export class WorkflowStarts {
  readonly #admission: WorkflowAdmission

  constructor(private readonly parts: WorkflowStartParts) {
    this.#admission = new WorkflowAdmission(parts)
  }

  /**
   * Starts a run, or finds the run of an earlier identical request. Throws `noSuch` for an Agent outside the credential's
   * scope, 422 for invalid params, `request_key_mismatch`, and the errors of `WorkflowAccess` and `WorkflowAdmission`.
   */
  async start(caller: Caller, path: WorkflowsPath, body: NewWorkflowRun, record: RequestRecord): Promise<Started> {
    const place = { organizationId: caller.organizationId, ...path, agentId: body.agentId }
    if (!inScope(caller, place)) throw noSuchAgent()
    await this.parts.access.assertActor(caller, path.projectId, body.actorUserId)
    for (let tries = 1; ; tries += 1) {
      const known = await this.#requested(caller, path, body)
      if (known) return known
      const admitted = await this.#admission.resolve(place, body.definitionIdOrName)
      await assertFits(admitted.workflow.source.params, body.params ?? {}, caller.organizationId)
      try {
        return await this.#create(caller, path, body, admitted, record)
      } catch (error) {
        if (tries === triesMax) throw error
        // a concurrent request used the same key: it is found now
        if (error instanceof UniqueViolation) continue
        const isConflict = error instanceof ApiError && error.code === 'concurrent_change'
        if (!isConflict) throw error
        await this.#admission.reconsider(place)
      }
    }
  }

  async #create(
    { organizationId, principal: by }: Caller,
    { projectId, environmentId }: WorkflowsPath,
    { agentId, params = {}, requestKey, actorUserId }: NewWorkflowRun,
    { deploymentId, workflow }: AdmittedWorkflow,
    record: RequestRecord,
  ): Promise<Started> {
    const { actors, clock, tracing } = this.parts
    const span = tracing?.inRequest()
    const { source, definitionId, definitionRevisionId, name } = workflow
    const at = clock.now()
    const seed: WorkflowRunSeed = {
      row: {
        id: newId('wfr', at),
        organization_id: organizationId,
        project_id: projectId,
        environment_id: environmentId,
        deployment_id: deploymentId,
        agent_id: agentId,
        definition_id: definitionId,
        definition_revision_id: definitionRevisionId,
        definition_name: name,
        request_key: requestKey ?? null,
        request_digest: digestOf(params),
        actor_user_id: actorUserId ?? null,
        trace: span ? storedSpan(span) : null,
        parent_run_id: null,
        parent_step_id: null,
        parent_attempt: null,
        depth: 0,
        created_by_type: by.type,
        created_by_id: by.id,
      },
      params,
    }
    const input = { steps: planOf(source), bytes: bytesOf(params), hasOutput: source.output !== undefined, at }
    const { actor } = await actors.create<WorkflowRunRow>(
      workflowRunAddress(seed.row.id),
      { input, seed, named: 'start' },
      { by, writes: () => record({ data: { id: seed.row.id } }) },
    )
    if (span) tracing?.started(span)
    return { data: presentWorkflowRun(actor.row, new Map([[paramsName, params]])), hasEnded: false }
  }

  /** The run of this key. Throws `request_key_mismatch` (409) if the key was used for another request. */
  async #requested(
    { organizationId }: Caller,
    { environmentId }: WorkflowsPath,
    { requestKey, agentId, definitionIdOrName, params = {}, actorUserId }: NewWorkflowRun,
  ): Promise<Started | undefined> {
    const { store } = this.parts
    if (requestKey === undefined) return undefined
    const key = { organizationId, environmentId, requestKey }
    const row = await store.first<WorkflowRunRow>(findRequestedWorkflowRun(store, key))
    if (!row) return undefined
    const isSame =
      row.agent_id === agentId &&
      [row.definition_id, row.definition_name].includes(definitionIdOrName) &&
      row.request_digest === digestOf(params) &&
      row.actor_user_id === (actorUserId ?? null)
    if (!isSame)
      throw new ApiError(409, 'request_key_mismatch', 'The requestKey was already used for a different request.')
    return {
      data: presentWorkflowRun(row, await readValues(store, row.id), await readChildren(store, row)),
      hasEnded: contextOf(row).endedAt !== null,
    }
  }
}

async function assertFits(schema: Record<string, unknown>, params: unknown, organizationId: string): Promise<void> {
  const path = '/body/params'
  const { problem } = await checkValue(schema, params, organizationId).catch(schemaRefusedAt(path))
  if (problem !== null) throw invalid([{ path, message: problem }])
}
