/** Reading from the API in a component. */
import { skipToken, useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { type Answer, type BodyOf, sent } from '../api/client.ts'
import { ApiFailure, failureOf, isAbort } from '../api/failure.ts'
import { useRefresh } from './context.ts'
import type { Key } from './queries.ts'

/** Pass to the operation, so that unmounting aborts the request. */
export interface ReadOptions {
  fetch: { signal: AbortSignal }
}

/** The `data` field of a response, if it has one. */
export type Content<Body> = Body extends { data: infer Data } ? Data : Body

export interface Resource<Value> {
  /** Undefined until loaded; keeps the last value during a refetch. */
  value: Value | undefined
  failure: ApiFailure | undefined
  /** First load in progress. */
  loading: boolean
  /** Refetch in progress. */
  refreshing: boolean
  refresh(): Promise<void>
}

/** In milliseconds; null for none. The value is undefined until loaded. */
export type Interval<Value> =
  | number
  | null
  | ((value: Value | undefined, failure: ApiFailure | undefined) => number | null)

/** Refetch interval: paused while the page is hidden, longer after a failure. */
export interface ReadingOptions<Value> {
  every?: Interval<Value>
  refetchOnWindowFocus?: (failure: ApiFailure | undefined) => boolean | 'always'
  /** A part of a page that appears within this time of a read shows its value, and does not read again. */
  freshMs?: number
}

/** Interval factor after a failure. */
const slower = 2

export const contentOf = (body: unknown): unknown =>
  typeof body === 'object' && body !== null && 'data' in body ? body.data : body

/** The query of `useReading`, for several at once. */
export const readingOf = <Value>(key: Key, read: (options: ReadOptions) => Promise<Value>) => ({
  queryKey: key,
  queryFn: ({ signal }: { signal: AbortSignal }) => read({ fetch: { signal } }).catch(rejectWithFailure),
})

/** Reads any value; a null key reads nothing. For API responses use `useResource`. */
export function useReading<Value>(
  key: Key | null,
  read: (options: ReadOptions) => Promise<Value>,
  { every = null, refetchOnWindowFocus, freshMs = 0 }: ReadingOptions<Value> = {},
): Resource<Value> {
  const refreshKey = useRefresh()
  const { data, error, isPending, isFetching } = useQuery<Value>({
    ...(key === null ? { queryKey: [], queryFn: skipToken } : readingOf(key, read)),
    refetchInterval: ({ state: { data, error } }) => {
      const everyMs = typeof every === 'function' ? every(data, error ?? undefined) : every
      return everyMs !== null && (error ? everyMs * slower : everyMs)
    },
    staleTime: freshMs,
    ...(refetchOnWindowFocus && {
      refetchOnWindowFocus: ({ state: { error } }) => refetchOnWindowFocus(error ?? undefined),
    }),
  })
  // keep the error on screen during the retry
  const name = JSON.stringify(key)
  const last = useRef({ name, error })
  if (!isPending || last.current.name !== name) last.current = { name, error }
  const failure = last.current.error ?? undefined
  const loading = key !== null && isPending && failure === undefined
  const refresh = () => (key === null ? Promise.resolve() : refreshKey(key))
  return { value: data, failure, loading, refreshing: isFetching && !loading, refresh }
}

function rejectWithFailure(thrown: unknown): never {
  if (!(thrown instanceof ApiFailure) && !isAbort(thrown)) console.warn(thrown)
  throw failureOf(thrown)
}

/**
 * One resource, refetched when `refresh` names a prefix of its key.
 *
 *     const project = useResource(['projects', projectId], (options) => api.v1.projects({ projectId }).get(options))
 */
export function useResource<Answered extends Answer>(
  key: Key | null,
  read: (options: ReadOptions) => Promise<Answered>,
  { every = null, ...options }: ReadingOptions<Content<BodyOf<Answered>>> = {},
): Resource<Content<BodyOf<Answered>>> {
  const body = useReading(key, (options) => sent(read(options)), {
    ...options,
    every:
      typeof every !== 'function'
        ? every
        : (body, failure) => every(contentOf(body) as Content<BodyOf<Answered>>, failure),
  })
  return { ...body, value: contentOf(body.value) as Content<BodyOf<Answered>> | undefined }
}

/** Calls `refresh` at an interval; null pauses it. For one resource use its `every`. The key identifies the interval. */
export function useInterval(key: Key, everyMs: number | null, refresh: () => Promise<void>): void {
  useQuery({
    queryKey: ['interval', ...key],
    queryFn: () => refresh().then(() => null),
    enabled: everyMs !== null,
    refetchInterval: everyMs ?? false,
    // the first call comes after one interval
    initialData: null,
    staleTime: Number.POSITIVE_INFINITY,
  })
}
