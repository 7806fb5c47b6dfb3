/** One run of a workflow, live: read again with each move of its statechart, and every so often while steps are at work. */
import { useCallback, useEffect, useRef } from 'react'
import type { WorkflowRun } from '../../../automation/workflows/schema.ts'
import { useRefresh } from '../../data/context.ts'
import { type Resource, useResource } from '../../data/resource.ts'
import { type Live, useEventStream } from '../../data/use-event-stream.ts'
import { useEnvironment } from '../../use-environment.ts'

export type { WorkflowRun }
export type WorkflowStep = WorkflowRun['steps'][number]

/** Moves of one moment are one reading. */
const gatherMs = 150
/** Steps move on while the run stays `running`, of which its statechart tells nothing. */
const busyMs = 1_000
/** Others may resolve a step, and who may not follow the statechart hears of nothing. */
const calmMs = 5_000

type InState = Pick<WorkflowRun, 'state'>

/** A failed run may be resumed; a completed or canceled one never moves again. */
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
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const refreshSoon = useCallback(() => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      void refresh(workflowRunKey(workflowRunId))
    }, gatherMs)
  }, [refresh, workflowRunId])
  useEffect(() => () => clearTimeout(timer.current), [])
  const isLive = run.value && isFollowed(run.value)
  const live = useEventStream(isLive ? `/api/v1/actors/workflow-run/${workflowRunId}/stream` : null, refreshSoon)
  return { run, live: isLive ? live : { state: 'ended', failure: undefined } }
}

/** What one may ask of a run as it stands; the server has the last word. */
export function commandsOf({ state, steps, endedAt }: WorkflowRun) {
  const unknown = steps.filter((step) => step.state === 'unknown')
  return {
    unknown,
    canCancel: endedAt === null && state !== 'canceling',
    canResume: state === 'failed' || (state === 'unknown' && unknown.length === 0),
  }
}
