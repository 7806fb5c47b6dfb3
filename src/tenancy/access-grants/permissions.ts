/** The permissions that an access grant can give: those about one Project. Pure. Source: contract 1, "Access grant". */

import { type Issue, invalid } from '../../platform/http/answers/errors.ts'
import { expandPermission, type Permission } from '../../platform/http/guard/permissions.ts'
import { projectPermissions } from '../authority/roles.ts'

/** What a name stands for within a Project, or why it stands for nothing. */
function expand(name: string): readonly Permission[] | string {
  const expanded = expandPermission(name)
  if (!expanded) return 'There is no such permission.'
  const inProject = expanded.filter((permission) => projectPermissions.includes(permission))
  return inProject.length > 0 ? inProject : 'Is about the organization as a whole; a role gives it, not a grant.'
}

/**
 * The names, with `*` and `family:*` expanded, each once, in the order of the requirement's table. Throws 422 with one
 * issue for each name that gives nothing.
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
