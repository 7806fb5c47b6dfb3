/** Query cache (TanStack Query). */
import { QueryClient, type QueryKey } from '@tanstack/react-query'
import type { ApiFailure } from '../api/failure.ts'

/** A query key; mutations name key prefixes. */
export type Key = QueryKey

declare module '@tanstack/react-query' {
  interface Register {
    defaultError: ApiFailure
  }
}

/** Pages read on mount and set their own intervals: no retries, no waiting for the network. */
export const createQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: { retry: false, networkMode: 'always', refetchOnWindowFocus: false },
      mutations: { networkMode: 'always' },
    },
  })

/** Refetches queries with this key prefix: now if mounted, otherwise on next mount. */
export async function refresh(queries: QueryClient, queryKey: Key = []): Promise<void> {
  queries.removeQueries({ queryKey, type: 'inactive' })
  // restart initial loads too: their response may predate the change
  await queries.cancelQueries({ queryKey })
  await queries.invalidateQueries({ queryKey })
}

/** Reads immutable data (revisions, Releases, Configuration Revisions) once; a failed read is retried on next use. */
export const once = <Value>(queries: QueryClient, id: string, read: () => Promise<Value>): Promise<Value> =>
  queries.fetchQuery({ queryKey: ['once', id], queryFn: read, staleTime: 'static', gcTime: Number.POSITIVE_INFINITY })
