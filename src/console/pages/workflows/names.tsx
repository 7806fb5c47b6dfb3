/** Name of a workflow's Definition; the id if the name is not permitted. */
import { useIds } from '../../use-place.ts'
import { useParts } from '../delivery/parts.ts'

export function useWorkflowName(definitionId: string | undefined): string {
  const { projectId } = useIds('projectId')
  const parts = useParts(projectId)
  return definitionId === undefined || parts.loading ? 'Workflow' : (parts.value?.nameOf(definitionId) ?? definitionId)
}

export const WorkflowName = ({ definitionId }: { definitionId: string }) => <>{useWorkflowName(definitionId)}</>
