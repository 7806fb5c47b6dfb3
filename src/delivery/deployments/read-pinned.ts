/** Reads the pins of a Deployment by exact id and version; missing parts are undefined. Source: contract 3, "Deployment"; requirement 9.2. */

import { findRelease } from '../../../storage/authoring/releases.ts'
import { findConfigurationRevision } from '../../../storage/delivery/configuration-revisions.ts'
import { findPinnedAgent, findPinnedConnection, findPinnedDefinition } from '../../../storage/delivery/pins.ts'
import type { Store } from '../../../storage/store.ts'
import type { ConfigurationRevisionRow, DeploymentRow } from '../../../storage/tables.ts'
import type { DefinitionSource } from '../../authoring/definitions/source.ts'
import { nextTurn } from '../../platform/time/next-turn.ts'
import type { Configuration } from '../configuration-revisions/content.ts'
import type { DeployedAgent, DeployedConnection, DeployedDefinition, Pinned } from './pinned.ts'
import { withTodaysCredentials } from './todays-credentials.ts'

/** The pins; undefined if the Release or the Configuration Revision does not belong to the Environment. */
export async function readPinned(store: Store, deployment: DeploymentRow): Promise<Pinned | undefined> {
  const place = {
    organizationId: deployment.organization_id,
    projectId: deployment.project_id,
    environmentId: deployment.environment_id,
  }
  const release = await store.first(findRelease(store, { ...place, id: deployment.release_id }))
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
    const name = pin.name ?? row?.name ?? ''
    const found = row?.settings
      ? { name, kind: row.kind, settings: JSON.parse(row.settings) as Record<string, unknown> }
      : undefined
    return { ...pin, name, found, grantId: row?.oauth_grant_id ?? null, status: row?.status }
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

/** The part of a Configuration Revision for all Agents or for one of the given Agents. */
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

/** One after the other, because a Deployment may be large. */
async function each<Pin, Found>(pins: readonly Pin[], find: (pin: Pin) => Promise<Found>): Promise<Found[]> {
  const found: Found[] = []
  for (const pin of pins) {
    found.push(await find(pin))
    await nextTurn()
  }
  return found
}
