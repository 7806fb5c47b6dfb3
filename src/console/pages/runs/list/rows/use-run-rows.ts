/** A list of runs that keeps itself current: its first page, further pages as one scrolls, and what the server says has changed. */
import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import { sent } from '../../../../api/client.ts'
import { type ApiFailure, failureOf, isAbort } from '../../../../api/failure.ts'
import { useApi, useRefresh } from '../../../../data/context.ts'
import { useReading } from '../../../../data/resource.ts'
import { type Live, useEventStream } from '../../../../data/use-event-stream.ts'
import { useVisible } from '../../../../use-visible.ts'
import type { RunQuery } from '../filters/run-query.ts'
import { type RowsState, type RunPage, RunRows } from './run-rows.ts'

const pageLength = 100
/** Changed runs are read together, at most this often. */
const rereadMs = 500
const idsMax = 100
const countsMs = 2_000
/** Should the stream not have told of something: several servers, a network that buffers. */
const safetyMs = 60_000
/** Pages of a search that are read by themselves while they have nothing. */
const emptyPagesMax = 5

export interface UsedRows extends RowsState {
  /** The first page has come. */
  loaded: boolean
  loading: boolean
  failure: ApiFailure | undefined
  live: Live
  /** A search has looked so far that it wants to be told to go on. */
  paused: boolean
  refresh(): Promise<void>
  more(): void
  /** Whether the user has scrolled down from the top. */
  readBelow(isBelow: boolean): void
}

export const countsKey = ['runs', 'list', 'counts']

export function useRunRows(query: RunQuery): UsedRows {
  const api = useApi()
  const name = JSON.stringify(query)
  const rows = useMemo(() => new RunRows(JSON.parse(name) as RunQuery), [name])
  const state = useSyncExternalStore(rows.subscribe, () => rows.state)
  const read = useCallback(
    (page: object, signal: AbortSignal) => {
      const asked = { ...(JSON.parse(name) as RunQuery), include: ['summary' as const], limit: pageLength, ...page }
      return sent(api.v1['agent-runs'].get({ query: asked, fetch: { signal } })) as Promise<RunPage>
    },
    [api, name],
  )
  const first = useReading(['runs', 'list', 'rows', name], ({ fetch }) => read({}, fetch.signal), {
    every: safetyMs,
  })
  useEffect(() => {
    if (first.value) rows.takeFirst(first.value)
  }, [rows, first.value])

  const { failure, paused, more } = useFurther(rows, read)
  const live = useChanges(query, rows, read, first.refresh)
  return {
    ...state,
    loaded: first.value !== undefined,
    loading: first.loading,
    failure: first.failure ?? failure,
    live,
    paused,
    refresh: first.refresh,
    more,
    readBelow: (isBelow) => rows.readBelow(isBelow),
  }
}

type Read = (page: object, signal: AbortSignal) => Promise<RunPage>

/** The pages behind the first. */
function useFurther(rows: RunRows, read: Read) {
  const [failure, setFailure] = useState<ApiFailure>()
  const [paused, setPaused] = useState(false)
  const reading = useRef<AbortController>(undefined)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another list begins anew
  useEffect(() => {
    setFailure(undefined)
    setPaused(false)
    return () => {
      reading.current?.abort()
      reading.current = undefined
    }
  }, [rows])

  const more = useCallback(async () => {
    if (reading.current || rows.state.cursor === undefined) return
    const stopping = new AbortController()
    reading.current = stopping
    setFailure(undefined)
    setPaused(false)
    try {
      for (let pages = 1; ; pages += 1) {
        const { cursor } = rows.state
        if (cursor === undefined) break
        const page = await read({ cursor }, stopping.signal)
        rows.append(page)
        if (page.agentRuns.length > 0) break
        if (pages === emptyPagesMax) {
          setPaused(rows.state.cursor !== undefined)
          break
        }
      }
    } catch (thrown) {
      if (!isAbort(thrown)) setFailure(failureOf(thrown))
    } finally {
      if (reading.current === stopping) reading.current = undefined
    }
  }, [rows, read])
  return { failure, paused, more }
}

/** Reads again what the server says has changed. */
function useChanges(query: RunQuery, rows: RunRows, read: Read, refresh: () => Promise<void>): Live {
  const visible = useVisible()
  const refreshKey = useRefresh()
  const pending = useRef({ ids: new Set<string>(), gap: false, counted: 0 })
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const stopping = useRef<AbortController>(undefined)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another list begins anew
  useEffect(() => {
    const controller = new AbortController()
    stopping.current = controller
    return () => {
      controller.abort()
      clearTimeout(timer.current)
      timer.current = undefined
      pending.current = { ids: new Set(), gap: false, counted: 0 }
    }
  }, [rows])

  async function look() {
    timer.current = undefined
    const { ids, gap, counted } = pending.current
    const now = Date.now()
    const isDue = now - counted >= countsMs
    pending.current = { ids: new Set(), gap: false, counted: isDue ? now : counted }
    if (isDue) void refreshKey(countsKey)
    if (gap) return refresh()
    const signal = stopping.current?.signal
    if (!signal) return
    const all = [...ids]
    for (let start = 0; start < all.length; start += idsMax) {
      const some = all.slice(start, start + idsMax)
      const page = await read({ ids: some }, signal).catch(() => undefined)
      // a later look makes up for one that has failed
      if (page && !signal.aborted) rows.update(some, page.agentRuns)
    }
  }

  const filters = new URLSearchParams()
  for (const part of ['projectId', 'environmentId', 'agentId'] as const) {
    const value = query[part]
    if (value) filters.set(part, value)
  }
  const path = `/api/v1/agent-runs/changes${filters.size > 0 ? `?${filters}` : ''}`
  return useEventStream(visible ? path : null, (events) => {
    for (const { type, data } of events) {
      if (type !== 'runs.changed') continue
      const { agentRunIds, gap } = data as { agentRunIds: string[]; gap: boolean }
      for (const id of agentRunIds) pending.current.ids.add(id)
      if (gap) pending.current.gap = true
    }
    timer.current ??= setTimeout(() => void look(), rereadMs)
  })
}
