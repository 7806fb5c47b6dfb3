/** State transitions of a workflow run. */
import { usePages } from '../../data/pages.ts'
import { Moves } from '../../ui/moves.tsx'
import { useEnvironment } from '../../use-environment.ts'
import { workflowRunKey } from './run.ts'

export function WorkflowMoves({ workflowRunId }: { workflowRunId: string }) {
  const { environment } = useEnvironment()
  const moves = usePages(
    [...workflowRunKey(workflowRunId), 'moves'],
    (options, page) => environment.workflows({ workflowRunId }).transitions.get({ ...options, query: page }),
    { limit: 100 },
  )
  return <Moves pages={moves} />
}
