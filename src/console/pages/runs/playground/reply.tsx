/** Input for the next message. Calls that wait for people are answered in `waiting.tsx`. */
import { useState } from 'react'
import { useAction } from '../../../data/action.ts'
import { useApi } from '../../../data/context.ts'
import type { WaitsFor } from '../run/awaiting.ts'
import { Composer } from './composer.tsx'
import { useSubmissionKey } from './submission-key.ts'

interface ReplyProps {
  runId: string
  /** Whether the run accepts a message; undefined while unknown. */
  can: boolean | undefined
  busy: boolean
  /** Pending calls of the run; a message closes those that no person answers. */
  waitsFor: WaitsFor | undefined
  /** Whether its start is put off. */
  isLater?: boolean
  onSent: (query: string) => void
}

export function Reply({ runId, can, busy, waitsFor, isLater = false, onSent }: ReplyProps) {
  const api = useApi()
  const [text, setText] = useState('')
  const go = useAction(
    (query: string) =>
      api.v1['agent-runs']({ agentRunId: runId }).continue.post(
        { query },
        { headers: { 'idempotency-key': key.keyOf(query) } },
      ),
    { changes: [['runs']], done: () => key.settle() },
  )
  const key = useSubmissionKey(go.failure)
  async function send() {
    const query = text
    if (query.trim() === '') return
    if (!(await go.run(query))) return
    // what was typed meanwhile is the next message
    setText((now) => (now === query ? '' : now))
    onSent(query)
  }
  const isOpen = can === true && waitsFor !== 'people'
  return (
    <Composer
      needs="agent-runs:continue"
      label="Next message"
      placeholder={isLater ? 'Not started yet' : busy ? 'Running…' : 'Continue this run'}
      value={text}
      onChange={setText}
      onSend={send}
      send="Send"
      pending={go.pending}
      disabled={!isOpen}
      note={noteOf({ can, busy, waitsFor, isLater })}
    />
  )
}

/** Reason why the run accepts no message, or the effect of one. */
function noteOf(props: Pick<ReplyProps, 'can' | 'busy' | 'waitsFor' | 'isLater'>): string | undefined {
  const { can, busy, waitsFor, isLater } = props
  if (waitsFor === 'people') return 'Answer the pending requests first.'
  if (can === undefined) return undefined
  if (!can && isLater) return 'The run has not started. You can continue when it has answered.'
  if (!can)
    return busy ? 'The run is in progress. You can continue when it has answered.' : 'This run cannot be continued.'
  if (waitsFor === 'approvals') return 'Sending a message closes the pending approvals; those calls are not made.'
  if (waitsFor === 'agents') return 'A delegate is running. Sending a message continues without its result.'
  if (waitsFor === 'workers') return 'A worker has a call. Sending a message continues without its result.'
  if (waitsFor === 'operations') return 'An operation is running. Sending a message continues without its result.'
  if (waitsFor === 'workflows') return 'A workflow is running. Sending a message continues without its result.'
  return undefined
}
