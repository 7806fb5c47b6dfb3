/** The scope of an alert rule, by name. */
import type { AlertRule } from '../../../automation/alerts/schema.ts'
import { usePlaceName } from '../runs/list/where.tsx'

export function Watched({
  rule: { projectId, environmentId },
}: {
  rule: Pick<AlertRule, 'projectId' | 'environmentId'>
}) {
  const name = usePlaceName(projectId, environmentId)
  return environmentId === null ? 'Whole organization' : name
}
