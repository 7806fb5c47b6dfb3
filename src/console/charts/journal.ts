/** Rows of a journal from several readings, put together. */
import type { JournalRow } from './lit.ts'

const bySequence = (a: JournalRow, b: JournalRow) => a.sequence - b.sequence

/** Both, each row once, ascending. */
export function mergeRows(known: readonly JournalRow[], more: readonly JournalRow[]): readonly JournalRow[] {
  const last = known.at(-1)?.sequence ?? 0
  if (more.every(({ sequence }) => sequence > last)) return more.length === 0 ? known : [...known, ...more]
  const rows = new Map([...known, ...more].map((row) => [row.sequence, row]))
  return rows.size === known.length ? known : [...rows.values()].sort(bySequence)
}

/** The rows that follow each other without a gap up to the newest: what is before a gap is read again when it is asked for. */
export function gapless(rows: readonly JournalRow[]): readonly JournalRow[] {
  for (let place = rows.length - 1; place > 0; place -= 1) {
    if (rows[place]!.sequence !== rows[place - 1]!.sequence + 1) return rows.slice(place)
  }
  return rows
}
