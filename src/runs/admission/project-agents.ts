/**
 * Resolves the Agents of Projects from the active Deployment of an Environment, or from that of a call. Usually the
 * Environment and the bundle are both in memory. The statement that stores the run (`admitRun`) checks that they are
 * current; only if it refuses does the resolver query the reason. Source: requirement 1, 4.14; contract 5, "Start of a
 * Project Agent".
 */
import type { EnvironmentContext } from '../../../machines/environment.ts'
import { DamagedRecord } from '../../../storage/errors.ts'
import type { Store } from '../../../storage/store.ts'
import type { EnvironmentRow } from '../../../storage/tables.ts'
import { findProjectOfAgent } from '../../../storage/tenancy/tree.ts'
import type { Bundles, DeployedBundle } from '../../delivery/deployments/bundles.ts'
import { RecentlyUsed } from '../../platform/cache.ts'
import {
  ApiError,
  agentNotDeployed,
  invalid,
  noActiveDeployment,
  notFound,
  projectPaused,
} from '../../platform/http/answers/errors.ts'
import { noSuch } from '../../platform/http/answers/references.ts'
import { isWithinScope } from '../../platform/http/guard/authorization-scope.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import type { Actors } from '../../runtime/actors.ts'
import { type EnvironmentActor, environmentAddress } from '../../tenancy/environments/actor.ts'
import type { AgentResolver, ResolvedAgent, SystemAgentFinder } from './agents.ts'
import type { TeamMember } from './bindings.ts'
import { type AgentPlace, assertStanding, isPaused } from './place.ts'

interface ProjectAgentParts {
  store: Store
  actors: Actors
  bundles: Bundles
  /** System Agents may be delegates. */
  systemAgents: SystemAgentFinder
}

const permission = 'agent-runs:create'
const pausedMax = 1_000

export class ProjectAgents implements AgentResolver {
  /** Projects that were paused at the last check; these are queried first, to avoid a start that fails. */
  readonly #paused = new RecentlyUsed<true>(pausedMax)

  constructor(private readonly parts: ProjectAgentParts) {}

  resolve(
    caller: Caller,
    agentId: string,
    environmentId?: string,
    deploymentId?: string,
  ): ResolvedAgent | Promise<ResolvedAgent> {
    if (environmentId === undefined) return this.#withoutEnvironment(caller, agentId)
    if (deploymentId !== undefined) return this.#ofCall(caller, agentId, environmentId, deploymentId)
    const { actors } = this.parts
    const known = actors.recall<EnvironmentRow, EnvironmentContext>(environmentAddress(environmentId))
    if (!known || this.#paused.get(known.row.project_id) !== undefined)
      return this.#looked(caller, agentId, environmentId)
    return actors.isShared
      ? this.#recalled(caller, agentId, environmentId, known)
      : this.#deployed(caller, agentId, known)
  }

  /** A refusal from memory is checked against the store: another server may have deployed meanwhile. */
  async #recalled(
    caller: Caller,
    agentId: string,
    environmentId: string,
    known: EnvironmentActor,
  ): Promise<ResolvedAgent> {
    try {
      return await this.#deployed(caller, agentId, known)
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 409) throw error
      return this.#looked(caller, agentId, environmentId)
    }
  }

  async reconsider(caller: Caller, agentId: string, environmentId = '', deploymentId?: string): Promise<void> {
    // another process may have changed it
    this.parts.actors.forget(environmentAddress(environmentId))
    const place = placeOf(caller, agentId, await this.#environment(environmentId))
    if (deploymentId === undefined) await this.#assertAdmits(place)
    else await assertStanding(this.parts.store, place)
  }

  async assertAdmits(caller: Caller, agentId: string, environmentId = ''): Promise<void> {
    await this.#assertAdmits(placeOf(caller, agentId, await this.#environment(environmentId)))
  }

  /** Work that was admitted goes on with its Deployment, whatever is active by now, and in a paused Project. */
  async #ofCall(caller: Caller, agentId: string, environmentId: string, deploymentId: string): Promise<ResolvedAgent> {
    const place = placeOf(caller, agentId, await this.#environment(environmentId))
    await assertStanding(this.parts.store, place)
    return this.#inBundle(place, deploymentId, await this.parts.bundles.find(deploymentId))
  }

  /** Resolves from memory, and by queries otherwise. */
  async #looked(caller: Caller, agentId: string, environmentId: string): Promise<ResolvedAgent> {
    const environment = await this.#environment(environmentId)
    const place = placeOf(caller, agentId, environment)
    if (this.#paused.get(place.projectId)) await this.#assertAdmits(place)
    return this.#deployed(caller, agentId, environment)
  }

  #deployed(caller: Caller, agentId: string, environment: EnvironmentActor): ResolvedAgent | Promise<ResolvedAgent> {
    const place = placeOf(caller, agentId, environment)
    const { active_deployment_id: deploymentId } = environment.row
    if (deploymentId === null) return this.#refuse(place, noActiveDeployment)
    const found = this.parts.bundles.find(deploymentId)
    return found instanceof Promise
      ? found.then((bundle) => this.#inBundle(place, deploymentId, bundle))
      : this.#inBundle(place, deploymentId, found)
  }

  #inBundle(
    place: AgentPlace,
    deploymentId: string,
    bundle: DeployedBundle | undefined,
  ): ResolvedAgent | Promise<ResolvedAgent> {
    if (!bundle) throw new DamagedRecord(`The Deployment ${deploymentId} has no bundle.`)
    const agent = bundle.agent(place.agentId)
    if (!agent) return this.#refuse(place, agentNotDeployed)
    const { agentId, agentRevisionId, name, content, setting } = agent
    const { projectId, environmentId } = place
    return {
      agentId,
      agentRevisionId,
      name,
      content,
      projectId,
      environmentId,
      deploymentId,
      setting,
      team: this.#team(bundle, agentId),
    }
  }

  #team(bundle: DeployedBundle, agentId: string): readonly TeamMember[] {
    const { agents, others } = bundle.team(agentId)
    return others.length === 0 ? agents : [...agents, ...others.flatMap((id) => this.parts.systemAgents.find(id) ?? [])]
  }

  /** Throws the conflict, unless a more fundamental error applies. */
  async #refuse(place: AgentPlace, conflict: () => ApiError): Promise<never> {
    await this.#assertAdmits(place)
    throw conflict()
  }

  /** Throws `notFound` if any part of the place is missing or being deleted, and `projectPaused`. */
  async #assertAdmits(place: AgentPlace): Promise<void> {
    const paused = await isPaused(this.parts.store, place)
    if (paused) this.#paused.set(place.projectId, true)
    else this.#paused.delete(place.projectId)
    if (paused) throw projectPaused()
  }

  async #environment(id: string): Promise<EnvironmentActor> {
    const found = await this.parts.actors.read<EnvironmentRow, EnvironmentContext>(environmentAddress(id))
    if (!found) throw noSuchEnvironment()
    return found
  }

  async #withoutEnvironment(caller: Caller, agentId: string): Promise<never> {
    const { store } = this.parts
    const { organizationId, scope } = caller
    const found = await store.first(findProjectOfAgent(store, { organizationId, id: agentId }))
    const place = found && { projectId: found.project_id, environmentId: scope.environmentId, agentId }
    if (!place || !isWithinScope(caller, permission, place)) throw notFound()
    throw invalid([
      {
        path: '/body/environmentId',
        message: 'An Agent of a Project runs in an Environment: environmentId is required.',
      },
    ])
  }
}

const noSuchEnvironment = () => noSuch('Environment', '/body/environmentId')

/** Throws `noSuch` unless the caller may run Agents in the Environment, and `notFound` unless this one. */
function placeOf(caller: Caller, agentId: string, { row }: EnvironmentActor): AgentPlace {
  const { organizationId, scope } = caller
  const place = { projectId: row.project_id, environmentId: row.id, agentId }
  const isReached = isWithinScope(caller, permission, { ...place, agentId: scope.agentId })
  if (row.organization_id !== organizationId || !isReached) throw noSuchEnvironment()
  if (!isWithinScope(caller, permission, place)) throw notFound()
  return { organizationId, ...place }
}
