/**
 * The health of the bindings that the active Deployment declares, by stored state only: no service is contacted and nothing is
 * decrypted. Source: requirement 4.3, "health"; contract 4.
 */
import { findActiveBundle, findPinnedState } from '../../../storage/delivery/connection-health.ts'
import type { Store } from '../../../storage/store.ts'
import { noActiveDeployment } from '../../platform/http/answers/errors.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Bundle, BundledConnection } from '../deployments/bundle.ts'
import { resolved } from '../deployments/resolution.ts'
import type { BindingHealth } from './schema.ts'
import type { ConnectionsPlace } from './service.ts'

type State = BindingHealth['state']

export class ConnectionHealth {
  constructor(private readonly parts: { store: Store; clock: Pick<Clock, 'now'> }) {}

  /** In the order of the Release; a key bound to an Agent gets that Agent's. Throws `no_active_deployment` (409). */
  async read({ organizationId, scope }: Caller, { environmentId }: ConnectionsPlace): Promise<BindingHealth[]> {
    const { store } = this.parts
    const found = await store.first(findActiveBundle(store, { organizationId, environmentId }))
    if (!found) throw noActiveDeployment()
    const { agents, connections } = JSON.parse(found.bundle) as Bundle
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
    { connectionId, connectionVersionId, credential }: BundledConnection,
  ): Promise<State> {
    const { store, clock } = this.parts
    const pinned = await store.first(
      findPinnedState(store, {
        organizationId,
        environmentId,
        id: connectionId,
        versionId: connectionVersionId,
        credentialId: credential?.id ?? null,
        credentialVersion: credential?.version ?? null,
      }),
    )
    if (!pinned?.version_id || (credential && pinned.credential_version === null)) return 'version_unavailable'
    const now = clock.now()
    // the server disabled the Connection for this reason, which is more specific
    if (pinned.oauth_grant_id !== null && !isGrantUsable(pinned, now)) return 'expired'
    if (pinned.status !== 'active') return 'disabled'
    if (!credential) return 'healthy'
    if (pinned.credential_status !== 'active') return 'disabled'
    const expiresAt = pinned.credential_expires_at
    return expiresAt !== null && expiresAt <= now ? 'expired' : 'healthy'
  }
}

/** Whether there is a token, or would be after a refresh. */
const isGrantUsable = (
  grant: { grant_status: string | null; grant_renewable: number | null; grant_expires_at: number | null },
  now: number,
): boolean =>
  grant.grant_status === 'active' &&
  (grant.grant_renewable === 1 || grant.grant_expires_at === null || grant.grant_expires_at > now)
