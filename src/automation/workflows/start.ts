/** Starts workflow runs: stores the run and answers; its steps follow in the background. Source: contract 6. */
import { findRequestedWorkflowRun } from '../../../storage/automation/workflows.ts'
import { UniqueViolation } from '../../../storage/errors.ts'
import { newId } from '../../../storage/ids.ts'
import type { Store } from '../../../storage/store.ts'
import type { WorkflowRunRow } from '../../../storage/tables.ts'
import type { Bundles } from '../../delivery/deployments/bundles.ts'
import { ApiError } from '../../platform/http/answers/errors.ts'
import type { RequestRecord } from '../../platform/http/changes/request-record.ts'
import { digestOf } from '../../platform/http/digest.ts'
import { inScope } from '../../platform/http/guard/authorization-scope.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import { assertMatches } from '../../platform/http/validation/values.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { storedSpan } from '../../platform/tracing/own-span.ts'
import type { Tracing } from '../../platform/tracing/tracing.ts'
import type { AgentPlace } from '../../runs/admission/place.ts'
import type { Actors } from '../../runtime/actors.ts'
import type { By } from '../../runtime/kind.ts'
import { isConcurrentChange } from '../../runtime/refusals.ts'
import type { WorkflowAccess } from './access.ts'
import { contextOf, paramsName, workflowRunAddress } from './actor.ts'
import { type AdmittedWorkflow, noSuchAgent, WorkflowAdmission } from './admission.ts'
import { creationOf } from './creation.ts'
import { type NewWorkflowRun, presentWorkflowRun, type WorkflowRun, type WorkflowsPath } from './schema.ts'
import { readChildren } from './steps/children.ts'
import { readValues } from './values.ts'

interface WorkflowStartParts {
  store: Store
  clock: Clock
  actors: Actors
  bundles: Bundles
  access: WorkflowAccess
  /** null: traces are disabled. */
  tracing?: Tracing | null
}

/** The answer of a start. */
interface Started {
  data: WorkflowRun
  /** Whether a repeated request found a run that has ended. */
  hasEnded: boolean
}

/** A start that the server makes, in the Environment's active Deployment. */
interface ServerStart extends AgentPlace {
  /** By name or id. */
  workflow: string
  params: object
  /** The principal stored as the run's creator. */
  by: By
  agentJobId: string
  /** The run's id, if it is decided in advance. */
  id?: string
  /** Statements that commit with the run. */
  record: RequestRecord
}

interface NewRun {
  definitionIdOrName: string
  params: object
  by: By
  /** What names the workflow and its params: the body of a request, or the job. */
  from: '/body' | ''
  columns: Partial<Pick<WorkflowRunRow, 'id' | 'request_key' | 'actor_user_id' | 'agent_job_id'>>
  record: RequestRecord
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
    const { agentId, definitionIdOrName, params = {}, requestKey, actorUserId } = body
    const { organizationId, principal: by } = caller
    const place = { organizationId, ...path, agentId }
    if (!inScope(caller, place)) throw noSuchAgent()
    await this.parts.access.assertActor(caller, path.projectId, actorUserId)
    const columns = { request_key: requestKey ?? null, actor_user_id: actorUserId ?? null }
    const data: NewRun = { definitionIdOrName, params, by, columns, record, from: '/body' }
    return this.#start(place, data, () => this.#requested(caller, path, body))
  }

  /**
   * Starts a run for a job. Throws as `start` does, and `UniqueViolation` if there is a run with this id, or `record`
   * commits what exists already.
   */
  async startForServer({ workflow, agentJobId, id, ...start }: ServerStart): Promise<WorkflowRun> {
    const { organizationId, projectId, environmentId, agentId, ...others } = start
    const columns = { agent_job_id: agentJobId, ...(id !== undefined && { id }) }
    const place = { organizationId, projectId, environmentId, agentId }
    return (await this.#start(place, { ...others, definitionIdOrName: workflow, columns, from: '' })).data
  }

  /** `known`: the run of an earlier request, to which a `UniqueViolation` is due. */
  async #start(place: AgentPlace, start: NewRun, known?: () => Promise<Started | undefined>): Promise<Started> {
    for (let tries = 1; ; tries += 1) {
      const found = await known?.()
      if (found) return found
      const { definitionIdOrName, params, from } = start
      const named = from === '' ? '/workflow' : `${from}/definitionIdOrName`
      const admitted = await this.#admission.resolve(place, definitionIdOrName, named)
      const schema = admitted.workflow.source.params
      const { organizationId } = place
      await assertMatches({ schema, value: params, organizationId, at: `${from}/params` })
      try {
        return { data: await this.#create(place, admitted, start), hasEnded: false }
      } catch (error) {
        if (tries === triesMax) throw error
        // a concurrent request used the same key: it is found now
        if (known && error instanceof UniqueViolation) continue
        if (!isConcurrentChange(error)) throw error
        await this.#admission.reconsider(place)
      }
    }
  }

  async #create(
    { organizationId, projectId, environmentId, agentId }: AgentPlace,
    { deploymentId, workflow }: AdmittedWorkflow,
    { params, by, columns, record }: NewRun,
  ): Promise<WorkflowRun> {
    const { actors, clock, tracing } = this.parts
    const span = tracing?.inRequest()
    const at = clock.now()
    const chosen = {
      id: newId('wfr', at),
      organization_id: organizationId,
      project_id: projectId,
      environment_id: environmentId,
      deployment_id: deploymentId,
      agent_id: agentId,
      trace: span ? storedSpan(span) : null,
      ...columns,
    }
    const { actor } = await actors.create<WorkflowRunRow>(
      workflowRunAddress(chosen.id),
      creationOf(chosen, { workflow, params, by, at }),
      { by, writes: () => record({ data: { id: chosen.id } }) },
    )
    if (span) tracing?.started(span)
    return presentWorkflowRun(actor.row, new Map([[paramsName, params]]))
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
      throw new ApiError(
        409,
        'request_key_mismatch',
        'The requestKey was already used for a different request; use a new one.',
      )
    return {
      data: presentWorkflowRun(row, await readValues(store, row.id), await readChildren(store, row)),
      hasEnded: contextOf(row).endedAt !== null,
    }
  }
}
