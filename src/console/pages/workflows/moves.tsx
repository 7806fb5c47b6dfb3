/** The journal of a run. */
import { usePages } from '../../data/pages.ts'
import { Moves } from '../../ui/moves.tsx'
import { useEnvironmentApi } from '../operations/environment-api.ts'
import { workflowRunKey } from './run.ts'

export function WorkflowMoves({ workflowRunId }: { workflowRunId: string }) {
  const { environment } = useEnvironmentApi()
  const moves = usePages(
    [...workflowRunKey(workflowRunId), 'moves'],
    (options, page) =>
      environment()
        .workflows({ workflowRunId })
        .transitions.get({ ...options, query: page }),
    100,
  )
  return <Moves pages={moves} />
}
