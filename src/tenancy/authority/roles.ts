/** Permissions of members: by role in the organization, by access grants in a Project. Source: contract 1. */
import type { Role } from '../../platform/http/guard/caller.ts'
import { expandPermission, type Permission, permissions } from '../../platform/http/guard/permissions.ts'

const ownersOnly: readonly Permission[] = ['organizations:delete', 'billing:manage']
const members = [
  'organizations:get',
  'projects:list',
  'connections:presets:list',
  'organization-integrations:presets:list',
  'templates:*',
]

/** The permissions of a role in the whole organization. */
export const rolePermissions: Readonly<Record<Role, ReadonlySet<Permission>>> = {
  owner: new Set(permissions),
  admin: new Set(permissions.filter((permission) => !ownersOnly.includes(permission))),
  member: new Set(members.flatMap((name) => expandPermission(name)!)),
}

/** Families about the organization as a whole. */
const organizationFamilies = [
  'organizations',
  'organization-integrations',
  'organization-variables',
  'api-keys',
  'provider-credentials',
  'templates',
  'billing',
]
const organizationPermissions: readonly Permission[] = ['projects:list', 'projects:create', 'connections:presets:list']

/** The permissions that an access grant can give: those within a Project. */
export const projectPermissions: readonly Permission[] = permissions.filter(
  (permission) =>
    !organizationPermissions.includes(permission) &&
    !organizationFamilies.some((family) => permission.startsWith(`${family}:`)),
)

/** An access grant of the user or of one of the user's groups. */
export interface Grant {
  projectId: string
  permissions: readonly Permission[]
}

/** The permissions of a user in an organization, narrowed by the `operations` of an API key. Source: requirement 5.2. */
export function authorityOf(role: Role, grants: readonly Grant[], operations?: ReadonlySet<Permission>) {
  const inRole = rolePermissions[role]
  const everywhere = operations ? new Set([...operations].filter((operation) => inRole.has(operation))) : inRole
  const granted = new Map<string, Set<Permission>>()
  for (const { projectId, permissions: given } of grants) {
    const inProject = granted.get(projectId) ?? new Set()
    granted.set(projectId, inProject)
    for (const permission of given) {
      if (!everywhere.has(permission) && (!operations || operations.has(permission))) inProject.add(permission)
    }
  }
  return { permissions: everywhere, granted: granted as ReadonlyMap<string, ReadonlySet<Permission>> }
}
