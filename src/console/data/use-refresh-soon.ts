/** Merges refetches. */
import { useCallback, useEffect, useRef } from 'react'

/** Delay that merges the events of a stream into one refetch. */
const gatherMs = 150

/** Calls `refresh` once for all calls of the next 150 ms, so that frequent events never restart an unfinished refetch. */
export function useRefreshSoon(refresh: () => unknown): () => void {
  const latest = useRef(refresh)
  latest.current = refresh
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  return useCallback(() => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      void latest.current()
    }, gatherMs)
  }, [])
}
