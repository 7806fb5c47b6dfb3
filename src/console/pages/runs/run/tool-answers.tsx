/** Answers to a run's interactive tool calls, as text or JSON. Empty answers are not sent. */
import { useState } from 'react'
import { useAction } from '../../../data/action.ts'
import { useApi } from '../../../data/context.ts'
import { Button } from '../../../ui/forms/button.tsx'
import { parseAnswer } from '../playground/answer-text.ts'
import { useSubmissionKey } from '../playground/submission-key.ts'
import type { PendingCall } from './awaiting.ts'
import { WaitingCall } from './waiting-call.tsx'

interface Written {
  text: string
  isJson: boolean
}

const blank: Written = { text: '', isJson: false }

export function ToolAnswers({ runId, calls }: { runId: string; calls: PendingCall[] }) {
  const api = useApi()
  const [written, setWritten] = useState<Record<string, Written>>({})
  const [problem, setProblem] = useState<string>()
  const answer = useAction(
    (query: string) =>
      api.v1['agent-runs']({ agentRunId: runId }).continue.post(
        { query },
        { headers: { 'idempotency-key': key.keyOf(query) } },
      ),
    { changes: [['runs'], ['inbox']], done: () => key.settle() },
  )
  const key = useSubmissionKey(answer.failure)
  const change = (id: string, changes: Partial<Written>) => {
    setProblem(undefined)
    setWritten((written) => ({ ...written, [id]: { ...(written[id] ?? blank), ...changes } }))
  }
  async function send() {
    const toolResults: { toolCallId: string; result: unknown }[] = []
    for (const { toolCallId, toolName } of calls) {
      const { text, isJson } = written[toolCallId] ?? blank
      if (text.trim() === '') continue
      const parsed = parseAnswer(text, isJson)
      if ('problem' in parsed) return setProblem(`${toolName}: ${parsed.problem}`)
      toolResults.push({ toolCallId, result: parsed.value })
    }
    if (toolResults.length === 0) return setProblem('Enter an answer.')
    if ((await answer.run(JSON.stringify({ toolResults }))) === undefined) return
    const isSent = (id: string) => toolResults.some(({ toolCallId }) => toolCallId === id)
    setWritten((written) => Object.fromEntries(Object.entries(written).filter(([id]) => !isSent(id))))
  }
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      {calls.map((call) => {
        const { text, isJson } = written[call.toolCallId] ?? blank
        return (
          <WaitingCall key={call.toolCallId} call={call}>
            <textarea
              rows={3}
              aria-label={`Answer to ${call.toolName}`}
              className={isJson ? 'answer-json' : undefined}
              value={text}
              placeholder={isJson ? '{"answer": 42}' : 'Your answer'}
              onChange={({ target }) => change(call.toolCallId, { text: target.value })}
            />
            <label className="row">
              <input
                type="checkbox"
                checked={isJson}
                onChange={({ target }) => change(call.toolCallId, { isJson: target.checked })}
              />
              Send as JSON
            </label>
          </WaitingCall>
        )
      })}
      {problem && (
        <p className="field-issues" role="alert">
          {problem}
        </p>
      )}
      <div className="row">
        <Button type="submit" tone="primary" pending={answer.pending}>
          {calls.length > 1 ? 'Send answers' : 'Send answer'}
        </Button>
      </div>
    </form>
  )
}
