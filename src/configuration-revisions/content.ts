/** What a Configuration Revision holds, as it is stored and digested. Source: contract 3, `ConfigurationRevision`. */
import type { ConfigurationText } from '../../storage/configuration-revisions.ts'

export interface PinnedVariable {
  variableId: string
  name: string
  version: number
  /** Bound to one Agent under a key, or (null) there for all. */
  agentId: string | null
  bindingKey: string | null
}

/** An exact credential version, if there is a credential. */
interface CredentialReference {
  providerCredentialId: string | null
  providerCredentialVersion: number | null
}

/** The credential is that of the connection version; it is kept here because a version that was left open is settled. */
export interface PinnedConnection extends CredentialReference {
  connectionId: string
  connectionVersionId: string
  agentId: string | null
  bindingKey: string | null
}

export interface PinnedSetting extends CredentialReference {
  settingId: number
  agentId: string
  provider: string | null
  model: string | null
  settings: Record<string, unknown>
}

export interface Configuration {
  variables: PinnedVariable[]
  connections: PinnedConnection[]
  providerSettings: PinnedSetting[]
}

type VariableTuple = [string, string, number, string | null, string | null]
type ConnectionTuple = [string, string, string | null, string | null, string | null, number | null]
type SettingTuple = [number, string, string | null, string | null, string, string | null, number | null]

/** The configuration behind the text that the store has made of it. */
export const configurationOf = (text: ConfigurationText): Configuration => ({
  variables: (JSON.parse(text.variables) as VariableTuple[]).map(
    ([variableId, name, version, agentId, bindingKey]) => ({ variableId, name, version, agentId, bindingKey }),
  ),
  connections: (JSON.parse(text.connections) as ConnectionTuple[]).map(
    ([connectionId, connectionVersionId, agentId, bindingKey, credentialId, credentialVersion]) => ({
      connectionId,
      connectionVersionId,
      agentId,
      bindingKey,
      providerCredentialId: credentialId,
      providerCredentialVersion: credentialVersion,
    }),
  ),
  providerSettings: (JSON.parse(text.settings) as SettingTuple[]).map(
    ([settingId, agentId, provider, model, settings, credentialId, credentialVersion]) => ({
      settingId,
      agentId,
      provider,
      model,
      settings: JSON.parse(settings) as Record<string, unknown>,
      providerCredentialId: credentialId,
      providerCredentialVersion: credentialVersion,
    }),
  ),
})
