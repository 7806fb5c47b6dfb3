/** The operations of a new key. Pure. Source: requirement 5.8; contract 1, "API key". */
import { expandPermission, type Permission, permissions } from '../../platform/http/guard/permissions.ts'

interface Operations {
  /** Without duplicates, in the order of the requirement's table. */
  operations: Permission[]
  /** Indexes of unknown names. */
  unknown: number[]
}

/** Expands names, `family:*` and `*`. */
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
