/** Caller of an operation: a run, a workflow step, or a request. */
import { Link } from 'wouter'
import type { Invocation } from '../../../automation/operations/invocations/schema.ts'
import { at, runAt } from '../../places.ts'
import { Author } from '../../ui/author.tsx'
import { usePlace } from '../../use-place.ts'

export function Origin({ of }: { of: Pick<Invocation, 'agentRunId' | 'workflowRunId' | 'stepId' | 'createdBy'> }) {
  const place = usePlace()
  const { agentRunId, workflowRunId, stepId, createdBy } = of
  if (workflowRunId) {
    return (
      <Link href={at(place, 'workflows', workflowRunId)}>
        workflow, step <code>{stepId}</code>
      </Link>
    )
  }
  if (agentRunId) return <Link href={runAt(place, agentRunId)}>a run</Link>
  return <Author by={createdBy} />
}
