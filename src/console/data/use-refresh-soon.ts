/** Merges refetches. */
import { useCallback, useEffect, useRef } from 'react'

/** Delay that merges the events of a stream into one refetch. */
const gatherMs = 150

/**
 * Calls `refresh` once for all calls of the next moment, and not before the refetch of earlier calls has ended: however
 * frequent events are, none restarts an unfinished refetch, and no late answer replaces a newer one.
 */
export function useRefreshSoon(refresh: () => unknown, afterMs = gatherMs): () => void {
  const latest = useRef(refresh)
  latest.current = refresh
  const state = useRef({ mounted: false, underWay: false, wanted: false })
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const soon = useCallback(() => {
    state.current.wanted = true
    if (state.current.underWay || !state.current.mounted) return
    state.current.underWay = true
    timer.current = setTimeout(async () => {
      state.current.wanted = false
      try {
        await latest.current()
      } finally {
        state.current.underWay = false
        if (state.current.wanted) soon()
      }
    }, afterMs)
  }, [afterMs])
  useEffect(() => {
    state.current.mounted = true
    return () => {
      clearTimeout(timer.current)
      state.current = { mounted: false, underWay: false, wanted: false }
    }
  }, [])
  return soon
}
