/** The latest checkpoint of a run in a component; asked for once there is one. */
import { useApi } from '../../data/context.ts'
import { useResource } from '../../data/resource.ts'
import type { UsedFeed } from './use-feed.ts'

export function useLatest(runId: string, { checkpointed, failure }: Pick<UsedFeed, 'checkpointed' | 'failure'>) {
  const api = useApi()
  // who may not see steps may see checkpoints
  return useResource(checkpointed || failure ? ['runs', runId, 'latest'] : null, (options) =>
    api.v1['agent-runs']({ agentRunId: runId }).checkpoints.latest.get(options),
  )
}
