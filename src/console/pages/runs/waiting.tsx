/** What a run waits for, and how to give it: answers of people, results of outside delegates, approvals. */
import type { PresentedRun } from '../../../runs/present.ts'
import type { Place } from '../../places.ts'
import { at } from '../../places.ts'
import { LinkButton } from '../../ui/button.tsx'
import { Json } from '../../ui/code.tsx'
import { Icon } from '../../ui/icon.tsx'
import { DelegateAnswer } from './delegate-answer.tsx'
import { ToolAnswers } from './tool-answers.tsx'
import './waiting.css'

export type PendingCall = NonNullable<PresentedRun['awaiting']>['pending'][number]

export function Waiting({ run, place }: { run: PresentedRun; place: Place }) {
  const pending = run.awaiting?.pending ?? []
  const approvals = pending.filter(({ approvalId }) => approvalId !== undefined)
  const agents = pending.filter(
    ({ invocationId, approvalId }) => invocationId !== undefined && approvalId === undefined,
  )
  const tools = pending.filter(({ kind, invocationId }) => kind === 'tool' && invocationId === undefined)
  const delegates = pending.filter(({ kind }) => kind === 'delegate')
  if (pending.length === 0) return null
  return (
    <section className="run-waiting" aria-label="What the run waits for">
      {approvals.map((call) => (
        <WaitingCall key={call.toolCallId} call={call} title="waits for an approval">
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
      {agents.map((call) => (
        <WaitingCall key={call.toolCallId} call={call} title="waits for another Agent">
          {null}
        </WaitingCall>
      ))}
      {tools.length > 0 && (
        <ToolAnswers key={tools.map((call) => call.toolCallId).join()} runId={run.id} calls={tools} />
      )}
      {delegates.map((call) => (
        <DelegateAnswer key={call.toolCallId} runId={run.id} call={call} />
      ))}
    </section>
  )
}

/** One call that waits: who asks what. */
export function WaitingCall({
  call,
  title,
  children,
}: {
  call: PendingCall
  title: string
  children: React.ReactNode
}) {
  const question = questionIn(call.input)
  return (
    <div className="run-waiting-call">
      <p className="run-waiting-title">
        <Icon name={call.kind === 'delegate' ? 'people' : 'bolt'} /> <strong>{call.toolName}</strong> {title}
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
