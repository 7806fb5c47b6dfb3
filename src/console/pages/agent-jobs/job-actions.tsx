/** Row actions of a job. */
import type { AgentJob } from '../../../automation/agent-jobs/schema.ts'
import { useAction } from '../../data/action.ts'
import { at, runAt } from '../../places.ts'
import { Button } from '../../ui/forms/button.tsx'
import { useEnvironment } from '../../use-environment.ts'
import { usePlace } from '../../use-place.ts'

export function RunNow({ job: { id: jobId, name }, small = false }: { job: AgentJob; small?: boolean }) {
  const place = usePlace()
  const { environmentId, environment } = useEnvironment()
  const start = useAction(() => environment['agent-jobs']({ jobId })['run-now'].post(), {
    success: `${name} has started`,
    changes: [
      ['jobs', environmentId],
      ['runs', 'list'],
      ['workflows', environmentId],
    ],
    opens: (run) => ('workflowRunId' in run ? at(place, 'workflows', run.workflowRunId) : runAt(place, run.id)),
  })
  return (
    <Button
      needs="agent-jobs:run-now"
      small={small}
      icon="run"
      pending={start.pending}
      aria-label={`Run now: ${name}`}
      onClick={() => void start.run()}
    >
      Run now
    </Button>
  )
}

export function EnableButton({ job, small = false }: { job: AgentJob; small?: boolean }) {
  const { id: jobId, name, enabled } = job
  const { environmentId, environment } = useEnvironment()
  const change = useAction(() => environment['agent-jobs']({ jobId }).patch({ enabled: !enabled }), {
    success: ({ enabled }) => (enabled ? `${name} is enabled` : `${name} is disabled`),
    changes: [['jobs', environmentId]],
  })
  return (
    <Button
      needs="agent-jobs:update"
      small={small}
      pending={change.pending}
      aria-label={`${enabled ? 'Disable' : 'Enable'} ${name}`}
      onClick={() => void change.run()}
    >
      {enabled ? 'Disable' : 'Enable'}
    </Button>
  )
}
