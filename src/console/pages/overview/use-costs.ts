/** Costs broken down by owner. */
import { useApi } from '../../data/context.ts'
import { type Resource, useResource } from '../../data/resource.ts'
import type { Range, Scope, Statistics } from './figures.ts'

export const costWays = [
  { value: 'agent', title: 'Agent' },
  { value: 'model', title: 'Model' },
  { value: 'apiKey', title: 'API key' },
  { value: 'project', title: 'Project' },
] as const
export type CostWay = (typeof costWays)[number]['value']

export const costWay = (text: string): CostWay => costWays.find(({ value }) => value === text)?.value ?? 'agent'

const everyMs = 60_000

export function useCostShares(scope: Scope, { value, lengthMs, interval }: Range, by: CostWay): Resource<Statistics> {
  const api = useApi()
  return useResource(
    ['runs', 'costs', by, value, scope.projectId, scope.environmentId],
    (options) =>
      api.v1['agent-runs'].statistics.get({
        ...options,
        query: { from: new Date(Date.now() - lengthMs).toISOString(), interval, by, ...scope },
      }),
    { every: everyMs },
  )
}
