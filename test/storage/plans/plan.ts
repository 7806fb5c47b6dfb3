/** The plan of the engine for a statement, and which of its steps are costly. */
import type { Database } from 'bun:sqlite'

export interface Statement {
  name: string
  sql: string
}

interface Plan {
  steps: string[]
  /** Reads a whole table or a whole index, or sorts its result before it returns the first row. */
  costly: string[]
  /** The indexes that it searches, including primary keys. */
  indexes: string[]
}

/** Whether a step scans stored rows, not the rows of a subquery, a given list or a constant. */
function isStored(scanned: string, steps: readonly string[]): boolean {
  if (/^(CONSTANT ROW|\d+ CONSTANT ROWS|\(subquery-\d+\)|\d+-ROW VALUES CLAUSE)/.test(scanned)) return false
  if (scanned.includes(' VIRTUAL TABLE')) return false
  const [name] = scanned.split(' ')
  return !steps.some((step) => step === `CO-ROUTINE ${name}` || step === `MATERIALIZE ${name}`)
}

const isCostly = (step: string, steps: readonly string[]): boolean =>
  (step.startsWith('SCAN ') && isStored(step.slice('SCAN '.length), steps)) || /USE TEMP B-TREE|AUTOMATIC/.test(step)

/** The plan of a statement in this store. Throws when the statement names something that the store lacks. */
export function planOf(database: Database, { sql }: Statement): Plan {
  const explained = database.prepare<{ detail: string }, []>(`explain query plan ${sql}`)
  const steps = explained.all().map(({ detail }) => detail)
  explained.finalize()
  return {
    steps,
    costly: steps.filter((step) => isCostly(step, steps)),
    indexes: steps.flatMap((step) => / INDEX (\w+)/.exec(step)?.[1] ?? []),
  }
}
