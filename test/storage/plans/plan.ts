/** How the engine would carry out a statement, and what is costly about that. */
import type { Database } from 'bun:sqlite'

export interface Statement {
  name: string
  sql: string
}

export interface Plan {
  steps: string[]
  /** Reads a whole table, or the whole of an index; or sorts what it has found before the first row is there. */
  costly: string[]
  /** The indexes that it looks things up by, also those of primary keys. */
  indexes: string[]
}

/** What a step scans, if that is stored: not the rows of a part of the statement, of a list that was given, or of nothing. */
function isStored(scanned: string, steps: readonly string[]): boolean {
  if (/^(CONSTANT ROW|\d+ CONSTANT ROWS|\(subquery-\d+\)|\d+-ROW VALUES CLAUSE)/.test(scanned)) return false
  if (scanned.includes(' VIRTUAL TABLE')) return false
  const [name] = scanned.split(' ')
  return !steps.some((step) => step === `CO-ROUTINE ${name}` || step === `MATERIALIZE ${name}`)
}

const isCostly = (step: string, steps: readonly string[]): boolean =>
  (step.startsWith('SCAN ') && isStored(step.slice('SCAN '.length), steps)) || /USE TEMP B-TREE|AUTOMATIC/.test(step)

/** The plan of a statement in this store. Throws when the store does not know what it names. */
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
