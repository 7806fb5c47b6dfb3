/** Which alert rules a credential reaches. */
import type { AlertRuleRow } from '../../../storage/tables.ts'
import { grantedProjects, inScope } from '../../platform/http/guard/authorization-scope.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import type { Permission } from '../../platform/http/guard/permissions.ts'

/**
 * Whether the rule is in the part of the organization to which the credential is bound; a key of an Agent reaches no
 * rules.
 */
export const isInScope = (caller: Caller, { project_id, environment_id }: AlertRuleRow): boolean =>
  caller.scope.agentId === null &&
  inScope(caller, { projectId: project_id, environmentId: environment_id, agentId: null })

/** Whether the credential has the permission for the rule. */
export const reaches = (caller: Caller, row: AlertRuleRow, permission: Permission): boolean => {
  const granted = grantedProjects(caller, permission)
  return isInScope(caller, row) && (!granted || (row.project_id !== null && granted.includes(row.project_id)))
}
