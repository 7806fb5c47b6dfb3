/** The pins of an Apply's Release, and an earlier Release with the same pins. Source: contract 10, "The same manifest again writes nothing". */
import { findRelease } from '../../../storage/authoring/releases.ts'
import type { Store } from '../../../storage/store.ts'
import type { DelegateAttachment } from '../../authoring/releases/schema.ts'
import { digestOf } from '../../platform/http/digest.ts'
import { keptAgents, keptDefinitions } from './kept.ts'
import { findRevision, grantsOf } from './parts/agents.ts'
import { delegationOf } from './parts/delegates.ts'
import type { Planning } from './step.ts'

interface Pins {
  agents: { agentId: string; agentRevisionId: string }[]
  definitions: { definitionId: string; definitionRevisionId: string }[]
  /** All of them: a pinned content may lead elsewhere, where a Release replaced its delegates. */
  delegateAttachments: DelegateAttachment[]
}

/** Sorted by the pinned ids, so that equal Releases have their pins in the same order. */
export function pinsOf(planning: Planning): Pins | undefined {
  const { manifest, standing } = planning
  const delegation = delegationOf(standing)
  const agents = Object.entries(manifest.agents ?? {}).map(([slug, wanted]) => {
    const agent = standing.agents.get(slug)
    const content = wanted.content as Record<string, unknown>
    const found = agent && findRevision(delegation, agent, content, grantsOf(wanted, manifest.definitions))
    return found && { agentId: agent.row.id, agentRevisionId: found.id }
  })
  const definitions = Object.entries(manifest.definitions ?? {}).map(([name, wanted]) => {
    const { row, serving, latest } = standing.definitions.get(name) ?? {}
    const digest = digestOf(wanted.source)
    const found = [serving, latest].find((each) => each?.source_digest === digest)
    return row && found ? { definitionId: row.id, definitionRevisionId: found.id } : undefined
  })
  if (agents.includes(undefined) || definitions.includes(undefined)) return undefined
  return {
    agents: [
      ...(agents as Pins['agents']),
      ...keptAgents(planning).map(({ row, serving }) => ({ agentId: row.id, agentRevisionId: serving.id })),
    ].sort((one, other) => (one.agentId < other.agentId ? -1 : 1)),
    definitions: [
      ...(definitions as Pins['definitions']),
      ...keptDefinitions(planning).map(({ row, serving }) => ({
        definitionId: row.id,
        definitionRevisionId: serving.id,
      })),
    ].sort((one, other) => (one.definitionId < other.definitionId ? -1 : 1)),
    delegateAttachments: planning.attachments,
  }
}

const keyOf = ({ agents, definitions, delegateAttachments }: Pins) =>
  JSON.stringify([
    agents.map(({ agentRevisionId }) => agentRevisionId).sort(),
    definitions.map(({ definitionRevisionId }) => definitionRevisionId).sort(),
    delegateAttachments.map(({ agentId, name, delegateAgentId }) => `${agentId}/${name} ${delegateAgentId}`).sort(),
  ])

/** The id of the active Release, or of the last applied one, if it has the same pins and delegates. */
export async function sameRelease(store: Store, planning: Planning, pins: Pins): Promise<string | undefined> {
  const { standing, organizationId } = planning
  const { project, serving, lastApplied } = standing
  for (const releaseId of [serving?.deployment.release_id, lastApplied?.releaseId]) {
    if (!releaseId || !project) continue
    const found = await store.first(findRelease(store, { organizationId, projectId: project.id, id: releaseId }))
    if (!found) continue
    const pinned = {
      agents: JSON.parse(found.agents),
      definitions: JSON.parse(found.definitions),
      delegateAttachments: JSON.parse(found.delegate_attachments),
    } as Pins
    if (keyOf(pinned) === keyOf(pins)) return releaseId
  }
  return undefined
}
