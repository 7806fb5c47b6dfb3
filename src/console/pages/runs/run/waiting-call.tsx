/** One pending call with its input. */
import type { AwaitingKind } from '../../../../runs/present.ts'
import { Icon, type IconName } from '../../../ui/icon.tsx'
import { Json } from '../../../ui/text/code.tsx'
import { type PendingCall, titles } from './awaiting.ts'
import './waiting.css'

const icons: Record<AwaitingKind, IconName> = {
  tool: 'chat',
  delegate: 'people',
  agentRun: 'agent',
  worker: 'bolt',
  operation: 'bolt',
  workflow: 'flow',
  approval: 'approve',
  connection: 'plug',
}

export function WaitingCall({ call, children }: { call: PendingCall; children: React.ReactNode }) {
  const question = questionIn(call.input)
  return (
    <div className="run-waiting-call">
      <p className="row">
        <Icon name={icons[call.kind]} /> <strong>{call.toolName}</strong> {titles[call.kind]}
      </p>
      {question === undefined ? (
        <Json label={`input of ${call.toolName}`} value={call.input} />
      ) : (
        <>
          <blockquote className="run-waiting-question">{question}</blockquote>
          <details>
            <summary>Input</summary>
            <Json label={`input of ${call.toolName}`} value={call.input} />
          </details>
        </>
      )}
      {children}
    </div>
  )
}

/** The question in plain text, if the input has such a field. */
function questionIn(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null) return undefined
  const { question, query } = input as Record<string, unknown>
  const found = question ?? query
  return typeof found === 'string' && found.trim() !== '' ? found : undefined
}
