/** Names of Agents. Each list is read once and shared by all rows of a page. */
import { useQueries } from '@tanstack/react-query'
import { useMemo } from 'react'
import { type Api, sent } from '../../../api/client.ts'
import { useApi } from '../../../data/context.ts'
import { type ReadOptions, readingOf, useReading } from '../../../data/resource.ts'

const listMax = 100

const keyOf = (projectId: string | null) => (projectId === null ? ['agents', 'system'] : ['agents', projectId, 'names'])

interface Named {
  data: { items: readonly { id: string; name: string }[] }
}

const readNames =
  (api: Api, projectId: string | null) =>
  (options: ReadOptions): Promise<Named> => {
    const query = { limit: listMax }
    return projectId === null
      ? sent(api.v1['system-agents'].get({ ...options, query }))
      : sent(api.v1.projects({ projectId }).agents.get({ ...options, query }))
  }

const namesIn = (...bodies: (Named | undefined)[]): ReadonlyMap<string, string> =>
  new Map(bodies.flatMap((body) => body?.data.items ?? []).map(({ id, name }) => [id, name]))

/** Agents of a Project by id; null for System Agents. */
export function useAgentNames(projectId: string | null | undefined): ReadonlyMap<string, string> {
  const api = useApi()
  const isNone = projectId === undefined || projectId === ''
  const { value } = useReading(isNone ? null : keyOf(projectId), readNames(api, projectId ?? null))
  return namesIn(value)
}

const together = (readings: { data: Named | undefined }[]) => namesIn(...readings.map(({ data }) => data))

/** Agents of any number of Projects by id, as `useAgentNames`. */
export function useNamesOfAgents(projectIds: readonly (string | null)[]): ReadonlyMap<string, string> {
  const api = useApi()
  const ids = JSON.stringify([...new Set(projectIds)].sort())
  const queries = useMemo(
    () => (JSON.parse(ids) as (string | null)[]).map((id) => readingOf(keyOf(id), readNames(api, id))),
    [api, ids],
  )
  return useQueries({ queries, combine: together })
}

export const shortenedId = (id: string) => (id.length > 20 ? `${id.slice(0, 8)}…${id.slice(-6)}` : id)

/** The name; the id without permission. */
export function AgentName({ projectId, agentId }: { projectId: string | null; agentId: string }) {
  const name = useAgentNames(projectId).get(agentId)
  return name === undefined ? <code title={agentId}>{shortenedId(agentId)}</code> : <span title={agentId}>{name}</span>
}
