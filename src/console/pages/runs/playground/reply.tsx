/** Going on with a run: the next message. What it waits for is answered in `waiting.tsx`. */
import { useState } from 'react'
import { useAction } from '../../../data/action.ts'
import { useApi } from '../../../data/context.ts'
import type { WaitsFor } from '../run/awaiting.ts'
import { Composer } from './composer.tsx'
import { useSubmissionKey } from './submission-key.ts'

export interface ReplyProps {
  runId: string
  /** Whether the run takes a message now; undefined while that is not known. */
  can: boolean | undefined
  busy: boolean
  /** What the run waits for: calls of people are answered elsewhere; a message goes on without the others. */
  waitsFor: WaitsFor | undefined
  onSent: (query: string) => void
}

export function Reply({ runId, can, busy, waitsFor, onSent }: ReplyProps) {
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
  const isOpen = can === true && waitsFor !== 'people'
  return (
    <Composer
      label="Next message"
      placeholder={busy ? 'Running …' : 'Continue this run'}
      value={text}
      onChange={setText}
      onSend={send}
      send="Send"
      pending={go.pending}
      disabled={!isOpen}
      note={noteOf({ can, busy, waitsFor })}
    />
  )
}

/** Why it takes no message now, or what a message would mean. */
function noteOf({ can, busy, waitsFor }: Pick<ReplyProps, 'can' | 'busy' | 'waitsFor'>): string | undefined {
  if (waitsFor === 'people') return 'It waits for what is asked of you here.'
  if (can === undefined) return undefined
  if (!can) return busy ? 'It is at work; you can go on when it has answered.' : 'This run cannot go on.'
  if (waitsFor === 'approvals') return 'A message closes the approvals that it waits for: those calls are never made.'
  if (waitsFor === 'agents') return 'Another Agent is at work for it; a message goes on without what that brings.'
  return undefined
}
