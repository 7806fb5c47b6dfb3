/** Merges imported operations into those of a revision; an imported one replaces an operation of the same name. */
import type { Operation, OperationsSource } from '../../../../authoring/definitions/source.ts'

export function merged(before: OperationsSource | undefined, imported: readonly Operation[]): OperationsSource {
  const byName = new Map(imported.map((operation) => [operation.name, operation]))
  const kept = (before?.operations ?? []).map((operation) => {
    const other = byName.get(operation.name)
    byName.delete(operation.name)
    return other ?? operation
  })
  return { operations: [...kept, ...byName.values()] }
}
