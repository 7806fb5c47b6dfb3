/** Resources of the active Deployment that the manifest does not name: they stay active unless they are pruned. */
import type { AgentRevisionRow, AgentRow, DefinitionRevisionRow, DefinitionRow } from '../../../storage/tables.ts'
import type { DelegateAttachment } from '../../authoring/releases/schema.ts'
import type { Planning } from './step.ts'

type Kept<Row, Revision> = { row: Row; serving: Revision }
type Named = Pick<Planning, 'manifest' | 'standing' | 'prune'>

/** Whether an Apply with `prune` removes it: an Apply has created it. */
export const isPruned = ({ standing, prune }: Pick<Planning, 'standing' | 'prune'>, id: string): boolean =>
  prune && standing.made.has(id)

export const keptAgents = (planning: Named): Kept<AgentRow, AgentRevisionRow>[] =>
  [...planning.standing.agents.values()].flatMap(({ row, serving }) =>
    serving && !Object.hasOwn(planning.manifest.agents ?? {}, row.slug) && !isPruned(planning, row.id)
      ? [{ row, serving }]
      : [],
  )

export const keptDefinitions = (planning: Named): Kept<DefinitionRow, DefinitionRevisionRow>[] =>
  [...planning.standing.definitions.values()].flatMap(({ row, serving }) =>
    serving && !Object.hasOwn(planning.manifest.definitions ?? {}, row.name) && !isPruned(planning, row.id)
      ? [{ row, serving }]
      : [],
  )

/** The Agents behind the delegates of those Agents, as the active Release has them. */
export function keptAttachments(planning: Named & Pick<Planning, 'parts'>): DelegateAttachment[] {
  const { manifest, standing, parts } = planning
  const kept = new Set(keptAgents(planning).map(({ row }) => row.id))
  const named = Object.keys(manifest.agents ?? {}).flatMap((slug) => standing.agents.get(slug)?.row.id ?? [])
  const pinned = new Set([...kept, ...named])
  const isThere = (id: string) => pinned.has(id) || parts.systemAgents.find(id) !== undefined
  return (standing.serving?.attachments ?? []).filter(
    ({ agentId, delegateAgentId }) => kept.has(agentId) && isThere(delegateAgentId),
  )
}
