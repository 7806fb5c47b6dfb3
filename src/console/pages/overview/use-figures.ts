/** Data of the overview: statistics and the newest runs of a scope. */
import type { PresentedRun } from '../../../runs/present.ts'
import { useApi } from '../../data/context.ts'
import { type Resource, useResource } from '../../data/resource.ts'
import type { FailedDeliveries } from './failed-deliveries.tsx'
import type { Range, Scope, Statistics } from './figures.ts'

const everyMs = 30_000
const latestShown = 6

/** Refetched every 30 seconds while visible, and when a run followed in this tab ends. */
export function useStatistics(scope: Scope, { value, lengthMs, interval }: Range): Resource<Statistics> {
  const api = useApi()
  return useResource(
    ['runs', 'overview', value, scope.projectId, scope.environmentId],
    (options) =>
      api.v1['agent-runs'].statistics.get({
        ...options,
        query: { from: new Date(Date.now() - lengthMs).toISOString(), interval, ...scope },
      }),
    { every: everyMs },
  )
}

export function useFailedDeliveries(scope: Scope): Resource<FailedDeliveries> {
  const api = useApi()
  return useResource(
    ['webhooks', 'overview', scope.projectId, scope.environmentId],
    (options) => api.v1['webhook-deliveries'].statistics.get({ ...options, query: { ...scope } }),
    { every: everyMs },
  )
}

export function useLatestRuns(scope: Scope): Resource<{ agentRuns: PresentedRun[] }> {
  const api = useApi()
  return useResource(
    ['runs', 'overview', 'latest', scope.projectId, scope.environmentId],
    (options) =>
      api.v1['agent-runs'].get({
        ...options,
        query: { limit: latestShown, sort: 'createdAt', order: 'desc', include: ['summary'], ...scope },
      }),
    { every: everyMs },
  )
}
