/** Permissions grouped by resource: `agent-runs` with `create`, `list`, … */

import { permissions } from '../../../../platform/http/guard/permissions.ts'
import { projectPermissions } from '../../../../tenancy/authority/roles.ts'

export interface Family {
  name: string
  permissions: string[]
}

/** Permissions available to API keys. */
export const keyPermissions: readonly string[] = permissions
/** Permissions available to access grants. */
export const grantPermissions: readonly string[] = projectPermissions

/** Part before the first colon; of `env:variables:list` it is `env:variables`. */
const familyOf = (permission: string) => /^(?:env:)?[^:]+/.exec(permission)![0]

/** `create` in `agent-runs:create`. */
export const verbOf = (permission: string): string => permission.slice(familyOf(permission).length + 1)

/** In order of first occurrence. */
export function familiesOf(names: readonly string[]): Family[] {
  const families = new Map<string, string[]>()
  for (const name of names) families.set(familyOf(name), [...(families.get(familyOf(name)) ?? []), name])
  return [...families].map(([name, permissions]) => ({ name, permissions }))
}

/** Whether a permission is read-only. */
export const isReading = (permission: string): boolean =>
  /:(?:list|get|read|search|stream|read-runtime-data)$/.test(permission)

/** Names to send: a complete family becomes `family:*`. */
export function shortened(chosen: ReadonlySet<string>, offered: readonly string[]): string[] {
  return familiesOf(offered).flatMap(({ name, permissions }) => {
    const held = permissions.filter((permission) => chosen.has(permission))
    return held.length === permissions.length && held.length > 1 ? [`${name}:*`] : held
  })
}
