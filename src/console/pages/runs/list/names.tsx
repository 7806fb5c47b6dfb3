/** Names of Agents, and of who started runs. Each list is read once and shared by all rows of a page. */
import { useQueries } from '@tanstack/react-query'
import { useMemo } from 'react'
import { sent } from '../../../api/client.ts'
import { agentChoicesOf, choicesFreshMs, useAgentChoices } from '../../../data/choices.ts'
import { useApi } from '../../../data/context.ts'
import { useMembers } from '../../../data/people.ts'
import { readingOf } from '../../../data/resource.ts'
import { shortenedId } from '../../../ui/text/shortened-id.ts'

type Named = readonly { id: string; name: string }[]

const namesIn = (...lists: (Named | undefined)[]): ReadonlyMap<string, string> =>
  new Map(lists.flatMap((list) => list ?? []).map(({ id, name }) => [id, name]))

/** Agents of a Project by id; null for System Agents. */
export const useAgentNames = (projectId: string | null | undefined): ReadonlyMap<string, string> =>
  namesIn(useAgentChoices(projectId).value)

const together = (readings: { data: Named | undefined }[]) => namesIn(...readings.map(({ data }) => data))

/** Agents of any number of Projects by id, as `useAgentNames`. */
export function useNamesOfAgents(projectIds: readonly (string | null)[]): ReadonlyMap<string, string> {
  const api = useApi()
  const ids = JSON.stringify([...new Set(projectIds)].sort())
  const queries = useMemo(
    () =>
      (JSON.parse(ids) as (string | null)[]).map((id) => ({
        ...readingOf(...agentChoicesOf(api, id)),
        staleTime: choicesFreshMs,
      })),
    [api, ids],
  )
  return useQueries({ queries, combine: together })
}

const namesOfKeys = (readings: { data: { data: { id: string; name: string } } | undefined }[]) =>
  namesIn(readings.flatMap(({ data }) => data?.data ?? []))

/** Members and API keys by id, as far as the user may see them. */
export function useNamesOfStarters(starters: readonly { type: string; id: string }[]): ReadonlyMap<string, string> {
  const api = useApi()
  const members = useMembers(starters.some(({ type }) => type === 'user')).value
  const keyIds = JSON.stringify([...new Set(starters.flatMap(({ type, id }) => (type === 'apiKey' ? id : [])))].sort())
  const queries = useMemo(
    () =>
      (JSON.parse(keyIds) as string[]).map((keyId) =>
        readingOf(['keys', keyId], (options) => sent(api.v1['api-keys']({ keyId }).get(options))),
      ),
    [api, keyIds],
  )
  const keys = useQueries({ queries, combine: namesOfKeys })
  return useMemo(
    () => new Map([...keys, ...(members ?? []).map(({ userId, name }) => [userId, name] as const)]),
    [keys, members],
  )
}

/** The name; the id without permission. */
export function AgentName({ projectId, agentId }: { projectId: string | null; agentId: string }) {
  const { value, loading } = useAgentChoices(projectId)
  // the ID is wider than most names, and rows would move
  if (loading) return <span className="faint">…</span>
  const name = namesIn(value).get(agentId)
  return name === undefined ? <code title={agentId}>{shortenedId(agentId)}</code> : <span title={agentId}>{name}</span>
}
