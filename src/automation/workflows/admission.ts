/**
 * Resolves the workflow and the Agent in the Environment's active Deployment. The statement that stores the run checks that
 * they still hold; only if it refuses are they read again. Source: contract 6, "Workflow start", "Precise points".
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
import { noSuch, orNoSuch } from '../../platform/http/answers/references.ts'
import { type AgentPlace, isPaused } from '../../runs/admission/place.ts'
import type { Actors } from '../../runtime/actors.ts'
import { type EnvironmentActor, environmentAddress } from '../../tenancy/environments/actor.ts'

/** The Agent on whose behalf the workflow runs. */
export const noSuchAgent = () => noSuch('Agent in this Project', '/body/agentId')

export interface AdmittedWorkflow {
  deploymentId: string
  workflow: BundledWorkflow
}

export class WorkflowAdmission {
  constructor(private readonly parts: { store: Store; actors: Actors; bundles: Bundles }) {}

  /**
   * Throws `noSuch` for an Agent or a workflow that is not there, `project_paused`, `no_active_deployment`,
   * `agent_not_deployed` (409). `at`: what names the workflow.
   */
  async resolve(
    place: AgentPlace,
    definitionIdOrName: string,
    at = '/body/definitionIdOrName',
  ): Promise<AdmittedWorkflow> {
    const { actors, bundles } = this.parts
    const environment = orNotFound(
      (await actors.read(environmentAddress(place.environmentId))) as EnvironmentActor | undefined,
    )
    const { active_deployment_id: deploymentId } = environment.row
    if (deploymentId === null) return this.#refuse(place, noActiveDeployment)
    const bundle = await bundles.find(deploymentId)
    if (!bundle) throw new DamagedRecord(`The active Deployment ${deploymentId} has no bundle.`)
    if (!bundle.agent(place.agentId)) return this.#refuse(place, agentNotDeployed)
    const found = bundle.workflow(definitionIdOrName)
    const workflow = orNoSuch(found, 'workflow in the active Deployment', at)
    return { deploymentId, workflow }
  }

  /** Handles a refused start: throws the reason, or returns if everything must be resolved again. */
  async reconsider(place: AgentPlace): Promise<void> {
    // another process may have changed it
    this.parts.actors.forget(environmentAddress(place.environmentId))
    await this.#assertAdmits(place)
  }

  /** Throws the conflict, or a more fundamental error. */
  async #refuse(place: AgentPlace, conflict: () => ApiError): Promise<never> {
    await this.#assertAdmits(place)
    throw conflict()
  }

  async #assertAdmits(place: AgentPlace): Promise<void> {
    if (await isPaused(this.parts.store, place, noSuchAgent)) throw projectPaused()
  }
}
