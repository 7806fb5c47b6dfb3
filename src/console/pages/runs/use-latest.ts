/** The latest checkpoint of a run; its input at first. */
import { useApi } from '../../data/context.ts'
import { useResource } from '../../data/resource.ts'

export function useLatest(runId: string | null) {
  const api = useApi()
  return useResource(runId === null ? null : ['runs', runId, 'latest'], (options) =>
    api.v1['agent-runs']({ agentRunId: runId as string }).checkpoints.latest.get(options),
  )
}
