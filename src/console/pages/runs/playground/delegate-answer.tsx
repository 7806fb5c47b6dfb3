/** Form for the result or error of an external delegate. */
import { useState } from 'react'
import { useAction } from '../../../data/action.ts'
import { useApi } from '../../../data/context.ts'
import { Button } from '../../../ui/forms/button.tsx'
import { Options } from '../../../ui/forms/options.tsx'
import type { PendingCall } from '../run/awaiting.ts'
import { WaitingCall } from '../run/waiting-call.tsx'
import { parseAnswer } from './answer-text.ts'

const kinds = { text: 'Text', json: 'JSON', error: 'Error' }

export function DelegateAnswer({ runId, call }: { runId: string; call: PendingCall }) {
  const api = useApi()
  const [text, setText] = useState('')
  const [kind, setKind] = useState<keyof typeof kinds>('text')
  const [problem, setProblem] = useState<string>()
  const give = useAction(
    (outcome: { result: unknown } | { error: { code: string; message: string } }) =>
      api.v1['agent-runs']({ agentRunId: runId })['delegate-results'].post({ toolCallId: call.toolCallId, ...outcome }),
    { success: 'Result sent', changes: [['runs']] },
  )
  function send() {
    if (text.trim() === '') return setProblem('Enter a result.')
    if (kind === 'error') return void give.run({ error: { code: 'delegate_failed', message: text } })
    const parsed = parseAnswer(text, kind === 'json')
    if ('problem' in parsed) return setProblem(parsed.problem)
    void give.run({ result: parsed.value })
  }
  return (
    <WaitingCall call={call}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          send()
        }}
      >
        <textarea
          rows={3}
          aria-label={`Result of ${call.toolName}`}
          className={kind === 'json' ? 'answer-json' : undefined}
          value={text}
          placeholder={kind === 'error' ? 'Error message' : 'Result of the delegate'}
          onChange={({ target }) => {
            setProblem(undefined)
            setText(target.value)
          }}
        />
        <div className="row">
          <select
            aria-label="Kind of result"
            className="select-small"
            value={kind}
            onChange={({ target }) => setKind(target.value as keyof typeof kinds)}
          >
            <Options of={Object.entries(kinds)} />
          </select>
          <Button type="submit" tone="primary" pending={give.pending}>
            Send result
          </Button>
        </div>
        {problem && (
          <p className="field-issues" role="alert">
            {problem}
          </p>
        )}
      </form>
    </WaitingCall>
  )
}
