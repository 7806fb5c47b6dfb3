/** What a member of an organization may do by role. Source: contract 1, "Role permissions". */
import type { MembershipRow } from '../../storage/tables.ts'
import { expandPermission, type Permission, permissions } from '../http/permissions.ts'

export type Role = MembershipRow['role']

const ownersOnly: readonly Permission[] = ['organizations:delete', 'billing:manage']
const members = [
  'organizations:get',
  'projects:list',
  'connections:presets:list',
  'organization-integrations:presets:list',
  'templates:*',
]

/** The permissions that a role gives everywhere in the organization. */
export const rolePermissions: Readonly<Record<Role, ReadonlySet<Permission>>> = {
  owner: new Set(permissions),
  admin: new Set(permissions.filter((permission) => !ownersOnly.includes(permission))),
  member: new Set(members.flatMap((name) => expandPermission(name)!)),
}

/** What a key with these operations may do while its creator has this role. Source: requirement 5.2. */
export function effectivePermissions(operations: readonly string[], role: Role): ReadonlySet<Permission> {
  const allowed = rolePermissions[role]
  return new Set((operations as readonly Permission[]).filter((operation) => allowed.has(operation)))
}
