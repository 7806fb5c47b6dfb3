/** One run in a component: its record, and which commands its statechart has a row for now. */
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
    /** Undefined until it is known. */
    can: (event: 'cancel' | 'continue'): boolean | undefined => actor.value?.nextEvents.includes(event),
    /** When it last changed, while it has not ended. */
    openSince: value?.endedAt === null ? value.updatedAt : undefined,
    /** Whether attempts are under way or about to be. */
    busy: value !== undefined && value.endedAt === null && value.awaiting === undefined,
  }
}

/** The state to show: the stream is ahead of the record while it is open. */
export const stateOf = ({ live, state }: Pick<UsedFeed, 'live' | 'state'>, run: PresentedRun): string =>
  live.state === 'open' && state !== undefined ? state : run.state
