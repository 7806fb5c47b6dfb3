/** Permissions by family, for people: `agent-runs` and its `create`, `list`, … */

import { permissions } from '../../../../platform/http/guard/permissions.ts'
import { projectPermissions } from '../../../../tenancy/authority/roles.ts'

export interface Family {
  name: string
  permissions: string[]
}

/** What an API key can be made for. */
export const keyPermissions: readonly string[] = permissions
/** What an access grant can give. */
export const grantPermissions: readonly string[] = projectPermissions

/** Of `env:variables:list` it is `env:variables`; of all others what stands before the first colon. */
const familyOf = (permission: string) => /^(?:env:)?[^:]+/.exec(permission)![0]

/** `create` of `agent-runs:create` */
export const verbOf = (permission: string): string => permission.slice(familyOf(permission).length + 1)

/** In the order of their first members. */
export function familiesOf(names: readonly string[]): Family[] {
  const families = new Map<string, string[]>()
  for (const name of names) families.set(familyOf(name), [...(families.get(familyOf(name)) ?? []), name])
  return [...families].map(([name, permissions]) => ({ name, permissions }))
}

/** What only looks. */
export const isReading = (permission: string): boolean =>
  /:(?:list|get|read|search|stream|read-runtime-data)$/.test(permission)

/** The names to send: a family that is there as a whole by `family:*`. */
export function shortened(chosen: ReadonlySet<string>, offered: readonly string[]): string[] {
  return familiesOf(offered).flatMap(({ name, permissions }) => {
    const held = permissions.filter((permission) => chosen.has(permission))
    return held.length === permissions.length && held.length > 1 ? [`${name}:*`] : held
  })
}
