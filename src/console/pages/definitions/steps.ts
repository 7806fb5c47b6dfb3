/** Layout of a workflow's steps: each step is in a column after all of its dependencies. Pure. */

import { fieldsWithValues, type WorkflowStep } from '../../../authoring/definitions/source.ts'
import { durationText } from '../../ui/time.tsx'

export interface PlacedStep {
  id: string
  does: string
  /** From 0, left to right. */
  column: number
  /** Row within the column. */
  row: number
  waitsFor: string[]
}

const used = /\{\{\s*steps\.([a-zA-Z0-9_-]+)\./g

/** What a step does, in few words: its operation, `workflow refund-order`, `sleep 2 h`, `wait for payment.received`. */
export function doingOf({ operation, workflow, sleep = 0, waitFor }: WorkflowStep): string {
  if (operation !== undefined) return operation
  if (workflow !== undefined) return `workflow ${workflow}`
  return waitFor
    ? `wait for ${waitFor.event}`
    : `sleep ${durationText(sleep).replace(/(?: 0 (?:h|min|s)|\.0(?= s))$/, '')}`
}

/** Dependencies of a step: those declared, and the steps whose output it uses. */
export function waitsFor({ after = [], ...step }: WorkflowStep): string[] {
  const texts = JSON.stringify(fieldsWithValues.map((field) => step[field] ?? null))
  return [...new Set([...after, ...[...texts.matchAll(used)].map(([, id]) => id ?? '')])]
}

export function placeSteps(steps: readonly WorkflowStep[]): PlacedStep[] {
  const known = new Map(steps.map((step) => [step.id, waitsFor(step)]))
  const columns = new Map<string, number>()
  // the server refuses cycles; this only guarantees termination
  const columnOf = (id: string, seen: readonly string[] = []): number => {
    const found = columns.get(id)
    if (found !== undefined) return found
    const before = (known.get(id) ?? []).filter((other) => known.has(other) && !seen.includes(other))
    const column = before.length === 0 ? 0 : 1 + Math.max(...before.map((other) => columnOf(other, [...seen, id])))
    columns.set(id, column)
    return column
  }
  const filled = new Map<number, number>()
  return steps.map((step) => {
    const { id } = step
    const column = columnOf(id)
    const row = filled.get(column) ?? 0
    filled.set(column, row + 1)
    return { id, does: doingOf(step), column, row, waitsFor: (known.get(id) ?? []).filter((other) => known.has(other)) }
  })
}
