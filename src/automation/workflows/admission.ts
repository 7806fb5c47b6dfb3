/**
 * What a run of a workflow is to be of: the workflow and the Agent as the active Deployment of the Environment holds them.
 * That it still holds is settled by the statement which stores the run; only when that refuses, the store is asked why.
 * Source: contract 6, "Workflow start", "Precise points".
 */
import { DamagedRecord } from '../../../storage/errors.ts'
import type { Store } from '../../../storage/store.ts'
import { findAgentStatus, findEnvironmentState, findProjectStatus } from '../../../storage/tenancy/tree.ts'
import type { BundledWorkflow, Bundles } from '../../delivery/deployments/bundles.ts'
import {
  type ApiError,
  agentNotDeployed,
  noActiveDeployment,
  notFound,
  orNotFound,
  projectPaused,
} from '../../platform/http/answers/errors.ts'
import type { Actors } from '../../runtime/actors.ts'
import { type EnvironmentActor, environmentAddress } from '../../tenancy/environments/actor.ts'

/** Where a workflow is to run, and on whose behalf. */
export interface WorkflowPlace {
  organizationId: string
  projectId: string
  environmentId: string
  agentId: string
}

export interface AdmittedWorkflow {
  deploymentId: string
  workflow: BundledWorkflow
}

export class WorkflowAdmission {
  constructor(private readonly parts: { store: Store; actors: Actors; bundles: Bundles }) {}

  /** Throws `notFound`, `project_paused`, `no_active_deployment`, `agent_not_deployed` (409). */
  async resolve(place: WorkflowPlace, definitionIdOrName: string): Promise<AdmittedWorkflow> {
    const { actors, bundles } = this.parts
    const environment = orNotFound(
      (await actors.read(environmentAddress(place.environmentId))) as EnvironmentActor | undefined,
    )
    const { active_deployment_id: deploymentId } = environment.row
    if (deploymentId === null) return this.#refuse(place, noActiveDeployment)
    const bundle = await bundles.find(deploymentId)
    if (!bundle) throw new DamagedRecord(`The active Deployment ${deploymentId} has no bundle.`)
    if (!bundle.agent(place.agentId)) return this.#refuse(place, agentNotDeployed)
    const workflow = orNotFound(bundle.workflow(definitionIdOrName))
    return { deploymentId, workflow }
  }

  /** What was resolved did not hold until it was stored. Throws why; returns when it has to be resolved again. */
  async reconsider(place: WorkflowPlace): Promise<void> {
    // another process may have moved it on
    this.parts.actors.forget(environmentAddress(place.environmentId))
    await this.#assertAdmits(place)
  }

  /** The conflict, unless there is something more fundamental to say. */
  async #refuse(place: WorkflowPlace, conflict: () => ApiError): Promise<never> {
    await this.#assertAdmits(place)
    throw conflict()
  }

  async #assertAdmits({ organizationId, projectId, environmentId, agentId }: WorkflowPlace): Promise<void> {
    const { store } = this.parts
    const [project, environment, agent] = await Promise.all([
      store.first(findProjectStatus(store, { organizationId, projectId })),
      store.first(findEnvironmentState(store, { projectId, environmentId })),
      store.first(findAgentStatus(store, { projectId, agentId })),
    ])
    const isGone = !project || !environment || !agent
    if (isGone || [project.status, environment.state, agent.status].includes('deleting')) throw notFound()
    if (project.status === 'paused') throw projectPaused()
  }
}
