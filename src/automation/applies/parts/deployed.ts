/** The configuration of an Environment as an export shows it: that of the active Deployment, or the current one. */
import { findConfigurationRevision } from '../../../../storage/delivery/configuration-revisions.ts'
import type { CurrentConnection } from '../../../../storage/delivery/connections.ts'
import { findPinnedConnection } from '../../../../storage/delivery/pins.ts'
import { findPinnedVariable } from '../../../../storage/delivery/variables.ts'
import type { Store } from '../../../../storage/store.ts'
import type { ProviderSettingRow, VariableVersionRow } from '../../../../storage/tables.ts'
import type { Configuration } from '../../../delivery/configuration-revisions/content.ts'
import { nextTurn } from '../../../platform/time/next-turn.ts'
import type { Standing } from '../standing.ts'

/** The source of a variable's value, if it has one. */
type ShownSource = Pick<VariableVersionRow, 'source_variable_id' | 'source_version'>
export type ShownConnection = Pick<
  CurrentConnection,
  'name' | 'kind' | 'agent_id' | 'binding_key' | 'settings' | 'provider_credential_id'
>
type ShownModel = Pick<ProviderSettingRow, 'provider' | 'model' | 'settings' | 'provider_credential_id'>

export interface ShownConfiguration {
  variables: Map<string, ShownSource>
  /** Newest first. */
  connections: ShownConnection[]
  /** By the id of the Agent. */
  models: Map<string, ShownModel>
}

/** The configuration of the active Deployment; before the first Activation, what is active in the Environment. */
export async function shownConfiguration(store: Store, standing: Standing): Promise<ShownConfiguration> {
  const { environment, serving } = standing
  const revision =
    environment &&
    serving &&
    (await store.first(
      findConfigurationRevision(store, {
        organizationId: environment.organization_id,
        environmentId: environment.id,
        id: serving.deployment.configuration_revision_id,
      }),
    ))
  if (!revision) return currentConfiguration(standing)
  const { organization_id: organizationId, environment_id: environmentId } = revision
  const { variables, connections, providerSettings } = JSON.parse(revision.content) as Configuration
  const shown: ShownConfiguration = { variables: new Map(), connections: [], models: new Map() }
  // those for all Agents come last and replace the others
  for (const { variableId: id, name, version } of variables.sort(bindingsFirst)) {
    const found = await store.first(findPinnedVariable(store, { organizationId, id, version }))
    shown.variables.set(name, found ?? { source_variable_id: null, source_version: null })
    await nextTurn()
  }
  for (const { agentId, bindingKey, providerCredentialId, ...pin } of connections) {
    const found = await store.first(findPinnedConnection(store, { environmentId, ...pin }))
    await nextTurn()
    if (!found?.settings) continue
    const { name, kind, settings } = { ...found, ...pin, settings: found.settings }
    const bound = { agent_id: agentId, binding_key: bindingKey }
    shown.connections.unshift({ name, kind, settings, ...bound, provider_credential_id: providerCredentialId })
  }
  for (const { agentId, provider, model, settings, providerCredentialId } of providerSettings) {
    const credential = { provider_credential_id: providerCredentialId }
    shown.models.set(agentId, { provider, model, settings: JSON.stringify(settings), ...credential })
  }
  return shown
}

const bindingsFirst = (one: { agentId: string | null }, other: { agentId: string | null }) =>
  Number(one.agentId === null) - Number(other.agentId === null)

function currentConfiguration({ variables, boundVariables, connections, models }: Standing): ShownConfiguration {
  const isActive = ({ status }: { status: string }) => status === 'active'
  return {
    variables: new Map([...boundVariables, ...variables.values()].filter(isActive).map((each) => [each.name, each])),
    connections: connections.filter(isActive),
    models,
  }
}
