/** Going on with a run: the next message. What it waits for is answered in `waiting.tsx`. */
import { useState } from 'react'
import { useAction } from '../../data/action.ts'
import { useApi } from '../../data/context.ts'
import { Composer } from './composer.tsx'
import { useSubmissionKey } from './submission-key.ts'

export interface ReplyProps {
  runId: string
  /** Whether the run takes a message now; undefined while that is not known. */
  can: boolean | undefined
  busy: boolean
  /** The run waits for approvals: a message goes on without them. */
  overApprovals?: boolean
  onSent: (query: string) => void
}

export function Reply({ runId, can, busy, overApprovals = false, onSent }: ReplyProps) {
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
    setText('')
    onSent(query)
  }
  const note = overApprovals
    ? 'A message closes the approvals that it waits for: those calls are never made.'
    : can === false
      ? busy
        ? 'It is at work; you can go on when it has answered.'
        : 'This run cannot go on.'
      : undefined
  return (
    <Composer
      label="Next message"
      placeholder={busy ? 'At work …' : 'Go on with this run'}
      value={text}
      onChange={setText}
      onSend={send}
      send="Send"
      pending={go.pending}
      disabled={can !== true}
      note={note}
    />
  )
}
