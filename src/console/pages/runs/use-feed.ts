/** Steps of a run: first page, further pages on demand, live updates. */
import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { sent } from '../../api/client.ts'
import { type ApiFailure, failureOf, isAbort } from '../../api/failure.ts'
import { useApi, useRefresh } from '../../data/context.ts'
import { useInterval } from '../../data/resource.ts'
import { type Live, useEventStream } from '../../data/use-event-stream.ts'
import { type FeedState, RunFeed } from './run/run-feed.ts'

const pageLength = 100
/** Minimum interval of reading the run while its stream reports events. */
const refreshMs = 400
/** Longer, because checkpoints contain whole conversations. */
const checkpointMs = 2_500
const leftMs = 3_000

/** Events after which the run is read again. */
const telling: ReadonlySet<string> = new Set(['run.transition', 'input.requested', 'end', 'run.snapshot'])
const over: Live = { state: 'ended', failure: undefined }

export interface UsedFeed extends FeedState {
  feed: RunFeed
  live: Live
  /** The first page is loading. */
  loading: boolean
  failure: ApiFailure | undefined
  /** Loads pages up to this number of steps, or all. */
  want(count: number): void
  retry(): void
}

/** Calls at once, then at most once per interval. */
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

/** Pages of steps, read in order as far as they are wanted. The first one tells where the stream begins. */
function useStepPages(runId: string, feed: RunFeed, begin: (since: number | null) => void) {
  const api = useApi()
  const pages = useRef({ cursor: undefined as string | undefined, isLast: false, wanted: 1, loading: false })
  const [failure, setFailure] = useState<ApiFailure>()
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
          // replay a short run from its start, including streamed text; follow a long one from now
          begin(pagination.hasMore ? null : 0)
        }
        known.cursor = pagination.nextCursor
        known.isLast = !pagination.hasMore
        feed.addPage(data.items, pagination.totalCount)
      }
    } catch (thrown) {
      if (isAbort(thrown) || signal.aborted) return
      setFailure(failureOf(thrown))
      // users without permission for steps still see the state change
      begin(null)
    } finally {
      known.loading = false
    }
  }, [api, feed, runId, begin])

  useEffect(() => {
    const controller = new AbortController()
    stopped.current = controller
    pages.current.loading = false
    void load()
    return () => controller.abort()
  }, [load])

  const want = useCallback(
    (count: number) => {
      // a failed page is retried on request
      if (count <= pages.current.wanted) return
      pages.current.wanted = count
      void load()
    },
    [load],
  )

  return { failure, want, retry: () => void load() }
}

/** Reads the run, or its checkpoints, again after events of its stream, but not after each. */
function usePacedRefreshes(runId: string) {
  const refresh = useRefresh()
  const paces = useRef({ moved: () => {}, checkpointed: () => {} })
  useEffect(() => {
    const moved = paced(refreshMs, () => void refresh(['runs', runId]))
    const checkpointed = paced(checkpointMs, () => void refresh(['runs', runId, 'latest']))
    paces.current = { moved: moved.run, checkpointed: checkpointed.run }
    return () => {
      moved.stop()
      checkpointed.stop()
    }
  }, [refresh, runId])

  return { moved: () => paces.current.moved(), checkpointed: () => paces.current.checkpointed() }
}

/** `openSince`: time of the run's last change, until it ends. */
export function useFeed(runId: string, openSince: string | undefined): UsedFeed {
  const refresh = useRefresh()
  const [feed] = useState(() => new RunFeed())
  const state = useSyncExternalStore(feed.subscribe, () => feed.state)
  /** Id of the last known event; null: only new events; undefined: not known yet. */
  const [since, setSince] = useState<number | null>()
  const begin = useCallback((at: number | null) => setSince((now) => (now === undefined ? at : now)), [])
  const { failure, want, retry } = useStepPages(runId, feed, begin)
  const { moved, checkpointed } = usePacedRefreshes(runId)

  const stream = `/api/v1/agent-runs/${runId}/stream`
  const [reopening, setReopening] = useState(false)
  // a long run that has ended streams nothing
  const isOver = since === null && openSince === undefined
  const path = since === undefined || isOver || reopening ? null : since === null ? stream : `${stream}?after=${since}`
  const tail = useRef(0)
  const live = useEventStream(path, (events) => {
    feed.take(events)
    // ignore replayed events
    const news = events.filter(({ id }) => Number(id) > tail.current)
    tail.current = Math.max(tail.current, Number(events.at(-1)?.id ?? 0))
    if (news.some(({ type }) => telling.has(type))) moved()
    if (news.some(({ type }) => type === 'checkpoint.created')) checkpointed()
    // update the overview
    if (news.some(({ type }) => type === 'end')) void refresh(['runs', 'overview'])
  })

  // follow a continued run again; checked once per change, because its record may lag behind
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

  // without a stream, poll the record
  const isLeft = openSince !== undefined && (live.state === 'ended' || live.state === 'failed')
  useInterval(['runs', runId], isLeft ? leftMs : null, () => refresh(['runs', runId]))

  return {
    ...state,
    feed,
    live: isOver ? over : live,
    loading: since === undefined && failure === undefined,
    failure,
    want,
    retry,
  }
}
