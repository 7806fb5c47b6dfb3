/** The operations of a revision with those that are imported: of the same name they take the place of what was there. */
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
