/** Reading from the API in a component. */
import { skipToken, useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { type Answer, type BodyOf, sent } from '../api/client.ts'
import { ApiFailure, failureOf, isAbort } from '../api/failure.ts'
import { useRefresh } from './context.ts'
import type { Key } from './queries.ts'

/** To be handed on to the operation, so that the request ends with the component. */
export interface ReadOptions {
  fetch: { signal: AbortSignal }
}

/** What an answer is about: its `data`, where it has one. */
export type Content<Body> = Body extends { data: infer Data } ? Data : Body

export interface Resource<Value> {
  /** Undefined until it is there; the last one while it is read again. */
  value: Value | undefined
  failure: ApiFailure | undefined
  /** Being read for the first time. */
  loading: boolean
  /** Being read again. */
  refreshing: boolean
  refresh(): Promise<void>
}

/** In milliseconds; null: not by itself. The value is undefined until it has been read. */
export type Interval<Value> =
  | number
  | null
  | ((value: Value | undefined, failure: ApiFailure | undefined) => number | null)

/** When it is read again by itself: never while the page is hidden, and less often after a failure. */
export interface ReadingOptions<Value> {
  every?: Interval<Value>
  refetchOnWindowFocus?: (failure: ApiFailure | undefined) => boolean | 'always'
}

/** After a failure this many times as long. */
const slower = 2

export const contentOf = (body: unknown): unknown =>
  typeof body === 'object' && body !== null && 'data' in body ? body.data : body

/** Reads a value, or nothing yet where the key is null. What is not of the API's own answers is read with it directly. */
export function useReading<Value>(
  key: Key | null,
  read: (options: ReadOptions) => Promise<Value>,
  { every = null, refetchOnWindowFocus }: ReadingOptions<Value> = {},
): Resource<Value> {
  const refreshKey = useRefresh()
  const { data, error, isPending, isFetching } = useQuery<Value>({
    queryKey: key ?? [],
    queryFn: key === null ? skipToken : ({ signal }) => read({ fetch: { signal } }).catch(rejectWithFailure),
    refetchInterval: ({ state: { data, error } }) => {
      const everyMs = typeof every === 'function' ? every(data, error ?? undefined) : every
      return everyMs !== null && (error ? everyMs * slower : everyMs)
    },
    ...(refetchOnWindowFocus && {
      refetchOnWindowFocus: ({ state: { error } }) => refetchOnWindowFocus(error ?? undefined),
    }),
  })
  // what went wrong stays on the screen while it is tried again
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
 * One resource, read now and whenever `refresh` names the beginning of its key.
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

/**
 * Refreshes at an interval what has no reading of its own here; null: not now. For one resource use its `every`. The key
 * names this interval.
 */
export function useInterval(key: Key, everyMs: number | null, refresh: () => Promise<void>): void {
  useQuery({
    queryKey: ['interval', ...key],
    queryFn: () => refresh().then(() => null),
    enabled: everyMs !== null,
    refetchInterval: everyMs ?? false,
    // begins with the first interval, not at once
    initialData: null,
    staleTime: Number.POSITIVE_INFINITY,
  })
}
