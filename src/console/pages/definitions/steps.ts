/** The steps of a workflow as a graph from left to right: a step stands behind everything that it waits for. Pure. */
import type { WorkflowStep } from '../../../authoring/definitions/source.ts'

export interface PlacedStep {
  id: string
  operation: string
  /** Counted from 0, from left to right. */
  column: number
  /** Within the column, from the top. */
  row: number
  waitsFor: string[]
}

const used = /\{\{\s*steps\.([a-zA-Z0-9_-]+)\./g

/** What a step waits for: what it says, and the steps whose output it takes. */
export function waitsFor({ after = [], input }: WorkflowStep): string[] {
  const texts = input === undefined ? '' : JSON.stringify(input)
  return [...new Set([...after, ...[...texts.matchAll(used)].map(([, id]) => id ?? '')])]
}

export function placeSteps(steps: readonly WorkflowStep[]): PlacedStep[] {
  const known = new Map(steps.map((step) => [step.id, waitsFor(step)]))
  const columns = new Map<string, number>()
  // the server has refused circles; here one only ends the search
  const columnOf = (id: string, seen: readonly string[] = []): number => {
    const found = columns.get(id)
    if (found !== undefined) return found
    const before = (known.get(id) ?? []).filter((other) => known.has(other) && !seen.includes(other))
    const column = before.length === 0 ? 0 : 1 + Math.max(...before.map((other) => columnOf(other, [...seen, id])))
    columns.set(id, column)
    return column
  }
  const filled = new Map<number, number>()
  return steps.map(({ id, operation }) => {
    const column = columnOf(id)
    const row = filled.get(column) ?? 0
    filled.set(column, row + 1)
    return { id, operation, column, row, waitsFor: (known.get(id) ?? []).filter((other) => known.has(other)) }
  })
}
