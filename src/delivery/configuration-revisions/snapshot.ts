/** The configuration of an Environment at this moment, as a Configuration Revision would hold it. Source: contract 3. */
import { type ConfigurationText, readConfiguration } from '../../../storage/delivery/configuration-revisions.ts'
import type { Store } from '../../../storage/store.ts'
import { canonical } from '../../platform/http/canonical.ts'
import { configurationOf, hasDisabled } from './content.ts'
import { requiredBindings } from './required.ts'

export interface Snapshot {
  /** As it was read, to compare with at the commit. */
  text: ConfigurationText
  /** Canonical JSON. */
  content: string
}

const none: ReadonlySet<string> = new Set()

/** `without`: ids of variables and Connections to leave out. Undefined if there is no such Environment. */
export async function snapshotOf(
  store: Store,
  { organizationId, projectId, environmentId }: { organizationId: string; projectId: string; environmentId: string },
  without = none,
): Promise<Snapshot | undefined> {
  const text = await store.first<ConfigurationText>(readConfiguration(store, { organizationId, environmentId }))
  if (!text) return undefined
  const required = hasDisabled(text) ? await requiredBindings(store, projectId) : []
  const { variables, connections, providerSettings } = configurationOf(text, required)
  const content = {
    variables: variables.filter(({ variableId }) => !without.has(variableId)),
    connections: connections.filter(({ connectionId }) => !without.has(connectionId)),
    providerSettings,
  }
  return { text, content: canonical(content) }
}
