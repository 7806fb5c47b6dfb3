/** Pending calls of a run, with forms for answers and external results. */
import type { AwaitingKind, PresentedRun } from '../../../../runs/present.ts'
import type { Place } from '../../../places.ts'
import { at } from '../../../places.ts'
import { LinkButton } from '../../../ui/forms/button.tsx'
import { DelegateAnswer } from '../playground/delegate-answer.tsx'
import { ToolAnswers } from './tool-answers.tsx'
import { WaitingCall } from './waiting-call.tsx'

export function Waiting({ run, place }: { run: PresentedRun; place: Place }) {
  const pending = run.awaiting?.pending ?? []
  const of = (...kinds: AwaitingKind[]) => pending.filter(({ kind }) => kinds.includes(kind))
  const tools = of('tool')
  if (pending.length === 0) return null
  return (
    <section className="run-waiting" aria-label="Waiting for">
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
      {of('agentRun', 'worker', 'operation', 'connection').map((call) => (
        <WaitingCall key={call.toolCallId} call={call}>
          {null}
        </WaitingCall>
      ))}
      {of('workflow').map((call) => (
        <WaitingCall key={call.toolCallId} call={call}>
          {run.projectId && run.environmentId && call.workflowRunId && (
            <LinkButton
              href={at(
                { organization: place.organization, projectId: run.projectId, environmentId: run.environmentId },
                'workflows',
                call.workflowRunId,
              )}
              icon="flow"
              tone="primary"
            >
              Open the workflow run
            </LinkButton>
          )}
        </WaitingCall>
      ))}
      {tools.length > 0 && <ToolAnswers runId={run.id} calls={tools} />}
      {of('delegate').map((call) => (
        <DelegateAnswer key={call.toolCallId} runId={run.id} call={call} />
      ))}
    </section>
  )
}
