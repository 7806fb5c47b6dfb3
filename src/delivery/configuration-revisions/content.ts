/** What a Configuration Revision holds, as it is stored and digested. Source: contract 3, `ConfigurationRevision`. */
import type { ConfigurationText } from '../../../storage/delivery/configuration-revisions.ts'
import type { Bindable } from '../deployments/resolution.ts'
import type { RequiredBinding } from './required.ts'

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

type Status = 'active' | 'disabled'
type VariableTuple = [string, string, number, string | null, string | null, Status]
type ConnectionTuple = [string, string, string | null, string | null, string | null, number | null, string, Status]
type SettingTuple = [number, string, string | null, string | null, string, string | null, number | null]

/** Whether there is anything in the text that is disabled. */
export const hasDisabled = ({ variables, connections }: ConfigurationText): boolean =>
  (JSON.parse(variables) as VariableTuple[]).some(([, , , , , status]) => status === 'disabled') ||
  (JSON.parse(connections) as ConnectionTuple[]).some(([, , , , , , , status]) => status === 'disabled')

/**
 * The configuration behind the text that the store has made of it. What is disabled is left out, unless a binding requires
 * it: then a Deployment is to say so.
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
