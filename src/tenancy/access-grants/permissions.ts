/** The permissions that an access grant can give: those about one Project. Pure. Source: contract 1, "Access grant". */

import { type Issue, invalid } from '../../platform/http/answers/errors.ts'
import { expandPermission, type Permission, unknownPermission } from '../../platform/http/guard/permissions.ts'
import { projectPermissions } from '../authority/roles.ts'

/** The permissions of a name within a Project, or why it gives none. */
function expand(name: string): readonly Permission[] | string {
  const expanded = expandPermission(name)
  if (!expanded) return unknownPermission(name)
  const inProject = expanded.filter((permission) => projectPermissions.includes(permission))
  return inProject.length > 0
    ? inProject
    : 'Applies to the organization as a whole; it comes with a role, not with a grant.'
}

/**
 * Expands `*` and `family:*`, without duplicates, in the order of the requirement's table. Throws 422 with one issue for each
 * name that gives no permission.
 */
export function grantedPermissions(names: readonly string[]): Permission[] {
  const given = new Set<Permission>()
  const issues: Issue[] = []
  for (const [index, name] of names.entries()) {
    const expanded = expand(name)
    if (typeof expanded === 'string') issues.push({ path: `/body/permissions/${index}`, message: expanded })
    else for (const permission of expanded) given.add(permission)
  }
  if (issues.length > 0) throw invalid(issues)
  return projectPermissions.filter((permission) => given.has(permission))
}
