/** The content of a Configuration Revision, as stored and digested. Source: contract 3, `ConfigurationRevision`. */
import type { ConfigurationText } from '../../../storage/delivery/configuration-revisions.ts'
import type { Bindable } from '../deployments/resolution.ts'
import type { RequiredBinding } from './required.ts'

export interface PinnedVariable {
  variableId: string
  name: string
  version: number
  /** The Agent that it is bound to under a key; null if it is for all Agents. */
  agentId: string | null
  bindingKey: string | null
}

/** The exact version of a credential, if there is one. */
interface CredentialReference {
  providerCredentialId: string | null
  providerCredentialVersion: number | null
}

/** The credential is that of the Connection version, copied because an open version is resolved here. */
export interface PinnedConnection extends CredentialReference {
  connectionId: string
  connectionVersionId: string
  /** The name by which keys find it; revisions of earlier versions have none, and follow its current name. */
  name?: string
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

type Status = 'active' | 'disabled'
type VariableTuple = [string, string, number, string | null, string | null, Status]
type ConnectionTuple = [string, string, string | null, string | null, string | null, number | null, string, Status]
type SettingTuple = [number, string, string | null, string | null, string, string | null, number | null]

/** Whether the text includes disabled items. */
export const hasDisabled = ({ variables, connections }: ConfigurationText): boolean =>
  (JSON.parse(variables) as VariableTuple[]).some(([, , , , , status]) => status === 'disabled') ||
  (JSON.parse(connections) as ConnectionTuple[]).some(([, , , , , , , status]) => status === 'disabled')

/**
 * The configuration in the text from the store. Disabled items are left out unless a binding requires them, so that a
 * Deployment reports those.
 */
export function configurationOf(text: ConfigurationText, required: readonly RequiredBinding[] = []): Configuration {
  const isRequired = (kind: RequiredBinding['kind'], { name, agentId, bindingKey }: Bindable) =>
    required.some((each) => {
      if (each.kind !== kind) return false
      if (agentId === null) return name === each.bindingKey
      return agentId === each.agentId && (bindingKey === each.bindingKey || name === each.bindingKey)
    })
  return {
    variables: (JSON.parse(text.variables) as VariableTuple[]).flatMap(
      ([variableId, name, version, agentId, bindingKey, status]) =>
        status === 'disabled' && !isRequired('variable', { name, agentId, bindingKey })
          ? []
          : [{ variableId, name, version, agentId, bindingKey }],
    ),
    connections: (JSON.parse(text.connections) as ConnectionTuple[]).flatMap(
      ([connectionId, connectionVersionId, agentId, bindingKey, credentialId, credentialVersion, name, status]) =>
        status === 'disabled' && !isRequired('connection', { name, agentId, bindingKey })
          ? []
          : [
              {
                connectionId,
                connectionVersionId,
                name,
                agentId,
                bindingKey,
                providerCredentialId: credentialId,
                providerCredentialVersion: credentialVersion,
              },
            ],
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
  }
}
