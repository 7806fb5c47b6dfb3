/** The latest checkpoint of a run; its input at first. */
import { useApi } from '../../data/context.ts'
import { useResource } from '../../data/resource.ts'

export function useLatest(runId: string) {
  const api = useApi()
  return useResource(['runs', runId, 'latest'], (options) =>
    api.v1['agent-runs']({ agentRunId: runId }).checkpoints.latest.get(options),
  )
}
