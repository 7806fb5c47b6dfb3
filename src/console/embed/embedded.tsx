/** One live chart for a frame in another site's page. Its ticket is in its address. */
import { useEffect, useMemo, useState } from 'react'
import { ApiFailure, failureIn, failureOf } from '../api/failure.ts'
import type { Fetch } from '../api/transport.ts'
import { Chart } from '../charts/chart.tsx'
import { roomyDirection } from '../charts/drawing/room.ts'
import { gapless, mergeRows } from '../charts/journal.ts'
import type { JournalRow } from '../charts/lit.ts'
import { type Machine, modelOf } from '../charts/model.ts'
import { useReplay } from '../charts/replay.ts'
import { useLit } from '../charts/use-lit.ts'
import { followStream, type StreamEvent } from '../data/event-stream.ts'
import type { Live } from '../data/use-event-stream.ts'
import { StateBadge } from '../ui/badge.tsx'
import { Loading, Notice } from '../ui/states.tsx'
import { StreamNote } from '../ui/stream-note.tsx'
import './embedded.css'

export interface EmbeddedProps {
  /** `{origin}/embed/actors/{kind}/{id}?ticket=…` */
  address: URL
  fetch: Fetch
}

/** A transition as a ticket shows it: without actor and reason. */
type ShownMove = Pick<JournalRow, 'sequence' | 'from' | 'to' | 'event' | 'at'>
interface ShownActor {
  state: string
  journal: ShownMove[]
}

const unknownActor = { type: 'system', id: '' }
const rowOf = (move: ShownMove): JournalRow => ({ ...move, actor: unknownActor, attempt: 0, reason: null })

export function Embedded({ address, fetch }: EmbeddedProps) {
  const [, kind, id] = /^\/embed\/actors\/([\w-]{1,64})\/([\w-]{1,64})\/?$/.exec(address.pathname) ?? []
  const ticket = address.searchParams.get('ticket') ?? ''
  if (!kind || !id || ticket === '') {
    return (
      <Notice icon="warning" title="No chart at this address" urgent>
        The ticket is missing. Copy the whole address, or issue a new ticket.
      </Notice>
    )
  }
  const path = `${address.origin}/api/v1/embedded-actors/${kind}/${id}`
  return <LiveChart path={path} ticket={ticket} fetch={fetch} />
}

function LiveChart({ path, ticket, fetch }: { path: string; ticket: string; fetch: Fetch }) {
  const query = `?ticket=${encodeURIComponent(ticket)}`
  const actor = useFollowed(`${path}/stream${query}`, fetch)
  const machine = useMachineAt(`${path}/machine${query}`, actor.state, fetch)
  const model = useMemo(() => machine.value && modelOf(machine.value), [machine.value])
  const replay = useReplay(actor.journal)
  const lit = useLit(actor, replay, model?.edgeOf)
  const failure = actor.live.failure ?? (model ? undefined : machine.failure)
  if (failure) {
    return (
      <Notice icon="warning" title="This chart cannot be shown" urgent>
        {failure.status === 0 ? 'The server is not responding. Reload the page.' : failure.message}
      </Notice>
    )
  }
  if (!model || actor.state === '') return <Loading label="Loading the chart" />
  return (
    <main className="embedded">
      <Chart model={model} lit={lit} height="100%" direction={roomyDirection()} />
      <p className="embedded-note">
        <strong>{model.title}</strong> <StateBadge state={actor.state} /> <StreamNote live={actor.live} />
      </p>
    </main>
  )
}

interface Followed {
  state: string
  journal: readonly JournalRow[]
  live: Live
}

/** The actor, from its stream. */
function useFollowed(url: string, fetch: Fetch): Followed {
  const [followed, setFollowed] = useState<Followed>({
    state: '',
    journal: [],
    live: { state: 'connecting', failure: undefined },
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: all fetch functions are equivalent
  useEffect(() => {
    const hear = (events: StreamEvent[]) => {
      const moves = events.flatMap(({ type, data }) => {
        if (type === 'actor.transition') return [data as ShownMove]
        return type === 'actor.snapshot' ? (data as ShownActor).journal : []
      })
      const snapshot = events.findLast(({ type }) => type === 'actor.snapshot')?.data as ShownActor | undefined
      setFollowed((before) => ({
        ...before,
        state: moves.at(-1)?.to ?? snapshot?.state ?? before.state,
        journal: gapless(mergeRows(before.journal, moves.map(rowOf))),
      }))
    }
    const onState: Parameters<typeof followStream>[0]['onState'] = (state, failure) =>
      setFollowed((before) => ({ ...before, live: { state, failure } }))
    return followStream({ url, fetch, onEvents: hear, onState })
  }, [url])
  return followed
}

/** The statechart; read again if the actor is in a state that it does not have. */
function useMachineAt(url: string, state: string, fetch: Fetch) {
  const [read, setRead] = useState<{ value?: Machine; failure?: ApiFailure }>({})
  const isStrange = read.value !== undefined && state !== '' && !read.value.states.includes(state)
  // biome-ignore lint/correctness/useExhaustiveDependencies: read once, and again for each unknown state
  useEffect(() => {
    const gone = new AbortController()
    const look = async () => {
      const answer = await fetch(url, { signal: gone.signal })
      const body: unknown = await answer.json().catch(() => undefined)
      if (!answer.ok) throw failureIn(answer.status, body)
      setRead({ value: (body as { data: Machine }).data })
    }
    look().catch((thrown: unknown) => {
      if (gone.signal.aborted) return
      setRead((before) => ({ ...before, failure: thrown instanceof ApiFailure ? thrown : failureOf(thrown) }))
    })
    return () => gone.abort()
  }, [url, isStrange ? state : ''])
  return read
}
