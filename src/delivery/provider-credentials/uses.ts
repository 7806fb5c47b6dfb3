/** The uses of a provider credential: in the current configuration, and in active Deployments. Source: contract 4, "uses". */
import { listConfiguredUses } from '../../../storage/delivery/credential-uses.ts'
import { type CredentialKey, listPinningDeployments } from '../../../storage/delivery/provider-credentials.ts'
import type { Store } from '../../../storage/store.ts'
import { nextTurn } from '../../platform/time/next-turn.ts'
import { presentPlace } from '../dependents.ts'
import type { CredentialPin } from '../deployments/bundle.ts'
import type { Bundles } from '../deployments/bundles.ts'
import type { CredentialUse } from './schema.ts'

/** The most uses that are listed: of the current configuration, and Deployments with uses. */
const configuredMax = 1_000
const servingMax = 50

export interface UseParts {
  store: Store
  bundles: Pick<Bundles, 'find'>
}

/** The uses of a credential of the organization. */
export async function usesOf({ store, bundles }: UseParts, key: CredentialKey): Promise<CredentialUse[]> {
  const uses: CredentialUse[] = []
  for (const row of await store.all(listConfiguredUses(store, { ...key, limit: configuredMax }))) {
    const { kind, id, name, version } = row
    uses.push({ kind, id, name, version, deploymentId: null, ...presentPlace(row) })
  }
  for (const row of await store.all(listPinningDeployments(store, { ...key, limit: servingMax }))) {
    await nextTurn()
    const found = await bundles.find(row.id)
    if (!found) continue
    const { agents, connections } = found.bundle
    const at = { deploymentId: row.id, ...presentPlace(row) }
    const add = (kind: CredentialUse['kind'], id: string, name: string, pin: CredentialPin | null | undefined) => {
      if (pin?.id === key.id) uses.push({ kind, id, name, version: pin.version, ...at })
    }
    for (const { connectionId, name, credential } of connections) add('connection', connectionId, name, credential)
    for (const { agentId, slug, setting } of agents) add('providerSetting', agentId, slug, setting?.credential)
  }
  return uses
}
