/** What a person may ask of a run as a whole. */
import { useAction } from '../../data/action.ts'
import { Button } from '../../ui/forms/button.tsx'
import { ConfirmButton } from '../../ui/forms/confirm.tsx'
import { useEnvironment } from '../../use-environment.ts'
import type { WorkflowRun } from './run.ts'

const changes = [['workflows'], ['approvals'], ['invocations']]

export function CancelRun({ run: { workflowRunId } }: { run: WorkflowRun }) {
  const { environment } = useEnvironment()
  const cancel = useAction(() => environment.workflows({ workflowRunId }).cancel.post(undefined, { query: {} }), {
    success: ({ state }) => (state === 'canceling' ? 'The run winds down' : 'The run is canceled'),
    changes,
  })
  return (
    <ConfirmButton
      tone="plain"
      icon="close"
      pending={cancel.pending}
      question="Cancel this run?"
      confirm="Cancel the run"
      consequence="No step begins any more, and approvals are taken back. What is under way comes to its end, and what is done stays done."
      onConfirm={() => cancel.run()}
    >
      Cancel
    </ConfirmButton>
  )
}

export function ResumeRun({ run: { workflowRunId } }: { run: WorkflowRun }) {
  const { environment } = useEnvironment()
  const resume = useAction(() => environment.workflows({ workflowRunId }).resume.post(undefined, { query: {} }), {
    success: 'The run goes on',
    changes,
  })
  return (
    <Button
      tone="primary"
      icon="run"
      pending={resume.pending}
      title="Goes on with the steps that have not succeeded"
      onClick={() => void resume.run()}
    >
      Resume
    </Button>
  )
}
