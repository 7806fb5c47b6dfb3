/** Starts a run whose start was put off. */
import { useAction } from '../../../data/action.ts'
import { useApi } from '../../../data/context.ts'
import { Button } from '../../../ui/forms/button.tsx'

export function StartNow({ runId }: { runId: string }) {
  const api = useApi()
  const start = useAction(() => api.v1['agent-runs']({ agentRunId: runId })['start-now'].post(), {
    success: 'The run starts now',
    changes: [['runs']],
  })
  return (
    <Button needs="agent-runs:update" icon="run" pending={start.pending} onClick={() => start.run()}>
      Start now
    </Button>
  )
}
