/** Reads the audit log. Source: contract 1, "Audit". */

import { firstIdAt } from '../../../storage/ids.ts'
import type { Store } from '../../../storage/store.ts'
import type { AuditEventRow } from '../../../storage/tables.ts'
import { listAuditEventsBetween } from '../../../storage/tenancy/audit.ts'
import type { Cursors } from '../../platform/http/cursor.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import type { Admission } from '../../platform/http/guard/open-stream.ts'
import { belowId } from '../../platform/http/pagination.ts'
import { assertRange } from '../../platform/http/time-range.ts'
import { timestamp } from '../../platform/http/timestamp.ts'
import { nextTurn } from '../../platform/time/next-turn.ts'
import { exportFormats } from './formats.ts'
import type { AuditLog } from './log.ts'
import type { AuditEvent, AuditExportQuery, AuditQuery } from './schema.ts'

const present = (row: AuditEventRow): AuditEvent => ({
  id: row.id,
  at: timestamp(row.at),
  actor: { type: row.actor_type, id: row.actor_id },
  ip: row.ip,
  operation: row.operation,
  resource: { type: row.resource_type, id: row.resource_id },
  outcome: row.outcome,
  requestId: row.request_id,
  requestIdFrom: row.request_id_from,
  changed: JSON.parse(row.changed) as string[],
  count: row.count,
})

export interface AuditEventsParts {
  store: Store
  cursors: Cursors
  audit: Pick<AuditLog, 'countOf'>
}

export class AuditEvents {
  constructor(private readonly parts: AuditEventsParts) {}

  /** Newest first. A page ends after a bounded number of scanned lines, even if few match. Throws `invalid_cursor` (422). */
  async list({ organizationId }: Caller, { limit, cursor, ...filters }: AuditQuery) {
    const { store, cursors } = this.parts
    const scope = { list: 'audit-events', organizationId, filters }
    const after = cursor === undefined ? undefined : cursors.open(scope, cursor)
    const { latest, from } = range(filters)
    let before = [belowId(after), latest].reduce((one, other) => (one < other ? one : other))
    const items: AuditEvent[] = []
    let looked = 0
    for (;;) {
      const rows = await store.all(listAuditEventsBetween(store, { organizationId, before, from, limit: looksAtOnce }))
      for (const row of rows) {
        const isWanted = fits(row, filters)
        // there is one more than the page holds
        if (isWanted && items.length === limit) return pageOf(items, limit, cursors.seal(scope, [before]))
        before = row.id
        if (isWanted) items.push(this.#presentNow(row))
      }
      looked += rows.length
      if (rows.length < looksAtOnce) return pageOf(items, limit)
      if (looked >= looksMax) return pageOf(items, limit, cursors.seal(scope, [before]))
    }
  }

  /**
   * The lines that there are now, newest first, as a file. Its reader sets the pace, and other requests go first. A stream
   * whose caller may no longer read the log breaks off. Throws the admission's errors.
   */
  async export({ organizationId }: Caller, { format, ...filters }: AuditExportQuery, admission: Admission) {
    const { heading, line } = exportFormats[format]
    const store = this.parts.store.background
    const { latest, from } = range(filters)
    const encoder = new TextEncoder()
    let before = latest
    let controlled: ReadableStreamDefaultController<Uint8Array> | undefined
    let revoked: Error | undefined
    const held = await admission.hold({
      isVisible: () => true,
      revoke: () => {
        revoked = new Error('The caller may no longer read the audit log.')
        controlled?.error(revoked)
      },
    })
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          controlled = controller
          if (revoked) return controller.error(revoked)
          if (heading !== '') controller.enqueue(encoder.encode(heading))
        },
        pull: async (controller) => {
          try {
            for (;;) {
              const page = { organizationId, before, from, limit: looksAtOnce }
              const rows = await store.all(listAuditEventsBetween(store, page))
              before = rows.at(-1)?.id ?? before
              const text = rows.flatMap((row) => (fits(row, filters) ? line(this.#presentNow(row)) : [])).join('')
              const isEnd = rows.length < looksAtOnce
              if (text !== '') controller.enqueue(encoder.encode(text))
              if (isEnd) {
                held.release()
                controller.close()
              }
              if (isEnd || text !== '') return
              await nextTurn()
            }
          } catch (error) {
            held.release()
            throw error
          }
        },
        cancel: () => held.release(),
      },
      { highWaterMark: 0 },
    )
  }

  /** Counts of the current minute are not stored yet. */
  #presentNow(row: AuditEventRow): AuditEvent {
    return present({ ...row, count: this.parts.audit.countOf(row.id) ?? row.count })
  }
}

/** The ids between which the lines lie. Throws `validation_failed` (422) for a range that ends before it begins. */
function range(filters: Pick<Filters, 'since' | 'until'>) {
  const { since, until } = filters
  assertRange(filters, 'since', 'until')
  return {
    latest: until === undefined ? '~' : firstIdAt('aud', Date.parse(until)),
    from: since === undefined ? '' : firstIdAt('aud', Date.parse(since)),
  }
}

const looksAtOnce = 500
/** The most lines that one page reads. */
const looksMax = 5_000

const pageOf = (items: AuditEvent[], limit: number, nextCursor?: string) => ({
  data: { items },
  pagination: { limit, hasMore: nextCursor !== undefined, ...(nextCursor !== undefined && { nextCursor }) },
})

type Filters = Omit<AuditQuery, 'limit' | 'cursor'>

const isOfRun = ({ resource_type }: AuditEventRow): boolean => resource_type === 'agentRun'

function fits(row: AuditEventRow, { kind, actorId, operation, resourceType, resourceId, outcome }: Filters): boolean {
  return (
    (kind === undefined || (kind === 'runs') === isOfRun(row)) &&
    (actorId === undefined || row.actor_id === actorId) &&
    (operation === undefined || row.operation === operation) &&
    (resourceType === undefined || row.resource_type === resourceType) &&
    (resourceId === undefined || row.resource_id === resourceId) &&
    (outcome === undefined || row.outcome === outcome)
  )
}
