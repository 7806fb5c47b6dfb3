/** A live workflow run: refetched on each transition, and at intervals while steps run. */
import type { WorkflowRun } from '../../../automation/workflows/schema.ts'
import { useRefresh } from '../../data/context.ts'
import { type Resource, useResource } from '../../data/resource.ts'
import { type Live, useEventStream } from '../../data/use-event-stream.ts'
import { useRefreshSoon } from '../../data/use-refresh-soon.ts'
import { useEnvironment } from '../../use-environment.ts'

export type { WorkflowRun }
export type WorkflowStep = WorkflowRun['steps'][number]

/** Interval while `running`, because step changes are no transitions of the run. */
const busyMs = 1_000
/** Interval otherwise: others may resolve a step, and the statechart may not be permitted. */
const calmMs = 5_000

type InState = Pick<WorkflowRun, 'state'>

/** A failed run may be resumed; a completed or canceled one is final. */
const isFollowed = ({ state }: InState) => state !== 'completed' && state !== 'canceled'
export const isBusy = ({ state }: InState) => state === 'running' || state === 'canceling'

export const workflowRunKey = (workflowRunId: string) => ['workflows', 'run', workflowRunId]

export function useWorkflowRun(workflowRunId: string): { run: Resource<WorkflowRun>; live: Live } {
  const { environment } = useEnvironment()
  const refresh = useRefresh()
  const run = useResource(
    workflowRunKey(workflowRunId),
    (options) => environment.workflows({ workflowRunId }).get({ ...options, query: {} }),
    { every: (run) => (run && isFollowed(run) ? (isBusy(run) ? busyMs : calmMs) : null) },
  ) as Resource<WorkflowRun>
  const refreshSoon = useRefreshSoon(() => refresh(workflowRunKey(workflowRunId)))
  const isLive = run.value && isFollowed(run.value)
  const live = useEventStream(isLive ? `/api/v1/actors/workflow-run/${workflowRunId}/stream` : null, refreshSoon)
  return { run, live: isLive ? live : { state: 'ended', failure: undefined } }
}

const unknownIn = (steps: readonly WorkflowStep[]) =>
  steps.flatMap(({ stepId, state, elements }) => [
    ...(state === 'unknown' ? [{ stepId }] : []),
    ...(elements ?? []).flatMap((each) => (each.state === 'unknown' ? [{ stepId: `${stepId}.${each.index}` }] : [])),
  ])

/** Whether the outcome of a step is set at its run; else at its call, of which the run takes no more note. */
export const awaitsOutcome = ({ state, steps }: WorkflowRun, stepId: string | null): boolean =>
  isFollowed({ state }) && state !== 'canceling' && unknownIn(steps).some((step) => step.stepId === stepId)

/** Commands that the state allows; the server decides. `unknown`: the steps that can be resolved. */
export function commandsOf({ state, steps, endedAt }: WorkflowRun) {
  const unknown = state === 'unknown' || state === 'failed' ? unknownIn(steps) : []
  return {
    unknown,
    canCancel: endedAt === null && state !== 'canceling',
    canResume: state === 'failed' || (state === 'unknown' && unknown.length === 0),
  }
}
