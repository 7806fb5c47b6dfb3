import { useEffect, useRef, useState } from 'react'
import type { ApiFailure } from '../api/failure.ts'
import { useAccess } from './context.ts'
import { followStream, type StreamEvent, type StreamState } from './event-stream.ts'

export interface Live {
  state: StreamState
  failure: ApiFailure | undefined
}

/**
 * Follows an event stream while mounted; null for none. Show `<StreamNote live={…} />` next to its content.
 *
 *     const live = useEventStream(`/api/v1/agent-runs/${runId}/stream`, (events) => dispatch(events))
 */
export function useEventStream(path: string | null, onEvents: (events: StreamEvent[]) => void, after?: string): Live {
  const { origin, fetch } = useAccess()
  const [live, setLive] = useState<Live>({ state: 'connecting', failure: undefined })
  const latest = useRef(onEvents)
  latest.current = onEvents

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new initial position does not restart the stream
  useEffect(() => {
    if (path === null) return
    return followStream({
      url: origin + path,
      fetch,
      after,
      onEvents: (events) => latest.current(events),
      onState: (state, failure) => setLive({ state, failure }),
    })
  }, [path, origin, fetch])
  return live
}
