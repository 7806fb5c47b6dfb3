/** What was read from the API: kept by TanStack Query while a page shows it and for a while after. */
import { QueryClient, type QueryKey } from '@tanstack/react-query'
import type { ApiFailure } from '../api/failure.ts'

/** A list of words; a change names the beginning of the keys that it touches. */
export type Key = QueryKey

declare module '@tanstack/react-query' {
  interface Register {
    defaultError: ApiFailure
  }
}

/** Every page reads when it opens, and decides itself whether it reads again: no retries, no waiting for the network. */
export const createQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: { retry: false, networkMode: 'always', refetchOnWindowFocus: false },
      mutations: { networkMode: 'always' },
    },
  })

/** Reads again what begins with the key: now where a page shows it, else when a page shows it again. */
export async function refresh(queries: QueryClient, queryKey: Key = []): Promise<void> {
  queries.removeQueries({ queryKey, type: 'inactive' })
  // also a first reading begins anew: its answer may be older than the change
  await queries.cancelQueries({ queryKey })
  await queries.invalidateQueries({ queryKey })
}

/** What never changes (revisions, Releases, Configuration Revisions) is read once; a failed reading is tried again. */
export const once = <Value>(queries: QueryClient, id: string, read: () => Promise<Value>): Promise<Value> =>
  queries.fetchQuery({ queryKey: ['once', id], queryFn: read, staleTime: 'static', gcTime: Number.POSITIVE_INFINITY })
