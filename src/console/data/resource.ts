/** Reading from the API in a component. */
import { useCallback, useEffect, useRef, useSyncExternalStore } from 'react'
import { type Answer, type BodyOf, sent } from '../api/client.ts'
import type { ApiFailure } from '../api/failure.ts'
import type { Key } from './cache.ts'
import { useAccess } from './context.ts'

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

const contentOf = (body: unknown): unknown =>
  typeof body === 'object' && body !== null && 'data' in body ? body.data : body

/** Watches a key of the cache; null: nothing to read yet. The whole body of the answer. */
export function useBody<Answered extends Answer>(
  key: Key | null,
  read: (options: ReadOptions) => Promise<Answered>,
): Resource<BodyOf<Answered>> {
  const { cache } = useAccess()
  const name = key === null ? null : JSON.stringify(key)
  const latest = useRef({ key, read })
  latest.current = { key, read }

  // biome-ignore lint/correctness/useExhaustiveDependencies: the name stands for the key, and the newest reading counts
  const subscribe = useCallback(
    (changed: () => void) => {
      const { key } = latest.current
      if (key === null) return () => {}
      const load = (signal: AbortSignal) => sent(latest.current.read({ fetch: { signal } }))
      return cache.watch(key, load, changed)
    },
    [cache, name],
  )
  const entry = useSyncExternalStore(subscribe, () => cache.entry(latest.current.key ?? ['']))
  const { value, failure, reading } = key === null ? { value: undefined, failure: undefined, reading: false } : entry
  const pending = key !== null && value === undefined && failure === undefined
  return {
    value: value as BodyOf<Answered> | undefined,
    failure,
    loading: pending,
    refreshing: reading && !pending,
    refresh: () => (key === null ? Promise.resolve() : cache.refresh(key)),
  }
}

/**
 * One resource, read now and whenever `cache.refresh` names the beginning of its key.
 *
 *     const project = useResource(['projects', projectId], (options) => api.v1.projects({ projectId }).get(options))
 */
export function useResource<Answered extends Answer>(
  key: Key | null,
  read: (options: ReadOptions) => Promise<Answered>,
): Resource<Content<BodyOf<Answered>>> {
  const body = useBody(key, read)
  return { ...body, value: contentOf(body.value) as Content<BodyOf<Answered>> | undefined }
}

/** Reads again every so often while the page is looked at; for what has no stream. */
export function useRefreshEvery(milliseconds: number | null, refresh: () => Promise<void>): void {
  const latest = useRef(refresh)
  latest.current = refresh
  useEffect(() => {
    if (milliseconds === null) return
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') void latest.current()
    }, milliseconds)
    return () => clearInterval(timer)
  }, [milliseconds])
}

/** Reads again when somebody comes back to the window. */
export function useRefreshOnReturn(isWanted: boolean, refresh: () => Promise<void>): void {
  const latest = useRef(refresh)
  latest.current = refresh
  useEffect(() => {
    if (!isWanted) return
    const returned = () => void latest.current()
    window.addEventListener('focus', returned)
    return () => window.removeEventListener('focus', returned)
  }, [isWanted])
}
