/** The steps of a run in a component: the first page, more of them as they are asked for, and what the stream tells. */
import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { sent } from '../../api/client.ts'
import { type ApiFailure, failureOf, isAbort } from '../../api/failure.ts'
import { useApi, useRefresh } from '../../data/context.ts'
import { useInterval } from '../../data/resource.ts'
import { type Live, useEventStream } from '../../data/use-event-stream.ts'
import { type FeedState, RunFeed } from './run/run-feed.ts'

const pageLength = 100
/** So often is the run itself read again while its stream tells of it. */
const refreshMs = 400
/** Checkpoints hold whole conversations: they are read less often. */
const checkpointMs = 2_500
const leftMs = 3_000

const over: Live = { state: 'ended', failure: undefined }

export interface UsedFeed extends FeedState {
  feed: RunFeed
  live: Live
  /** The first page is on its way. */
  loading: boolean
  failure: ApiFailure | undefined
  /** Loads pages until so many steps are there, or all. */
  want(count: number): void
  retry(): void
}

/** Calls at once, and once more after so long if it was called again meanwhile. */
function paced(milliseconds: number, call: () => void) {
  let timer: ReturnType<typeof setTimeout> | undefined
  let again = false
  const run = () => {
    if (timer) {
      again = true
      return
    }
    call()
    timer = setTimeout(() => {
      timer = undefined
      if (!again) return
      again = false
      run()
    }, milliseconds)
  }
  return { run, stop: () => clearTimeout(timer) }
}

/** `openSince`: when the run last changed, while it has not ended. */
export function useFeed(runId: string, openSince: string | undefined): UsedFeed {
  const api = useApi()
  const refresh = useRefresh()
  const [feed] = useState(() => new RunFeed())
  const state = useSyncExternalStore(feed.subscribe, () => feed.state)
  const pages = useRef({ cursor: undefined as string | undefined, isLast: false, wanted: 1, loading: false })
  const [failure, setFailure] = useState<ApiFailure>()
  /** The number of the last event that is known; null: only what comes; undefined: not known yet. */
  const [since, setSince] = useState<number | null>()
  const stopped = useRef<AbortController>(undefined)

  const load = useCallback(async () => {
    const known = pages.current
    if (known.loading || !stopped.current) return
    known.loading = true
    const { signal } = stopped.current
    setFailure(undefined)
    try {
      while (!known.isLast && feed.state.paged < known.wanted && !signal.aborted) {
        const { cursor } = known
        const query = {
          limit: pageLength,
          depth: 0,
          sort: 'createdAt',
          order: 'asc',
          ...(cursor && { cursor }),
        } as const
        const { data, pagination } = await sent(
          api.v1['agent-runs']({ agentRunId: runId }).steps.get({ query, fetch: { signal } }),
        )
        if (cursor === undefined) {
          // a short run is told from its beginning, text that streamed before included; a long one from where it is
          setSince((now) => (now === undefined ? (pagination.hasMore ? null : 0) : now))
        }
        known.cursor = pagination.nextCursor
        known.isLast = !pagination.hasMore
        feed.addPage(data.items, pagination.totalCount)
      }
    } catch (thrown) {
      if (isAbort(thrown) || signal.aborted) return
      setFailure(failureOf(thrown))
      // who may not see steps can still see the run move
      setSince((now) => (now === undefined ? null : now))
    } finally {
      known.loading = false
    }
  }, [api, feed, runId])

  useEffect(() => {
    const controller = new AbortController()
    stopped.current = controller
    pages.current.loading = false
    void load()
    return () => controller.abort()
  }, [load])

  const want = useCallback(
    (count: number) => {
      // a failed reading is tried again on request
      if (count <= pages.current.wanted) return
      pages.current.wanted = count
      void load()
    },
    [load],
  )

  const run = useRef({ moved: () => {}, checkpointed: () => {} })
  useEffect(() => {
    const moved = paced(refreshMs, () => void refresh(['runs', runId]))
    const checkpointed = paced(checkpointMs, () => void refresh(['runs', runId, 'latest']))
    run.current = { moved: moved.run, checkpointed: checkpointed.run }
    return () => {
      moved.stop()
      checkpointed.stop()
    }
  }, [refresh, runId])

  const stream = `/api/v1/agent-runs/${runId}/stream`
  const [reopening, setReopening] = useState(false)
  // of a long run that has ended nothing can follow
  const isOver = since === null && openSince === undefined
  const path = since === undefined || isOver || reopening ? null : since === null ? stream : `${stream}?after=${since}`
  const tail = useRef(0)
  const live = useEventStream(path, (events) => {
    feed.take(events)
    // what is told anew from the beginning is known already
    const news = events.filter(({ id }) => Number(id) > tail.current)
    tail.current = Math.max(tail.current, Number(events.at(-1)?.id ?? 0))
    if (news.some(({ type }) => type === 'run.transition' || type === 'end' || type === 'run.snapshot')) {
      run.current.moved()
    }
    if (news.some(({ type }) => type === 'checkpoint.created')) run.current.checkpointed()
    // the overview counts it from now on
    if (news.some(({ type }) => type === 'end')) void refresh(['runs', 'overview'])
  })

  // a run that had ended and goes on is followed again; asked once for each change, for its record may lag behind
  const asked = useRef<string>(undefined)
  useEffect(() => {
    if (live.state !== 'ended' || openSince === undefined || asked.current === openSince) return
    asked.current = openSince
    setSince(tail.current)
    setReopening(true)
  }, [live.state, openSince])
  useEffect(() => {
    if (reopening) setReopening(false)
  }, [reopening])

  // without a stream the record is read at intervals
  const isLeft = openSince !== undefined && (live.state === 'ended' || live.state === 'failed')
  useInterval(['runs', runId], isLeft ? leftMs : null, () => refresh(['runs', runId]))

  return {
    ...state,
    feed,
    live: isOver ? over : live,
    loading: since === undefined && failure === undefined,
    failure,
    want,
    retry: () => void load(),
  }
}
