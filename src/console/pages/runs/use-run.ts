/** One run in a component: its record, and which commands its statechart has a row for now. */
import { useApi } from '../../data/context.ts'
import { useResource } from '../../data/resource.ts'

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
