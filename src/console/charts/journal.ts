/** Merges rows of a journal from several reads. */
import type { JournalRow } from './lit.ts'

const bySequence = (a: JournalRow, b: JournalRow) => a.sequence - b.sequence

/** The rows of both, each once, ascending. */
export function mergeRows(known: readonly JournalRow[], more: readonly JournalRow[]): readonly JournalRow[] {
  const last = known.at(-1)?.sequence ?? 0
  if (more.every(({ sequence }) => sequence > last)) return more.length === 0 ? known : [...known, ...more]
  const rows = new Map([...known, ...more].map((row) => [row.sequence, row]))
  return rows.size === known.length ? known : [...rows.values()].sort(bySequence)
}

/** The rows up to the newest that have no gap between them. Rows before a gap are read again on request. */
export function gapless(rows: readonly JournalRow[]): readonly JournalRow[] {
  for (let place = rows.length - 1; place > 0; place -= 1) {
    if (rows[place]!.sequence !== rows[place - 1]!.sequence + 1) return rows.slice(place)
  }
  return rows
}
