/** Contents of a Configuration Revision, with names instead of ids. Pure. */
import type { ConfigurationRevision } from '../../../delivery/configuration-revisions/schema.ts'

export interface Names {
  /** Of an Agent. */
  agent(id: string): string
  /** Name and number of a Connection's version; an earlier version has no number, so its id tells it apart. */
  connection(id: string, versionId: string): { name: string; version: number | string }
  /** Of a provider credential. */
  credential(id: string): string
}

type Content = Pick<ConfigurationRevision, 'variables' | 'connections' | 'providerSettings'>

/** The id if there is no name. */
export function namedContent({ variables, connections, providerSettings }: Content, names: Names) {
  const bound = ({ agentId, bindingKey }: { agentId: string | null; bindingKey: string | null }) =>
    agentId === null ? {} : { agent: names.agent(agentId), bindingKey }
  return {
    variables: variables.map(({ name, version, ...binding }) => ({ name, version, ...bound(binding) })),
    connections: connections.map(({ connectionId, connectionVersionId, name, ...binding }) => ({
      ...names.connection(connectionId, connectionVersionId),
      ...(name !== undefined && { name }),
      ...bound(binding),
    })),
    models: providerSettings.map(
      ({ agentId, provider, model, providerCredentialId: id, providerCredentialVersion: version }) => ({
        agent: names.agent(agentId),
        provider,
        model,
        credential: id === null ? null : { label: names.credential(id), version },
      }),
    ),
  }
}
