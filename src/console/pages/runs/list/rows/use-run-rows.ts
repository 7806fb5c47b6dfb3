/** A live list of runs: the first page, further pages on scroll, and runs that the stream reports as changed. */
import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import { sent } from '../../../../api/client.ts'
import { type ApiFailure, failureOf, isAbort } from '../../../../api/failure.ts'
import { useApi, useRefresh } from '../../../../data/context.ts'
import { useReading } from '../../../../data/resource.ts'
import { type Live, useEventStream } from '../../../../data/use-event-stream.ts'
import { useRefreshSoon } from '../../../../data/use-refresh-soon.ts'
import { useVisible } from '../../../../use-visible.ts'
import type { RunQuery } from '../filters/run-query.ts'
import { type RowsState, type RunPage, RunRows } from './run-rows.ts'

const pageLength = 100
/** Minimum interval between reads of changed runs, which are read in batches. */
const rereadMs = 500
/** The delay until changed runs that could not be read are read again. */
const againMs = 2_000
const idsMax = 100
const countsMs = 2_000
/** Interval of refetching the first page, in case the stream has missed a change. */
const safetyMs = 60_000
/** The most empty pages of a search, or of filters that no index matches, that are read without asking the user. */
const emptyPagesMax = 5

interface UsedRows extends RowsState {
  /** Whether the first page is loaded. */
  loaded: boolean
  loading: boolean
  failure: ApiFailure | undefined
  live: Live
  /** Whether the list has paused after empty pages and the user may continue it. */
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

/** Pages after the first. */
function useFurther(rows: RunRows, read: Read) {
  const [failure, setFailure] = useState<ApiFailure>()
  const [paused, setPaused] = useState(false)
  const reading = useRef<AbortController>(undefined)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another list starts again
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

/** Refetches runs that the stream reports as changed. */
function useChanges(query: RunQuery, rows: RunRows, read: Read, refresh: () => Promise<void>): Live {
  const visible = useVisible()
  const refreshKey = useRefresh()
  const pending = useRef({ ids: new Set<string>(), gap: false, counted: 0 })
  const stopping = useRef<AbortController>(undefined)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another list starts again
  useEffect(() => {
    const controller = new AbortController()
    stopping.current = controller
    return () => {
      controller.abort()
      pending.current = { ids: new Set(), gap: false, counted: 0 }
    }
  }, [rows])

  const lookSoon = useRefreshSoon(look, rereadMs)
  async function look() {
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
      if (signal.aborted) return
      if (page) rows.update(some, page.agentRuns)
      else for (const id of some) pending.current.ids.add(id)
    }
    if (pending.current.ids.size > 0) setTimeout(lookSoon, againMs)
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
    lookSoon()
  })
}
