/**
 * Checks whether the bindings that an Agent requires are available now: present, enabled, and with usable secrets. Nothing is
 * decrypted and no service is contacted. Source: contract 3, "One rule of resolution".
 */
import { findPinnedConnection } from '../../../storage/delivery/pins.ts'
import type { Store } from '../../../storage/store.ts'
import { SecretUnavailable } from '../../platform/secrets/unavailable.ts'
import type { BundledAgent, BundledConnection, CredentialPin } from './bundle.ts'
import type { DeployedBundle } from './bundles.ts'
import type { SecretSources } from './secrets.ts'

type Binding = NonNullable<BundledAgent['content']['bindings']>[number]

export const isRequired = (agent: BundledAgent | undefined, kind: Binding['kind'], bindingKey: string): boolean =>
  (agent?.content.bindings ?? []).some((each) => each.required && each.kind === kind && each.bindingKey === bindingKey)

/** The consent that calls of a Connection use: that of a Deployment with current credentials, else that of the pinned version. */
export const grantOf = (
  { grantId }: Pick<BundledConnection, 'grantId'>,
  version: { oauth_grant_id: string | null },
): string | null => grantId ?? version.oauth_grant_id

/** Throws `SecretUnavailable` if the consent, or else the credential, cannot be used; either may be null. */
export async function assertSecretUsable(
  { credentials, grants }: Pick<SecretSources, 'credentials' | 'grants'>,
  organizationId: string,
  grantId: string | null,
  credential: CredentialPin | null,
): Promise<void> {
  if (grantId !== null) await grants.assertUsable({ organizationId, grantId })
  else if (credential) {
    const { id: credentialId, version } = credential
    await credentials.assertUsable({ organizationId, credentialId, version })
  }
}

export class BindingsInForce {
  constructor(private readonly parts: { store: Store; secrets: SecretSources }) {}

  /** Throws `SecretUnavailable` for the first unavailable binding that the Agent requires. */
  async assertRequired(bundle: DeployedBundle, { agentId, content }: BundledAgent): Promise<void> {
    const { organizationId } = bundle.bundle
    for (const { required, kind, bindingKey } of content.bindings ?? []) {
      if (!required) continue
      if (kind === 'connection') {
        const connection = bundle.connection(agentId, bindingKey)
        if (!connection) throw missing('Connection', bindingKey)
        await this.#assertConnection(bundle, connection)
      } else {
        const variable = bundle.variable(agentId, bindingKey)
        if (!variable) throw missing('variable', bindingKey)
        const { variableId, version } = variable
        await this.parts.secrets.variables.assertUsable({ organizationId, variableId, version })
      }
    }
  }

  async #assertConnection({ bundle }: DeployedBundle, connection: BundledConnection): Promise<void> {
    const { store, secrets } = this.parts
    const { organizationId, environmentId } = bundle
    const { connectionId, connectionVersionId, credential, name } = connection
    const found = await store.first(findPinnedConnection(store, { environmentId, connectionId, connectionVersionId }))
    const what = `The Connection ${name} (${connectionId})`
    if (!found?.settings) throw new SecretUnavailable(what, 'missing')
    if (found.status !== 'active') throw new SecretUnavailable(what, 'disabled')
    await assertSecretUsable(secrets, organizationId, grantOf(connection, found), credential)
  }
}

const missing = (what: string, bindingKey: string) =>
  new SecretUnavailable(`The ${what} that is required as ${bindingKey}`, 'missing')
