/** The uses of a provider credential: in the current configuration, and in active Deployments. Source: contract 4, "uses". */
import { findServingUse, listConfiguredUses, listServing } from '../../../storage/delivery/credential-uses.ts'
import type { CredentialKey } from '../../../storage/delivery/provider-credentials.ts'
import type { Store } from '../../../storage/store.ts'
import { nextTurn } from '../../platform/time/next-turn.ts'
import { presentPlace } from '../dependents.ts'
import type { CredentialPin } from '../deployments/bundle.ts'
import type { Bundles } from '../deployments/bundles.ts'
import type { CredentialUse } from './schema.ts'

/** The most uses that are listed: of the current configuration, and Deployments with uses. */
const configuredMax = 1_000
const servingMax = 50
/** More than an organization has active. */
const deploymentsMax = 10_000

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
  const { organizationId } = key
  let left = servingMax
  for (const row of await store.all(listServing(store, { organizationId, limit: deploymentsMax }))) {
    await nextTurn()
    const deploymentId = row.deployment_id
    if (!(await store.first(findServingUse(store, { deploymentId, id: key.id })))) continue
    const found = await bundles.find(deploymentId)
    if (!found) continue
    const { agents, connections } = found.bundle
    const at = { deploymentId, ...presentPlace(row) }
    const add = (kind: CredentialUse['kind'], id: string, name: string, pin: CredentialPin | null | undefined) => {
      if (pin?.id === key.id) uses.push({ kind, id, name, version: pin.version, ...at })
    }
    for (const { connectionId, name, credential } of connections) add('connection', connectionId, name, credential)
    for (const { agentId, slug, setting } of agents) add('providerSetting', agentId, slug, setting?.credential)
    left -= 1
    if (left === 0) break
  }
  return uses
}
