/** A run as a conversation, with the input for the next message. */
import { useState } from 'react'
import { type Place, runAt } from '../../../places.ts'
import { StateBadge } from '../../../ui/badge.tsx'
import { LinkButton } from '../../../ui/forms/button.tsx'
import { Shown } from '../../../ui/states.tsx'
import { StreamNote } from '../../../ui/stream-note.tsx'
import { useNow } from '../../../ui/time.tsx'
import { startsAtOf, waitsFor } from '../run/awaiting.ts'
import { CancelButton } from '../run/cancel/cancel.tsx'
import { usePendingPrompts } from '../run/pending-prompts.ts'
import { Progress } from '../run/progress.tsx'
import { stateOf, useRun } from '../run/use-run.ts'
import { Waiting } from '../run/waiting.tsx'
import { useFeed } from '../use-feed.ts'
import { Conversation } from './conversation.tsx'
import type { Part } from './messages.ts'
import { Reply } from './reply.tsx'

export function Talk({ runId, place, asked: first }: { runId: string; place: Place; asked: Part[] }) {
  const { run, can, busy, openSince } = useRun(runId)
  const used = useFeed(runId, openSince)
  const [started] = useState(first)
  const { pending, say } = usePendingPrompts(runId, started)
  const now = useNow()
  return (
    <Shown resource={run}>
      {(value) => (
        <div className="talk">
          <div className="row">
            {used.steps[0] && <strong>{used.steps[0].agent.name}</strong>}
            <StateBadge state={stateOf(used, value)} />
            <StreamNote live={used.live} />
            <span className="talk-actions">
              {can('cancel') && value.endedAt === null && (
                <CancelButton runId={runId} state={stateOf(used, value)} small />
              )}
              <LinkButton small href={runAt(place, runId)} icon="run">
                View run
              </LinkButton>
            </span>
          </div>
          {value.stateReason && (
            <div className="banner banner-bad">
              <span>
                {value.stateReason.message} <code>{value.stateReason.code}</code>
              </span>
            </div>
          )}
          <Conversation
            runId={runId}
            used={used}
            pending={pending}
            busy={busy}
            progress={<Progress run={value} state={stateOf(used, value)} />}
          />
          <Waiting run={value} place={place} />
          <Reply
            runId={runId}
            can={can('continue')}
            busy={busy}
            waitsFor={waitsFor(value)}
            isLater={startsAtOf(value, now) !== undefined}
            onSent={say}
          />
        </div>
      )}
    </Shown>
  )
}
