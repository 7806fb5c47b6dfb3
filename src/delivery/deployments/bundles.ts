/**
 * Bundles for runs: read once, cached within bounds, and indexed. Bundles are immutable, so the cache is always valid. Source:
 * contract 3, "materializing"; requirement 9.2.
 */
import { findOrganizationOfDeployment, getDeploymentBundle } from '../../../storage/delivery/deployments.ts'
import { DamagedRecord } from '../../../storage/errors.ts'
import type { Store } from '../../../storage/store.ts'
import type { Operation, WorkflowSource } from '../../authoring/definitions/source.ts'
import { RecentlyUsed } from '../../platform/cache.ts'
import { digestOfTexts } from '../../platform/http/digest.ts'
import { InTurn } from '../../platform/time/in-turn.ts'
import type { Bundle, BundledAgent, BundledConnection, BundledDefinition, BundledVariable } from './bundle.ts'
import { readBundle } from './bundle-text.ts'
import { resolved } from './resolution.ts'

interface Team {
  agents: readonly BundledAgent[]
  /** The ids of System Agents, which are not part of the Release. */
  others: readonly string[]
}

export interface BundledWorkflow extends BundledDefinition {
  source: WorkflowSource
}

export class DeployedBundle {
  readonly #agents: ReadonlyMap<string, BundledAgent>
  readonly #operations: ReadonlyMap<string, Operation>
  readonly #teams = new Map<string, Team>()

  constructor(readonly bundle: Bundle) {
    this.#agents = new Map(bundle.agents.map((agent) => [agent.agentId, agent]))
    this.#operations = new Map(
      bundle.definitions.flatMap(({ name, source }) =>
        'operations' in source
          ? source.operations.map((operation): [string, Operation] => [`${name}.${operation.name}`, operation])
          : [],
      ),
    )
  }

  agent(agentId: string): BundledAgent | undefined {
    return this.#agents.get(agentId)
  }

  /** By `<definition>.<operation>`. */
  operation(name: string): Operation | undefined {
    return this.#operations.get(name)
  }

  /** The workflow with this id, else with this name. */
  workflow(nameOrId: string): BundledWorkflow | undefined {
    const workflows = this.bundle.definitions.filter((each): each is BundledWorkflow => 'steps' in each.source)
    return (
      workflows.find(({ definitionId }) => definitionId === nameOrId) ?? workflows.find(({ name }) => name === nameOrId)
    )
  }

  /** The Agents that the Agent's work may be delegated to, directly or indirectly, without the Agent itself. */
  team(agentId: string): Team {
    const known = this.#teams.get(agentId)
    if (known) return known
    const agents = new Map<string, BundledAgent>()
    const others = new Set<string>()
    const visit = (agent: BundledAgent | undefined) => {
      for (const delegateId of Object.values(agent?.delegates ?? {})) {
        if (delegateId === agentId || agents.has(delegateId)) continue
        const delegate = this.#agents.get(delegateId)
        if (delegate) {
          agents.set(delegateId, delegate)
          visit(delegate)
        } else others.add(delegateId)
      }
    }
    visit(this.#agents.get(agentId))
    const team = { agents: [...agents.values()], others: [...others] }
    this.#teams.set(agentId, team)
    return team
  }

  /** The Connection for the Agent's key. */
  connection(agentId: string, bindingKey: string): BundledConnection | undefined {
    return resolved(this.bundle.connections, agentId, bindingKey)
  }

  /** The variable for the Agent's key. */
  variable(agentId: string, bindingKey: string): BundledVariable | undefined {
    return resolved(this.bundle.variables, agentId, bindingKey)
  }
}

const bundlesMax = 1_000
/** Bundles with more text are large, and fewer of them are cached. */
const largeFromCharacters = 262_144
const largeBundlesMax = 32

export class Bundles {
  readonly #small = new RecentlyUsed<DeployedBundle>(bundlesMax)
  readonly #large = new RecentlyUsed<DeployedBundle>(largeBundlesMax)
  readonly #loading = new Map<string, Promise<DeployedBundle | undefined>>()
  readonly #turns = new InTurn()

  constructor(private readonly store: Store) {}

  /**
   * The bundle of a Deployment, undefined if it has none; returns a promise only if it must be read from the store. Does not check
   * access. Throws `DamagedRecord`, `StoreUnavailable`.
   */
  find(deploymentId: string): DeployedBundle | undefined | Promise<DeployedBundle | undefined> {
    return this.#small.get(deploymentId) ?? this.#large.get(deploymentId) ?? this.#loadOnce(deploymentId)
  }

  /** Concurrent requests share one look-up. */
  #loadOnce(deploymentId: string): Promise<DeployedBundle | undefined> {
    const under = this.#loading.get(deploymentId)
    if (under) return under
    const loading = this.#loadInTurn(deploymentId).finally(() => this.#loading.delete(deploymentId))
    this.#loading.set(deploymentId, loading)
    return loading
  }

  /** An organization may have any number of large ones: together they would take the thread for seconds. */
  async #loadInTurn(deploymentId: string): Promise<DeployedBundle | undefined> {
    const deployment = await this.store.first(findOrganizationOfDeployment(this.store, { id: deploymentId }))
    return deployment && this.#turns.take(deployment.organization_id, () => this.#load(deploymentId))
  }

  async #load(deploymentId: string): Promise<DeployedBundle | undefined> {
    const row = await this.store.first(getDeploymentBundle(this.store, { deploymentId }))
    if (!row) return undefined
    if ((await digestOfTexts([row.bundle])).digest !== row.digest) {
      throw new DamagedRecord(`The bundle of ${deploymentId} does not match its digest.`)
    }
    const bundle = new DeployedBundle(await readBundle(row.bundle))
    const cache = row.bundle.length > largeFromCharacters ? this.#large : this.#small
    cache.set(deploymentId, bundle)
    return bundle
  }
}
