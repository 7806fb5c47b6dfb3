/** One run of a workflow, live: read again with each move of its statechart, and every so often while steps are at work. */
import { useCallback, useEffect, useRef } from 'react'
import type { WorkflowRun } from '../../../automation/workflows/schema.ts'
import { useRefresh } from '../../data/context.ts'
import { type Resource, useRefreshEvery, useResource } from '../../data/resource.ts'
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

export const workflowRunKey = (workflowRunId: string) => ['workflows', 'run', workflowRunId]

export function useWorkflowRun(workflowRunId: string): { run: Resource<WorkflowRun>; live: Live } {
  const { environment } = useEnvironment()
  const refresh = useRefresh()
  const run = useResource(workflowRunKey(workflowRunId), (options) =>
    environment.workflows({ workflowRunId }).get({ ...options, query: {} }),
  ) as Resource<WorkflowRun>
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const refreshSoon = useCallback(() => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      void refresh(workflowRunKey(workflowRunId))
    }, gatherMs)
  }, [refresh, workflowRunId])
  useEffect(() => () => clearTimeout(timer.current), [])
  // a failed run may be resumed: only what can never move again is not followed
  const isLive = run.value && run.value.state !== 'completed' && run.value.state !== 'canceled'
  const live = useEventStream(isLive ? `/api/v1/actors/workflow-run/${workflowRunId}/stream` : null, refreshSoon)
  const isBusy = run.value?.state === 'running' || run.value?.state === 'canceling'
  useRefreshEvery(isLive ? (isBusy ? busyMs : calmMs) : null, run.refresh)
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
