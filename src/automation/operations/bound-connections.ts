/**
 * The http Connections that a Deployment binds, with their current secrets: read at each call in their pinned versions,
 * so that disabled ones are not used. Source: requirement 3, "fails closed"; contract 4.
 */
import { findPinnedConnection } from '../../../storage/delivery/pins.ts'
import type { Store } from '../../../storage/store.ts'
import type { GrantReference } from '../../accounts/oauth/grants.ts'
import type { HttpSettings } from '../../delivery/connections/settings-schema.ts'
import type { BundledConnection } from '../../delivery/deployments/bundle.ts'
import type { DeployedBundle } from '../../delivery/deployments/bundles.ts'
import { grantOf, isRequired } from '../../delivery/deployments/in-force.ts'
import type { CredentialReference } from '../../delivery/provider-credentials/secrets.ts'
import type { Secret } from '../../platform/operating/secret.ts'
import { SecretUnavailable } from '../../platform/secrets/unavailable.ts'
import { bindingUnavailable, OperationFailure, toolError } from './failure.ts'
import { Redaction } from './redaction.ts'

export interface BoundConnectionParts {
  store: Store
  credentials: { reveal(reference: CredentialReference): Promise<Secret> }
  /** Valid access tokens of consents. */
  grants: { reveal(reference: GrantReference): Promise<Secret> }
}

/** A usable Connection. */
export interface UsableConnection {
  settings: HttpSettings
  /** Null for a Connection without a credential. */
  secret: string | null
}

interface Bound {
  connection: BundledConnection
  /** Its consent; null if there is none. */
  grantId: string | null
}

export class BoundConnections {
  constructor(private readonly parts: BoundConnectionParts) {}

  /** Throws `OperationFailure`: `binding_unavailable` if the Agent requires the Connection, else `tool_error`. */
  usable(bundle: DeployedBundle, agentId: string, bindingKey: string): Promise<UsableConnection> {
    return closing(isRequired(bundle.agent(agentId), 'connection', bindingKey), async () => {
      const { connection, grantId } = await boundConnection(this.parts.store, bundle, agentId, bindingKey)
      const secret = await this.#secret(bundle, connection, grantId)
      return { settings: connection.settings as HttpSettings, secret }
    })
  }

  async #secret(
    { bundle }: DeployedBundle,
    { credential }: BundledConnection,
    grantId: string | null,
  ): Promise<string | null> {
    const { organizationId } = bundle
    if (grantId !== null) return revealed(this.parts.grants.reveal({ organizationId, grantId }))
    if (!credential) return null
    return revealed(
      this.parts.credentials.reveal({ organizationId, credentialId: credential.id, version: credential.version }),
    )
  }
}

/** The bound Connection, if it is usable. Throws `OperationFailure` (`binding_unavailable`). */
export async function boundConnection(
  store: Store,
  bundle: DeployedBundle,
  agentId: string,
  bindingKey: string,
): Promise<Bound> {
  const bound = bundle.connection(agentId, bindingKey)
  if (bound?.kind !== 'http') throw bindingUnavailable(`There is no http Connection ${bindingKey} in the Deployment.`)
  const { connectionId, connectionVersionId } = bound
  const { environmentId } = bundle.bundle
  const found = await store.first(findPinnedConnection(store, { environmentId, connectionId, connectionVersionId }))
  if (!found?.settings) throw bindingUnavailable(`The Connection ${bound.name} (${connectionId}) was deleted.`)
  if (found.status !== 'active')
    throw bindingUnavailable(`The Connection ${bound.name} (${connectionId}) is ${found.status}.`)
  return { connection: bound, grantId: grantOf(bound, found) }
}

/** An unavailable binding fails the run if the Agent requires it, else only the call. */
export async function closing<Value>(isRequiredByAgent: boolean, work: () => Value | Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (error) {
    if (isRequiredByAgent || !(error instanceof OperationFailure) || error.code !== 'binding_unavailable') throw error
    throw toolError(error.message, { cause: error })
  }
}

/** The shortest secret that is redacted. */
const resultCharactersMin = 8
const messageCharactersMin = 4

export const fromResultsOf = (connection: UsableConnection) => new Redaction(secretsOf(connection), resultCharactersMin)

export const fromMessagesOf = (connection: UsableConnection, others: Iterable<string> = []) =>
  new Redaction([...secretsOf(connection), ...others], messageCharactersMin)

/** For `user:password` also the password alone. */
function secretsOf({ settings: { auth }, secret }: UsableConnection): string[] {
  if (secret === null) return []
  return auth === 'basic' ? [secret, secret.slice(secret.indexOf(':') + 1)] : [secret]
}

export async function revealed(revealing: Promise<Secret>): Promise<string> {
  try {
    return (await revealing).reveal()
  } catch (error) {
    if (error instanceof SecretUnavailable) throw bindingUnavailable(error.message, error)
    throw error
  }
}
