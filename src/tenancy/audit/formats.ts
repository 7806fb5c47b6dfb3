/** The files of an exported audit log: CSV, or JSON Lines. */
import type { AuditEvent } from './schema.ts'

/** How lines become text. */
interface ExportFormat {
  mediaType: string
  heading: string
  line(event: AuditEvent): string
}

const columns: [name: string, of: (event: AuditEvent) => string | number | null][] = [
  ['at', ({ at }) => at],
  ['operation', ({ operation }) => operation],
  ['outcome', ({ outcome }) => outcome],
  ['count', ({ count }) => count],
  ['actorType', ({ actor }) => actor.type],
  ['actorId', ({ actor }) => actor.id],
  ['ip', ({ ip }) => ip],
  ['resourceType', ({ resource }) => resource.type],
  ['resourceId', ({ resource }) => resource.id],
  ['changed', ({ changed }) => changed.join(' ')],
  ['requestId', ({ requestId }) => requestId],
  ['requestIdFrom', ({ requestIdFrom }) => requestIdFrom],
  ['id', ({ id }) => id],
]

/** Spreadsheets take a text with such a start for a formula. */
const isFormula = /^[=+\-@\t\r]/

function cell(value: string | number | null): string {
  const text = String(value ?? '')
  const safe = isFormula.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

const row = (cells: readonly string[]): string => `${cells.join(',')}\r\n`

export const exportFormats = {
  csv: {
    mediaType: 'text/csv; charset=utf-8; header=present',
    heading: row(columns.map(([name]) => name)),
    line: (event) => row(columns.map(([, of]) => cell(of(event)))),
  },
  jsonl: { mediaType: 'application/jsonl', heading: '', line: (event) => `${JSON.stringify(event)}\n` },
} satisfies Record<string, ExportFormat>
