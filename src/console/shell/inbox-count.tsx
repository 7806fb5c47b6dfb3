/** Number of items that need attention in the organization, shown in the navigation. */
import type { ApiFailure } from '../api/failure.ts'
import { useApi } from '../data/context.ts'
import { useResource } from '../data/resource.ts'

const refreshMs = 20_000

/** Refetched after each action of the inbox. */
export const inboxKey = ['inbox']

const isRefused = (failure: ApiFailure | null | undefined) => failure?.status === 403 || failure?.status === 404

/** 0 while unknown and without permission. */
export function useInboxCount(): number {
  const api = useApi()
  const { value, failure } = useResource(
    [...inboxKey, 'count'],
    (options) => api.v1.inbox.get({ ...options, query: { limit: 1 } }),
    {
      every: (_, failure) => (isRefused(failure) ? null : refreshMs),
      refetchOnWindowFocus: (failure) => (isRefused(failure) ? false : 'always'),
    },
  )
  return isRefused(failure) ? 0 : (value?.total ?? 0)
}
