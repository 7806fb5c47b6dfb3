/** Downloads what the filters of the audit log leave, as CSV or as JSON, a line each. */
import { useState } from 'react'
import type { AuditEvent } from '../../../../tenancy/audit/schema.ts'
import { sent } from '../../../api/client.ts'
import { useApi } from '../../../data/context.ts'
import { Button } from '../../../ui/forms/button.tsx'
import { useToasts } from '../../../ui/toasts.tsx'
import type { AuditNarrowing } from './audit-filters.tsx'
import { useOrganizationPath } from './use-organization.ts'

/** Of one download. */
const linesMax = 10_000

const columns: [name: string, of: (line: AuditEvent) => string | number | null][] = [
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
  ['id', ({ id }) => id],
]

/** A program for tables would take a text that begins so for a formula. */
const isFormula = /^[=+\-@\t\r]/

export function csvOf(lines: readonly AuditEvent[]): string {
  const cell = (value: string | number | null) => {
    const text = String(value ?? '')
    const safe = isFormula.test(text) ? `'${text}` : text
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
  }
  const rows = lines.map((line) => columns.map(([, of]) => cell(of(line))).join(','))
  return `${[columns.map(([name]) => name).join(','), ...rows].join('\r\n')}\r\n`
}

const jsonLinesOf = (lines: readonly AuditEvent[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join('')

export function AuditExport({ query }: Pick<AuditNarrowing, 'query'>) {
  const api = useApi()
  const { say } = useToasts()
  const organization = useOrganizationPath()
  const [underWay, setUnderWay] = useState<'csv' | 'jsonl'>()

  async function collected(): Promise<AuditEvent[]> {
    const lines: AuditEvent[] = []
    for (let cursor: string | undefined; lines.length < linesMax; ) {
      const page = { limit: 100, ...query, ...(cursor !== undefined && { cursor }) }
      const { data, pagination } = await sent(api.v1.organizations(organization)['audit-events'].get({ query: page }))
      lines.push(...data.items)
      if (!pagination.hasMore) break
      cursor = pagination.nextCursor
    }
    return lines.slice(0, linesMax)
  }

  async function save(format: 'csv' | 'jsonl') {
    setUnderWay(format)
    try {
      const lines = await collected()
      const text = format === 'csv' ? csvOf(lines) : jsonLinesOf(lines)
      const url = URL.createObjectURL(new Blob([text], { type: format === 'csv' ? 'text/csv' : 'application/jsonl' }))
      const link = document.createElement('a')
      link.href = url
      link.download = `audit-log.${format}`
      link.click()
      URL.revokeObjectURL(url)
      const more = lines.length === linesMax ? `, the latest ${linesMax.toLocaleString('en')}` : ''
      say({ tone: 'good', title: `${lines.length.toLocaleString('en')} entries exported${more}` })
    } catch {
      say({ tone: 'bad', title: 'The audit log could not be exported' })
    } finally {
      setUnderWay(undefined)
    }
  }

  return (
    <>
      <Button pending={underWay === 'csv'} onClick={() => save('csv')}>
        Export CSV
      </Button>
      <Button pending={underWay === 'jsonl'} onClick={() => save('jsonl')}>
        Export JSON lines
      </Button>
    </>
  )
}
