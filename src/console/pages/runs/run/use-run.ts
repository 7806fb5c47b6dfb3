/** A run, and the commands that its state allows. */
import type { PresentedRun } from '../../../../runs/present.ts'
import { useApi } from '../../../data/context.ts'
import { useResource } from '../../../data/resource.ts'
import type { UsedFeed } from '../use-feed.ts'

export function useRun(runId: string) {
  const api = useApi()
  const run = useResource(['runs', runId], (options) => api.v1['agent-runs']({ agentRunId: runId }).get(options))
  const actor = useResource(['runs', runId, 'actor'], (options) =>
    api.v1.actors({ kind: 'run' })({ id: runId }).get(options),
  )
  const { value } = run
  return {
    run,
    /** Undefined until loaded. */
    can: (event: 'cancel' | 'continue' | 'startNow'): boolean | undefined => actor.value?.nextEvents.includes(event),
    /** Time of the last change, until the run ends. */
    openSince: value?.endedAt === null ? value.updatedAt : undefined,
    /** Whether attempts are running or scheduled. */
    busy: value !== undefined && value.endedAt === null && value.awaiting === undefined,
  }
}

/** The state to show; the stream is ahead of the record. */
export const stateOf = ({ live, state }: Pick<UsedFeed, 'live' | 'state'>, run: PresentedRun): string =>
  live.state === 'open' && state !== undefined ? state : run.state
