/** What asks for an approval: a run, a step of a workflow run, or a request of a program. */
import { Link } from 'wouter'
import { at, type Place, runAt } from '../../../places.ts'
import type { Approval } from './approval.ts'

export function Asker({ here, of }: { here: Place; of: Approval }) {
  const { agentRunId, workflowRunId, stepId, invocationId } = of
  if (agentRunId) return <Link href={runAt(here, agentRunId)}>run …{agentRunId.slice(-6)}</Link>
  if (workflowRunId) {
    return (
      <Link href={at(here, 'workflows', workflowRunId)}>
        workflow …{workflowRunId.slice(-6)}, step {stepId}
      </Link>
    )
  }
  return <Link href={`${at(here, 'invocations')}?invocation=${invocationId}`}>a request</Link>
}
