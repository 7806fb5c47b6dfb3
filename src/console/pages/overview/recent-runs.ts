/** The newest runs of a scope, in bounded pages. */
import { useEffect } from 'react'
import type { PresentedRun } from '../../../runs/present.ts'
import { type Api, sent } from '../../api/client.ts'
import { useAccess } from '../../data/context.ts'
import { type Resource, useRefreshEvery, useResource } from '../../data/resource.ts'

export const recentMax = 500
const pageLength = 100
const everyMs = 30_000

export interface Scope {
  projectId?: string
  environmentId?: string
}

export interface RecentRuns {
  runs: PresentedRun[]
  /** There are older ones. */
  isCut: boolean
}

async function read(api: Api, scope: Scope, signal: AbortSignal): Promise<RecentRuns> {
  const runs: PresentedRun[] = []
  let cursor: string | undefined
  for (;;) {
    const query = { limit: pageLength, sort: 'createdAt', order: 'desc', ...scope, ...(cursor && { cursor }) } as const
    const { agentRuns, pagination } = await sent(api.v1['agent-runs'].get({ query, fetch: { signal } }))
    runs.push(...agentRuns)
    cursor = pagination.nextCursor
    if (!pagination.hasMore || runs.length >= recentMax) return { runs, isCut: pagination.hasMore }
  }
}

/** Read again every half minute while somebody looks. */
export function useRecentRuns(scope: Scope): Resource<RecentRuns> {
  const { api, cache } = useAccess()
  const recent = useResource(
    ['runs', 'recent', scope.projectId, scope.environmentId],
    async ({ fetch: { signal } }) => ({ data: await read(api, scope, signal), error: null, status: 200 }) as const,
  )
  useRefreshEvery(everyMs, recent.refresh)
  // whoever comes back from a run that they started sees it
  useEffect(() => () => void cache.refresh(['runs', 'recent']), [cache])
  return recent as Resource<RecentRuns>
}
