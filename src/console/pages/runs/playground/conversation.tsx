/** A run as a live conversation: prompts, answers, tool calls. */
import { type ReactNode, useMemo, useState } from 'react'
import { Button } from '../../../ui/forms/button.tsx'
import { Failed, Loading } from '../../../ui/states.tsx'
import { Json } from '../../../ui/text/code.tsx'
import type { PendingPrompt } from '../run/pending-prompts.ts'
import { Pinned } from '../run/pinned.tsx'
import { AssistantEntry, UserEntry } from '../steps/entry.tsx'
import { ToolCall } from '../steps/tool-call.tsx'
import type { UsedFeed } from '../use-feed.ts'
import { useLatest } from '../use-latest.ts'
import { conversationOf, type Entry } from './messages.ts'
import './conversation.css'

interface ConversationProps {
  runId: string
  used: UsedFeed
  /** Prompts sent here that no checkpoint contains yet, by the number of user messages before them. */
  pending?: readonly PendingPrompt[]
  /** Whether the run is active. */
  busy: boolean
  /** What the run does while it is active. */
  progress: ReactNode
  /** `last`: the last message and its answer, without the calls between them. */
  turns?: 'all' | 'last'
  /** Structured output of the run. */
  output?: unknown
  /** Content after it, such as the reply; rendered once the conversation is loaded, so that nothing moves. */
  children?: ReactNode
}

/** Entries shown at first, to keep the page responsive. */
const shownAtOnce = 120
const nonePending: readonly PendingPrompt[] = []

export function Conversation(props: ConversationProps) {
  const { runId, used, pending = nonePending, busy, turns = 'all', output, progress, children } = props
  const latest = useLatest(runId)
  const [shown, setShown] = useState(shownAtOnce)
  const { steps, feed } = used
  const entries = useMemo(() => {
    const messages = latest.value?.runtimeCheckpoint.messages ?? []
    const all = conversationOf(messages, latest.value?.checkpoint.agentStepId ?? 0, steps)
    const whole = withPending(all, pending)
    return turns === 'last' ? lastTurnOf(whole) : whole
  }, [latest.value, steps, pending, turns])

  // no checkpoint yet is not an error
  if (latest.failure && latest.failure.status !== 404) return <Failed failure={latest.failure} retry={latest.refresh} />
  const loading = used.loading || latest.loading
  if (loading && !busy && pending.length === 0) return <Loading rows={6} />
  const hidden = Math.max(0, entries.length - shown)
  return (
    <>
      <Pinned label="Conversation" busy={busy}>
        {hidden > 0 && (
          <div className="conversation-more">
            <Button small onClick={() => setShown(shown + shownAtOnce)}>
              {`Show earlier (${hidden})`}
            </Button>
          </div>
        )}
        {entries.slice(hidden).map((entry) => (
          <ConversationEntry key={entry.key} entry={entry} feed={feed} busy={busy} />
        ))}
        {busy && !entries.some((entry) => entry.is === 'assistant' && entry.streaming) && (
          <p className="conversation-busy">{progress}</p>
        )}
        {!busy && typeof output === 'object' && output !== null && <Json label="output" value={output} />}
        {!busy && entries.length === 0 && !loading && <p className="faint">No messages yet.</p>}
      </Pinned>
      {children}
    </>
  )
}

interface ConversationEntryProps {
  entry: Entry
  feed: UsedFeed['feed']
  busy: boolean
}

function ConversationEntry({ entry, feed, busy }: ConversationEntryProps) {
  if (entry.is === 'user') return <UserEntry parts={entry.parts} />
  if (entry.is === 'assistant') return <AssistantEntry entry={entry} feed={feed} />
  return <ToolCall call={entry} busy={busy} />
}

/** The last message, the answers after it, and open calls. */
function lastTurnOf(entries: Entry[]): Entry[] {
  const lastPrompt = entries.findLastIndex(({ is }) => is === 'user')
  return entries.slice(Math.max(0, lastPrompt)).filter((entry) => entry.is !== 'call' || entry.outcome.is === 'open')
}

/** Inserts pending prompts until their messages arrive. */
function withPending(entries: Entry[], pending: readonly PendingPrompt[]): Entry[] {
  const count = entries.filter(({ is }) => is === 'user').length
  const missing = pending.filter(({ after }) => after >= count)
  if (missing.length === 0) return entries
  // no message contains the entries after it yet
  const first = entries.findIndex(({ key }) => key.startsWith('step '))
  const place = first === -1 ? entries.length : first
  const added = missing.map(({ after, parts }): Entry => ({ is: 'user', key: `asked ${after}`, parts }))
  return [...entries.slice(0, place), ...added, ...entries.slice(place)]
}
