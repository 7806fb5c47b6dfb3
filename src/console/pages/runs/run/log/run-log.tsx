/** The live log of a run: what the server and its runners did. */
import { useState } from 'react'
import type { StreamEvent } from '../../../../data/event-stream.ts'
import { useEventStream } from '../../../../data/use-event-stream.ts'
import { StreamNote } from '../../../../ui/stream-note.tsx'
import { AbsoluteTime } from '../../../../ui/time.tsx'
import './run-log.css'

interface LogLine {
  sequence: number
  at: string
  level: 'info' | 'warn' | 'error'
  source: 'server' | 'runner'
  attempt: number
  message: string
}

/** Older lines are dropped, so that a long run does not slow the page down. */
const linesMax = 2_000

const linesIn = (events: readonly StreamEvent[]): LogLine[] =>
  events.flatMap(({ type, data }) => (type === 'line' ? [data as LogLine] : []))

export function RunLog({ runId }: { runId: string }) {
  const [lines, setLines] = useState<LogLine[]>([])
  const live = useEventStream(`/api/v1/agent-runs/${runId}/logs?follow=true`, (events) =>
    setLines((known) => [...known, ...linesIn(events)].slice(-linesMax)),
  )
  return (
    <div className="stack">
      {live.state !== 'ended' && <StreamNote live={live} />}
      {lines.length === 0 && live.state === 'ended' && <p className="faint">No lines.</p>}
      <ol className="run-log" aria-label="Log">
        {lines.map(({ sequence, at, level, source, attempt, message }) => (
          <li key={sequence} className={`run-log-${level}`}>
            <AbsoluteTime at={at} /> <span className="faint">{level}</span>{' '}
            <span className="faint">
              {source} #{attempt}
            </span>{' '}
            {message}
          </li>
        ))}
      </ol>
    </div>
  )
}
