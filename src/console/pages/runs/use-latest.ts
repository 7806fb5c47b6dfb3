/** The latest checkpoint of a run in a component: its input in the beginning. */
import { useApi } from '../../data/context.ts'
import { useResource } from '../../data/resource.ts'

export function useLatest(runId: string) {
  const api = useApi()
  return useResource(['runs', runId, 'latest'], (options) =>
    api.v1['agent-runs']({ agentRunId: runId }).checkpoints.latest.get(options),
  )
}
