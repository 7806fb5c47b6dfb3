/**
 * The Agents that a credential reaches, by their addresses in protocols: `project/environment/agent` (slugs, and the
 * Environment's kind) for a Project's Agent, its id for a System Agent. A key that is bound to one Environment may use
 * the id of an Agent there. Source: contract 12.
 */
import type { Store } from '../../storage/store.ts'
import {
  findNamedEnvironment,
  getNamedEnvironment,
  listServingEnvironments,
  listServingEnvironmentsOf,
  type NamedEnvironment,
} from '../../storage/tenancy/tree.ts'
import type { AgentContent } from '../authoring/agents/content.ts'
import type { SystemAgents } from '../authoring/system-agents/system-agents.ts'
import type { BundledAgent } from '../delivery/deployments/bundle.ts'
import type { Bundles } from '../delivery/deployments/bundles.ts'
import { ApiError, noActiveDeployment, notFound, orNotFound, targetNotFound } from '../platform/http/answers/errors.ts'
import { isWithinScope, partsInScope } from '../platform/http/guard/authorization-scope.ts'
import type { Caller } from '../platform/http/guard/caller.ts'

export interface ReachedAgent {
  address: string
  agentId: string
  /** null for a System Agent, as is the Environment. */
  projectId: string | null
  environmentId: string | null
  name: string
  content: AgentContent
}

export interface ProtocolAgentsParts {
  store: Store
  bundles: Bundles
  systemAgents: SystemAgents
}

const permission = 'agent-runs:create'
const kinds = ['development', 'preview', 'production'] as const
/** The most Agents in a list. */
const environmentsMax = 300
const agentsMax = 1_000

/** The address at the end of a path. Throws `notFound` if it is not correctly encoded. */
export function addressIn(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    throw notFound()
  }
}

export class ProtocolAgents {
  constructor(private readonly parts: ProtocolAgentsParts) {}

  /** Throws `notFound`, and `no_active_deployment` (409) if no Deployment is active. */
  find(caller: Caller, address: string): Promise<ReachedAgent> {
    return this.#byAddress(caller, address).catch((error: unknown) => {
      if (!(error instanceof ApiError) || error.status !== 404) throw error
      throw targetNotFound(
        `There is no Agent ${address} within the reach of the credential: it has to be in the active Deployment.`,
      )
    })
  }

  async #byAddress(caller: Caller, address: string): Promise<ReachedAgent> {
    const [projectSlug = '', kind, slug, ...more] = address.split('/')
    if (kind === undefined) return this.#byId(caller, address)
    const isKind = kinds.find((each) => each === kind)
    if (!isKind || slug === undefined || more.length > 0) throw notFound()
    const { store } = this.parts
    const { organizationId } = caller
    const found = await store.first(findNamedEnvironment(store, { organizationId, projectSlug, kind: isKind }))
    return this.#serving(caller, orNotFound(found), (agent) => agent.slug === slug)
  }

  /** The Agents that the credential may start, by address. */
  async list(caller: Caller): Promise<ReachedAgent[]> {
    const listed = this.parts.systemAgents.list().flatMap(({ agentId }) => this.#system(caller, agentId) ?? [])
    for (const place of await this.#placesOf(caller)) {
      if (listed.length >= agentsMax) break
      const agents = await this.#agentsIn(place)
      listed.push(
        ...agents.filter(({ agentId }) => isReached(caller, place, agentId)).map((agent) => reached(place, agent)),
      )
    }
    return listed.slice(0, agentsMax)
  }

  /** The Environments that the credential reaches, so that others do not take their places in the list. */
  async #placesOf(caller: Caller): Promise<NamedEnvironment[]> {
    const { store } = this.parts
    const { organizationId } = caller
    const places: NamedEnvironment[] = []
    for (const { projectId } of partsInScope<{ projectId?: string }>(caller, permission, {})) {
      const found =
        projectId === undefined
          ? await store.all(listServingEnvironments(store, { organizationId, limit: environmentsMax }))
          : await store.all(listServingEnvironmentsOf(store, { organizationId, projectId }))
      places.push(...found)
      if (places.length >= environmentsMax) break
    }
    const { environmentId } = caller.scope
    return places.filter(({ environment_id }) => environmentId === null || environment_id === environmentId)
  }

  async #byId(caller: Caller, agentId: string): Promise<ReachedAgent> {
    const system = this.#system(caller, agentId)
    if (system) return system
    const { environmentId } = caller.scope
    if (environmentId === null) throw notFound()
    const found = await this.#environment(caller, environmentId)
    return this.#serving(caller, orNotFound(found), (agent) => agent.agentId === agentId)
  }

  /** An Agent as deployed in an Environment; undefined if it is not deployed, or outside the credential's scope. */
  async inEnvironment(caller: Caller, environmentId: string, agentId: string): Promise<ReachedAgent | undefined> {
    const place = await this.#environment(caller, environmentId)
    if (!place || !isReached(caller, place, agentId)) return undefined
    const agent = (await this.#agentsIn(place)).find((each) => each.agentId === agentId)
    return agent && reached(place, agent)
  }

  #environment({ organizationId }: Caller, environmentId: string) {
    const { store } = this.parts
    return store.first(getNamedEnvironment(store, { organizationId, environmentId }))
  }

  #system(caller: Caller, agentId: string): ReachedAgent | undefined {
    const agent = this.parts.systemAgents.findEnabled(agentId)
    const place = { projectId: null, environmentId: null, agentId }
    if (!agent || !isWithinScope(caller, permission, place)) return undefined
    return { ...place, address: agentId, name: agent.name, content: agent.content }
  }

  async #serving(
    caller: Caller,
    place: NamedEnvironment,
    isRequested: (agent: BundledAgent) => boolean,
  ): Promise<ReachedAgent> {
    const agent = (await this.#agentsIn(place)).find(isRequested)
    if (agent && isReached(caller, place, agent.agentId)) return reached(place, agent)
    // only a caller who may see the Environment gets this error
    if (place.active_deployment_id === null && isReached(caller, place, caller.scope.agentId))
      throw noActiveDeployment()
    throw notFound()
  }

  async #agentsIn({ active_deployment_id: id }: NamedEnvironment): Promise<readonly BundledAgent[]> {
    if (id === null) return []
    return (await this.parts.bundles.find(id))?.bundle.agents ?? []
  }
}

const isReached = (caller: Caller, { project_id, environment_id }: NamedEnvironment, agentId: string | null): boolean =>
  isWithinScope(caller, permission, { projectId: project_id, environmentId: environment_id, agentId })

const reached = (place: NamedEnvironment, { agentId, slug, name, content }: BundledAgent): ReachedAgent => ({
  address: `${place.project_slug}/${place.kind}/${slug}`,
  agentId,
  projectId: place.project_id,
  environmentId: place.environment_id,
  name,
  content,
})

/** Throws 400 for a tool that the Agent's revision does not declare as interactive. */
export function assertTools(
  tools: readonly { type: string; name?: string }[],
  { address, content }: ReachedAgent,
): void {
  const own = new Set((content.tools ?? []).flatMap((tool) => (tool.kind === 'interactive' ? [tool.name] : [])))
  for (const [index, { type, name = type }] of tools.entries()) {
    if (type === 'function' && own.has(name)) continue
    const known = own.size === 0 ? 'It has none.' : `It has ${[...own].join(', ')}.`
    throw new ApiError(400, 'unsupported_parameter', `${address} has no interactive tool ${name}. ${known}`, {
      at: `/body/tools/${index}`,
    })
  }
}
