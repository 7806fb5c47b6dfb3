/** Cancel and resume of a workflow run. */
import { useAction } from '../../data/action.ts'
import { Button } from '../../ui/forms/button.tsx'
import { ConfirmAction } from '../../ui/forms/confirm-action.tsx'
import { useEnvironment } from '../../use-environment.ts'
import type { WorkflowRun } from './run.ts'

const changes = [['workflows'], ['approvals'], ['invocations']]

export function CancelRun({ run: { workflowRunId } }: { run: WorkflowRun }) {
  const { environment } = useEnvironment()
  return (
    <ConfirmAction
      needs="agents:manage-workflows"
      tone="plain"
      icon="close"
      question="Cancel this run?"
      confirm="Cancel the run"
      consequence="No further steps start, and pending approvals are closed. Steps in progress are completed, and completed steps are kept."
      act={() => environment.workflows({ workflowRunId }).cancel.post(undefined, { query: {} })}
      options={{ success: ({ state }) => (state === 'canceling' ? 'Canceling the run' : 'Run canceled'), changes }}
    >
      Cancel
    </ConfirmAction>
  )
}

export function ResumeRun({ run: { workflowRunId } }: { run: WorkflowRun }) {
  const { environment } = useEnvironment()
  const resume = useAction(() => environment.workflows({ workflowRunId }).resume.post(undefined, { query: {} }), {
    success: 'Run resumed',
    changes,
  })
  return (
    <Button
      needs="agents:manage-workflows"
      tone="primary"
      icon="run"
      pending={resume.pending}
      title="Continue with the steps that have not succeeded"
      onClick={() => void resume.run()}
    >
      Resume
    </Button>
  )
}
