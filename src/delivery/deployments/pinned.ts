/**
 * Everything that a Deployment pins, read by exact id and version. What is immutable is all here; what is missing is
 * undefined, for validation to tell of. Source: contract 3, "Deployment"; requirement 9.2.
 */

import { findRelease } from '../../../storage/authoring/releases.ts'
import { findConfigurationRevision } from '../../../storage/delivery/configuration-revisions.ts'
import { findPinnedAgent, findPinnedConnection, findPinnedDefinition } from '../../../storage/delivery/pins.ts'
import type { Store } from '../../../storage/store.ts'
import type { ConfigurationRevisionRow, ConnectionRow, DeploymentRow } from '../../../storage/tables.ts'
import type { AgentContent } from '../../authoring/agents/content.ts'
import type { DefinitionSource } from '../../authoring/definitions/source.ts'
import type {
  Configuration,
  PinnedConnection,
  PinnedSetting,
  PinnedVariable,
} from '../configuration-revisions/content.ts'
import { withTodaysCredentials } from './todays-credentials.ts'

export interface DeployedAgent {
  agentId: string
  agentRevisionId: string
  /** undefined: the Agent or the revision is not there. */
  found: { slug: string; name: string; content: AgentContent; grantedOperations: string[] } | undefined
  status: 'active' | 'deleting' | undefined
  /** Delegates within the server: the Agent behind each name. */
  delegates: Record<string, string>
}

export interface DeployedDefinition {
  definitionId: string
  definitionRevisionId: string
  found: { name: string; source: DefinitionSource } | undefined
  status: 'active' | 'deleting' | undefined
}

export interface DeployedConnection extends PinnedConnection {
  /** Empty when there is no such Connection any more. */
  name: string
  found: { name: string; kind: ConnectionRow['kind']; settings: Record<string, unknown> } | undefined
  /** The consent behind it. */
  grantId: string | null
  status: ConnectionRow['status'] | undefined
}

export interface Pinned {
  agents: DeployedAgent[]
  definitions: DeployedDefinition[]
  /** Those for all Agents, and those that are bound to an Agent of the Release. */
  variables: PinnedVariable[]
  connections: DeployedConnection[]
  /** Of the Agents of the Release. */
  settings: PinnedSetting[]
  /** Of all texts together, in characters. */
  size: number
}

/** What the row says that is pinned; undefined when the Release or the Configuration Revision is not the Environment's. */
export async function readPinned(store: Store, deployment: DeploymentRow): Promise<Pinned | undefined> {
  const place = {
    organizationId: deployment.organization_id,
    projectId: deployment.project_id,
    environmentId: deployment.environment_id,
  }
  const release = await store.first(findRelease(store, { ...place, releaseId: deployment.release_id }))
  const revision = await store.first(
    findConfigurationRevision(store, { ...place, id: deployment.configuration_revision_id }),
  )
  if (!release || !revision) return undefined

  let size = revision.content.length
  const attachments = JSON.parse(release.delegate_attachments) as Attachment[]
  const agents = await each(JSON.parse(release.agents) as AgentPin[], async (pin): Promise<DeployedAgent> => {
    const row = await store.first(findPinnedAgent(store, { ...place, ...pin }))
    const { slug = '', name = '', content, granted_operations: granted } = row ?? {}
    size += content?.length ?? 0
    return {
      ...pin,
      found:
        content && granted
          ? { slug, name, content: JSON.parse(content), grantedOperations: JSON.parse(granted) }
          : undefined,
      status: row?.status,
      delegates: Object.fromEntries(
        attachments
          .filter(({ agentId }) => agentId === pin.agentId)
          .map(({ name: delegate, delegateAgentId }) => [delegate, delegateAgentId]),
      ),
    }
  })
  const definitions = await each(
    JSON.parse(release.definitions) as DefinitionPin[],
    async (pin): Promise<DeployedDefinition> => {
      const row = await store.first(findPinnedDefinition(store, { ...place, ...pin }))
      size += row?.source?.length ?? 0
      const found = row?.source ? { name: row.name, source: JSON.parse(row.source) as DefinitionSource } : undefined
      return { ...pin, found, status: row?.status }
    },
  )

  const configuration = configurationFor(agents, revision)
  const connections = await each(configuration.connections, async (pin): Promise<DeployedConnection> => {
    const row = await store.first(findPinnedConnection(store, { ...place, ...pin }))
    size += row?.settings?.length ?? 0
    const found = row?.settings
      ? { name: row.name, kind: row.kind, settings: JSON.parse(row.settings) as Record<string, unknown> }
      : undefined
    return { ...pin, name: row?.name ?? '', found, grantId: row?.oauth_grant_id ?? null, status: row?.status }
  })
  const pinned = {
    agents,
    definitions,
    variables: configuration.variables,
    connections,
    settings: configuration.providerSettings,
    size,
  }
  return deployment.credentials === 'current' ? withTodaysCredentials(store, place, pinned) : pinned
}

/** The part of a Configuration Revision that is there for all, or for one of the Agents. */
export function configurationFor(
  agents: readonly { agentId: string }[],
  { content }: Pick<ConfigurationRevisionRow, 'content'>,
): Configuration {
  const { variables, connections, providerSettings } = JSON.parse(content) as Configuration
  const inRelease = new Set(agents.map(({ agentId }) => agentId))
  const concerns = ({ agentId }: { agentId: string | null }) => agentId === null || inRelease.has(agentId)
  return {
    variables: variables.filter(concerns),
    connections: connections.filter(concerns),
    providerSettings: providerSettings.filter(concerns),
  }
}

type AgentPin = Pick<DeployedAgent, 'agentId' | 'agentRevisionId'>
type DefinitionPin = Pick<DeployedDefinition, 'definitionId' | 'definitionRevisionId'>
interface Attachment {
  agentId: string
  name: string
  delegateAgentId: string
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** One after the other, and nobody waits for all of them: a Deployment may be large. */
async function each<Pin, Found>(pins: readonly Pin[], find: (pin: Pin) => Promise<Found>): Promise<Found[]> {
  const found: Found[] = []
  for (const pin of pins) {
    found.push(await find(pin))
    await nextTurn()
  }
  return found
}
