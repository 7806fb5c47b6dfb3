/**
 * The health of the bindings that the active Deployment declares, by stored state only and by the rules of calls: no service is
 * contacted and nothing is decrypted. Source: requirement 4.3, "health"; contract 4.
 */
import { findPinnedConnection } from '../../../storage/delivery/pins.ts'
import type { Store } from '../../../storage/store.ts'
import { noActiveDeployment } from '../../platform/http/answers/errors.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import { SecretUnavailable, type Unavailability } from '../../platform/secrets/unavailable.ts'
import { environmentAt } from '../../tenancy/environments/admission.ts'
import type { BundledConnection } from '../deployments/bundle.ts'
import type { Bundles } from '../deployments/bundles.ts'
import { assertSecretUsable, grantOf } from '../deployments/in-force.ts'
import { resolved } from '../deployments/resolution.ts'
import type { SecretSources } from '../deployments/secrets.ts'
import type { BindingHealth } from './schema.ts'
import type { ConnectionsPlace } from './service.ts'
import type { HttpSettings } from './settings-schema.ts'

type State = BindingHealth['state']

export interface ConnectionHealthParts {
  store: Store
  bundles: Pick<Bundles, 'find'>
  secrets: Pick<SecretSources, 'credentials'>
  oauth: { deployed: SecretSources['grants'] }
}

export class ConnectionHealth {
  constructor(private readonly parts: ConnectionHealthParts) {}

  /** In the order of the Release; a key bound to an Agent gets that Agent's. Throws `no_active_deployment` (409). */
  async read({ organizationId, scope }: Caller, place: ConnectionsPlace): Promise<BindingHealth[]> {
    const { store, bundles } = this.parts
    const { id: environmentId, active_deployment_id: deploymentId } = await environmentAt(store, organizationId, place)
    const found = deploymentId === null ? undefined : await bundles.find(deploymentId)
    if (!found) throw noActiveDeployment()
    const { agents, connections } = found.bundle
    const states = new Map<string, State>()
    const health: BindingHealth[] = []
    for (const { agentId, content } of agents) {
      if (scope.agentId !== null && scope.agentId !== agentId) continue
      for (const { bindingKey, kind, connectionKind, required } of content.bindings ?? []) {
        if (kind !== 'connection') continue
        const found = resolved(connections, agentId, bindingKey)
        const bound = connectionKind === undefined || found?.kind === connectionKind ? found : undefined
        const connectionId = bound?.connectionId ?? null
        const state = bound
          ? (states.get(bound.connectionId) ?? (await this.#stateOf({ organizationId, environmentId }, bound)))
          : 'missing'
        if (bound) states.set(bound.connectionId, state)
        health.push({ bindingKey, agentId, required, connectionId, state })
      }
    }
    return health
  }

  async #stateOf(
    { organizationId, environmentId }: { organizationId: string; environmentId: string },
    bound: BundledConnection,
  ): Promise<State> {
    const { store, secrets, oauth } = this.parts
    const { connectionId, connectionVersionId, credential } = bound
    const found = await store.first(findPinnedConnection(store, { environmentId, connectionId, connectionVersionId }))
    if (!found?.settings) return 'version_unavailable'
    const grantId = grantOf(bound, found)
    const sources = { credentials: secrets.credentials, grants: oauth.deployed }
    const secret = await stateAfter(assertSecretUsable(sources, organizationId, grantId, credential))
    // the server disables a Connection whose consent has ended, so that is the more specific reason
    if (grantId !== null && secret !== 'healthy') return secret
    if (found.status !== 'active') return 'disabled'
    return grantId === null && !credential && sendsSecret(bound) ? 'version_unavailable' : secret
  }
}

const states: Record<Unavailability, State> = {
  missing: 'version_unavailable',
  revoked: 'version_unavailable',
  unreadable: 'version_unavailable',
  disabled: 'disabled',
  source_disabled: 'disabled',
  expired: 'expired',
}

async function stateAfter(check: Promise<void>): Promise<State> {
  try {
    await check
    return 'healthy'
  } catch (error) {
    if (error instanceof SecretUnavailable) return states[error.reason]
    throw error
  }
}

/** Whether calls fail without a secret: a deleted credential leaves none behind. */
const sendsSecret = ({ kind, settings }: BundledConnection): boolean =>
  kind === 'http' && (settings as HttpSettings).auth !== undefined
