/** Names of Agents. Each list is read once and shared by all rows of a page. */
import { useApi } from '../../../data/context.ts'
import { useResource } from '../../../data/resource.ts'

const listMax = 100

/** Agents of a Project by id; null for System Agents. */
export function useAgentNames(projectId: string | null | undefined): ReadonlyMap<string, string> {
  const api = useApi()
  const system = useResource(projectId === null ? ['agents', 'system'] : null, (options) =>
    api.v1['system-agents'].get({ ...options, query: { limit: listMax } }),
  )
  const own = useResource(projectId ? ['agents', projectId, 'names'] : null, (options) =>
    api.v1.projects({ projectId: projectId as string }).agents.get({ ...options, query: { limit: listMax } }),
  )
  const items = (projectId === null ? system.value?.items : own.value?.items) ?? []
  return new Map(items.map(({ id, name }) => [id, name]))
}

const shortened = (id: string) => (id.length > 20 ? `${id.slice(0, 8)}…${id.slice(-6)}` : id)

/** The name; the id without permission. */
export function AgentName({ projectId, agentId }: { projectId: string | null; agentId: string }) {
  const name = useAgentNames(projectId).get(agentId)
  return name === undefined ? <code title={agentId}>{shortened(agentId)}</code> : <span title={agentId}>{name}</span>
}
