/** A live actor: read once, then followed by its stream. Its journal grows at both ends. */
import { useEffect, useMemo, useRef, useState } from 'react'
import { useAccess, useApi } from '../data/context.ts'
import { followStream, type StreamEvent } from '../data/event-stream.ts'
import { type Resource, useResource } from '../data/resource.ts'
import { type Live, useEventStream } from '../data/use-event-stream.ts'
import { useRefreshSoon } from '../data/use-refresh-soon.ts'
import { gapless, mergeRows } from './journal.ts'
import type { JournalRow } from './lit.ts'

export interface Timer {
  event: string
  dueAt: string
}

interface ActorView {
  address: { kind: string; id: string }
  machineVersion: string
  state: string
  version: number
  context: Record<string, unknown>
  timers: Timer[]
  nextEvents: string[]
  journal: JournalRow[]
}

interface StreamedRow extends JournalRow {
  timers: Timer[]
  nextEvents: string[]
}

export interface LiveActor {
  resource: Resource<ActorView>
  live: Live
  state: string
  timers: Timer[]
  nextEvents: string[]
  /** The loaded part of the journal, ascending and without gaps. */
  journal: readonly JournalRow[]
  /** Loads earlier rows; undefined when there are none. */
  older: (() => void) | undefined
  readingOlder: boolean
}

/** Rows per request for earlier rows. */
const olderRows = 500
/** Delay after a transition before the context is read again. */
const contextMs = 700

const rowsIn = (events: StreamEvent[]): StreamedRow[] =>
  events.flatMap(({ type, data }) => (type === 'actor.transition' ? [data as StreamedRow] : []))

export function useActor(kind: string, id: string): LiveActor {
  const api = useApi()
  const { origin, fetch } = useAccess()
  const resource = useResource(['actors', kind, id], (options) =>
    api.v1.actors({ kind })({ id }).get(options),
  ) as Resource<ActorView>
  const { value, refresh } = resource
  const path = `/api/v1/actors/${kind}/${id}`
  const [rows, setRows] = useState<readonly JournalRow[]>([])
  const [newest, setNewest] = useState<StreamedRow>()
  const [readingOlder, setReadingOlder] = useState(false)
  const stopReading = useRef(() => {})

  // biome-ignore lint/correctness/useExhaustiveDependencies: the journal belongs to the actor
  useEffect(() => {
    setRows([])
    setNewest(undefined)
    return () => stopReading.current()
  }, [path])

  const journal = useMemo(() => gapless(mergeRows(rows, value?.journal ?? [])), [rows, value])

  const lookSoon = useRefreshSoon(refresh, contextMs)
  const live = useEventStream(
    value ? `${path}/stream` : null,
    (events) => {
      const streamed = rowsIn(events)
      if (streamed.length === 0) return
      setRows((known) => mergeRows(known, streamed))
      setNewest(streamed.at(-1))
      lookSoon()
    },
    String(value?.journal.at(-1)?.sequence ?? 0),
  )

  const first = journal[0]?.sequence ?? 1
  const older = () => {
    if (readingOlder) return
    setReadingOlder(true)
    const read: JournalRow[] = []
    const stop = followStream({
      url: `${origin}${path}/stream`,
      fetch,
      after: String(Math.max(0, first - 1 - olderRows)),
      onEvents(events) {
        read.push(...rowsIn(events))
        if ((read.at(-1)?.sequence ?? 0) >= first - 1) finish()
      },
      onState(state) {
        if (state === 'ended' || state === 'failed') finish()
      },
    })
    const finish = () => {
      stop()
      setReadingOlder(false)
      setRows((known) => mergeRows(known, read))
    }
    stopReading.current = stop
  }

  // the newer of the value read and the value streamed
  const ahead = newest && newest.sequence > (value?.journal.at(-1)?.sequence ?? 0) ? newest : undefined
  return {
    resource,
    live,
    state: ahead?.to ?? value?.state ?? '',
    timers: ahead?.timers ?? value?.timers ?? [],
    nextEvents: ahead?.nextEvents ?? value?.nextEvents ?? [],
    journal,
    older: first > 1 ? older : undefined,
    readingOlder,
  }
}
