/** Forks a run after one of its steps: at the last checkpoint that was written during it. */
import type { PresentedStep } from '../../../../../runs/present.ts'
import { useApi } from '../../../../data/context.ts'
import { useResource } from '../../../../data/resource.ts'
import { Shown } from '../../../../ui/states.tsx'
import { ForkDialogButton, ForkForm } from './fork-button.tsx'

/** Nothing for a step without a checkpoint. */
export function ForkStep({ step }: { step: PresentedStep }) {
  const { agentRunId: runId, agentStepId, lastCheckpointId: checkpointId } = step
  if (checkpointId === null) return null
  return (
    <ForkDialogButton small label="Fork after this step">
      {(close) => <Loaded {...{ runId, agentStepId, checkpointId, close }} />}
    </ForkDialogButton>
  )
}

interface LoadedProps {
  runId: string
  agentStepId: number
  checkpointId: number
  close: () => void
}

/** How the run goes on depends on the kind of the checkpoint. */
function Loaded({ runId, agentStepId, checkpointId, close }: LoadedProps) {
  const api = useApi()
  const checkpoint = useResource(['runs', runId, 'checkpoint', checkpointId], (options) =>
    api.v1['agent-runs']({ agentRunId: runId }).steps({ agentStepId }).checkpoints({ checkpointId }).get(options),
  )
  return <Shown resource={checkpoint}>{(point) => <ForkForm runId={runId} point={point} close={close} />}</Shown>
}
