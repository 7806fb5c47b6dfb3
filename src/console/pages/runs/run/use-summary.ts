/** The summary of a run in lists: its first message, its model, its tokens. */
import { sent } from '../../../api/client.ts'
import { useApi } from '../../../data/context.ts'
import { useReading } from '../../../data/resource.ts'

export function useSummary(runId: string | null) {
  const api = useApi()
  return useReading(runId === null ? null : ['runs', runId, 'summary'], async ({ fetch }) => {
    const query = {
      ids: [runId as string],
      include: ['summary' as const],
      limit: 1,
      sort: 'createdAt' as const,
      order: 'desc' as const,
    }
    const { agentRuns } = await sent(api.v1['agent-runs'].get({ query, fetch }))
    return agentRuns[0]?.summary ?? null
  })
}
