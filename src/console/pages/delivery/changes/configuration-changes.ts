/** Differences between the current configuration and the newest Configuration Revision. Pure. */
import type { ConfigurationRevision } from '../../../../delivery/configuration-revisions/schema.ts'
import type { Connection } from '../../../../delivery/connections/schema.ts'
import type { ProviderSetting } from '../../../../delivery/provider-settings/schema.ts'
import type { Variable } from '../../../../delivery/variables/schema.ts'

/** Current configuration of an Environment. */
interface Present {
  variables: readonly Variable[]
  connections: readonly Connection[]
  settings: readonly ProviderSetting[]
}

type Pinned = Pick<ConfigurationRevision, 'variables' | 'connections' | 'providerSettings'>

interface Change {
  what: 'variable' | 'Connection' | 'model'
  name: string
  is: 'new' | 'changed' | 'gone'
}

const sameBinding = (
  one: { agentId: string | null; bindingKey: string | null },
  other: { agentId: string | null; bindingKey: string | null },
) => one.agentId === other.agentId && one.bindingKey === other.bindingKey

/** In display order. */
export function changesSince(pinned: Pinned, present: Present, nameOf: (id: string) => string): Change[] {
  const changes: Change[] = []
  const note = (what: Change['what'], name: string, is: Change['is'] | false) => is && changes.push({ what, name, is })

  for (const variable of present.variables) {
    const before = pinned.variables.find(({ variableId }) => variableId === variable.id)
    const same = before?.version === variable.version && sameBinding(before, variable) && before.name === variable.name
    note('variable', variable.name, !before ? 'new' : same ? false : 'changed')
  }
  for (const { variableId, name } of pinned.variables)
    note('variable', name, !present.variables.some(({ id }) => id === variableId) && 'gone')

  for (const connection of present.connections) {
    const before = pinned.connections.find(({ connectionId }) => connectionId === connection.id)
    const same =
      before?.connectionVersionId === connection.currentVersion.id &&
      sameBinding(before, connection) &&
      (before.name ?? connection.name) === connection.name
    note('Connection', connection.name, !before ? 'new' : same ? false : 'changed')
  }
  for (const { connectionId, name = connectionId } of pinned.connections)
    note('Connection', name, !present.connections.some(({ id }) => id === connectionId) && 'gone')

  for (const setting of present.settings) {
    const before = pinned.providerSettings.find(({ settingId }) => settingId === setting.settingId)
    const same =
      before?.provider === setting.provider &&
      before.model === setting.model &&
      before.providerCredentialId === setting.providerCredentialId
    note('model', nameOf(setting.agentId), !before ? 'new' : same ? false : 'changed')
  }
  for (const { settingId, agentId } of pinned.providerSettings)
    note('model', nameOf(agentId), !present.settings.some((setting) => setting.settingId === settingId) && 'gone')
  return changes
}
