/** State transitions of a run. */
import { useApi } from '../../../../data/context.ts'
import { usePages } from '../../../../data/pages.ts'
import { Moves } from '../../../../ui/moves.tsx'

export function Journal({ runId }: { runId: string }) {
  const api = useApi()
  const pages = usePages(
    ['runs', runId, 'transitions'],
    (options, page) => api.v1['agent-runs']({ agentRunId: runId }).transitions.get({ ...options, query: page }),
    { limit: 100 },
  )
  return <Moves pages={pages} own={[{ title: 'Attempt', align: 'end', cell: ({ attempt }) => attempt }]} />
}
