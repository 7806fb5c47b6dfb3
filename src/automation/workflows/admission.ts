/**
 * What a run of a workflow is to be of: the workflow and the Agent as the active Deployment of the Environment holds them.
 * That it still holds is settled by the statement which stores the run; only when that refuses, the store is asked why.
 * Source: contract 6, "Workflow start", "Precise points".
 */
import { DamagedRecord } from '../../../storage/errors.ts'
import type { Store } from '../../../storage/store.ts'
import type { BundledWorkflow, Bundles } from '../../delivery/deployments/bundles.ts'
import {
  type ApiError,
  agentNotDeployed,
  noActiveDeployment,
  orNotFound,
  projectPaused,
} from '../../platform/http/answers/errors.ts'
import { type AgentPlace, isPaused } from '../../runs/admission/place.ts'
import type { Actors } from '../../runtime/actors.ts'
import { type EnvironmentActor, environmentAddress } from '../../tenancy/environments/actor.ts'

export interface AdmittedWorkflow {
  deploymentId: string
  workflow: BundledWorkflow
}

export class WorkflowAdmission {
  constructor(private readonly parts: { store: Store; actors: Actors; bundles: Bundles }) {}

  /** Throws `notFound`, `project_paused`, `no_active_deployment`, `agent_not_deployed` (409). */
  async resolve(place: AgentPlace, definitionIdOrName: string): Promise<AdmittedWorkflow> {
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
  async reconsider(place: AgentPlace): Promise<void> {
    // another process may have moved it on
    this.parts.actors.forget(environmentAddress(place.environmentId))
    await this.#assertAdmits(place)
  }

  /** The conflict, unless there is something more fundamental to say. */
  async #refuse(place: AgentPlace, conflict: () => ApiError): Promise<never> {
    await this.#assertAdmits(place)
    throw conflict()
  }

  async #assertAdmits(place: AgentPlace): Promise<void> {
    if (await isPaused(this.parts.store, place)) throw projectPaused()
  }
}
