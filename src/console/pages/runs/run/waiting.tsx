/** What a run waits for, and how to give it: answers of people, results of outside delegates, approvals. */
import type { AwaitingKind, PresentedRun } from '../../../../runs/present.ts'
import type { Place } from '../../../places.ts'
import { at } from '../../../places.ts'
import { LinkButton } from '../../../ui/forms/button.tsx'
import { Icon, type IconName } from '../../../ui/icon.tsx'
import { Json } from '../../../ui/text/code.tsx'
import { DelegateAnswer } from '../playground/delegate-answer.tsx'
import { type PendingCall, titles } from './awaiting.ts'
import { ToolAnswers } from './tool-answers.tsx'
import './waiting.css'

const icons: Record<AwaitingKind, IconName> = {
  tool: 'chat',
  delegate: 'people',
  agentRun: 'agent',
  approval: 'approve',
  connection: 'plug',
}

export function Waiting({ run, place }: { run: PresentedRun; place: Place }) {
  const pending = run.awaiting?.pending ?? []
  const of = (...kinds: AwaitingKind[]) => pending.filter(({ kind }) => kinds.includes(kind))
  const tools = of('tool')
  if (pending.length === 0) return null
  return (
    <section className="run-waiting" aria-label="What the run waits for">
      {of('approval').map((call) => (
        <WaitingCall key={call.toolCallId} call={call}>
          {run.projectId && run.environmentId && (
            <LinkButton
              href={at(
                { organization: place.organization, projectId: run.projectId, environmentId: run.environmentId },
                'approvals',
              )}
              icon="approve"
              tone="primary"
            >
              Go to approvals
            </LinkButton>
          )}
        </WaitingCall>
      ))}
      {of('agentRun', 'connection').map((call) => (
        <WaitingCall key={call.toolCallId} call={call}>
          {null}
        </WaitingCall>
      ))}
      {tools.length > 0 && (
        <ToolAnswers key={tools.map((call) => call.toolCallId).join()} runId={run.id} calls={tools} />
      )}
      {of('delegate').map((call) => (
        <DelegateAnswer key={call.toolCallId} runId={run.id} call={call} />
      ))}
    </section>
  )
}

/** One call that waits: who asks what. */
export function WaitingCall({ call, children }: { call: PendingCall; children: React.ReactNode }) {
  const question = questionIn(call.input)
  return (
    <div className="run-waiting-call">
      <p className="run-waiting-title">
        <Icon name={icons[call.kind]} /> <strong>{call.toolName}</strong> {titles[call.kind]}
      </p>
      {question === undefined ? (
        <Json label={`input of ${call.toolName}`} value={call.input} />
      ) : (
        <>
          <blockquote className="run-waiting-question">{question}</blockquote>
          <details>
            <summary>All that it was asked with</summary>
            <Json label={`input of ${call.toolName}`} value={call.input} />
          </details>
        </>
      )}
      {children}
    </div>
  )
}

/** What is asked in plain words, where the input has such a field. */
function questionIn(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null) return undefined
  const { question, query } = input as Record<string, unknown>
  const found = question ?? query
  return typeof found === 'string' && found.trim() !== '' ? found : undefined
}
