/** The operations that a key is created with. Pure. Source: requirement 5.8; contract 1, "API key". */
import { expandPermission, type Permission, permissions } from '../../platform/http/guard/permissions.ts'

export interface Operations {
  /** Each once, in the order of the requirement's table. */
  operations: Permission[]
  /** Positions of the names that nothing is called. */
  unknown: number[]
}

/** Reads names, `family:*` and `*`. */
export function readOperations(names: readonly string[]): Operations {
  const given = new Set<Permission>()
  const unknown: number[] = []
  names.forEach((name, position) => {
    const expanded = expandPermission(name)
    if (expanded) for (const permission of expanded) given.add(permission)
    else unknown.push(position)
  })
  return { operations: permissions.filter((permission) => given.has(permission)), unknown }
}
