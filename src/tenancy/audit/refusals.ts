/**
 * Refusals in the audit log: one line per credential, operation, kind of refusal and minute. The first refusal writes the
 * line; further ones are counted in memory and stored at the end of the minute or of the process. A crash loses counts of a
 * minute, but no line. Source: contract 0, "Refusals".
 */

import type { Store, Write } from '../../../storage/store.ts'
import type { AuditEventRow } from '../../../storage/tables.ts'
import { countAuditEvent, insertAuditEvent } from '../../../storage/tenancy/audit.ts'
import type { Logger } from '../../platform/operating/logger.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { minuteMs } from '../../platform/time/durations.ts'

interface RefusalsParts {
  store: Store
  clock: Clock
  logger: Pick<Logger, 'error'>
  /** Lines per minute, of one organization and in total; refusals beyond are only in the metrics. */
  linesOfOrganizationMax?: number
  linesMax?: number
}

/** A line of the current minute. */
interface Line {
  row: AuditEventRow
  count: number
  /** The stored count: 0 until the line itself is stored. */
  stored: number
}

const writesPerUnit = 100

export class Refusals {
  /** By their common key. */
  #lines = new Map<string, Line>()
  #byId = new Map<string, Line>()
  /** The number of lines by organization. */
  #organizations = new Map<string, number>()
  #minute = 0
  #timer: { cancel(): void } | undefined
  /** The current write. */
  #storing: Promise<void> = Promise.resolve()

  constructor(private readonly parts: RefusalsParts) {}

  /** Counts a refusal. `kind` separates what must not be counted together; `row` makes the line of the first one. */
  count(
    kind: string,
    { organizationId, actorId }: { organizationId: string; actorId: string },
    row: () => AuditEventRow,
  ) {
    const { clock, linesOfOrganizationMax = 1_000, linesMax = 20_000 } = this.parts
    const minute = Math.floor(clock.now() / minuteMs)
    if (minute !== this.#minute) this.#turn(minute)
    const key = `${organizationId}\n${actorId}\n${kind}`
    const known = this.#lines.get(key)
    if (known) {
      known.count += 1
      return
    }
    const ofOrganization = this.#organizations.get(organizationId) ?? 0
    if (this.#lines.size >= linesMax || ofOrganization >= linesOfOrganizationMax) return
    const line: Line = { row: row(), count: 1, stored: 0 }
    this.#organizations.set(organizationId, ofOrganization + 1)
    this.#lines.set(key, line)
    this.#byId.set(line.row.id, line)
    this.#timer ??= clock.after(minuteMs, () => this.#turn(Math.floor(clock.now() / minuteMs)))
    this.#store([line])
  }

  /** The count of a line while it is not stored yet. */
  countOf(id: string): number | undefined {
    return this.#byId.get(id)?.count
  }

  /** Stores pending counts; never rejects. */
  async flush(): Promise<void> {
    this.#turn(this.#minute)
    await this.#storing
  }

  /** Starts a minute and stores the counts of the previous one. */
  #turn(minute: number): void {
    this.#timer?.cancel()
    this.#timer = undefined
    this.#minute = minute
    const lines = [...this.#lines.values()]
    this.#lines = new Map()
    this.#byId = new Map()
    this.#organizations = new Map()
    this.#store(lines)
  }

  /** Units of work one after the other, so that many counts do not block other commits. */
  #store(lines: readonly Line[]): void {
    for (let at = 0; at < lines.length; at += writesPerUnit) {
      const some = lines.slice(at, at + writesPerUnit)
      this.#storing = this.#storing.then(() => this.#commit(some.filter(({ count, stored }) => count > stored)))
    }
  }

  async #commit(lines: readonly Line[]): Promise<void> {
    const { store, logger } = this.parts
    if (lines.length === 0) return
    const counts = lines.map(({ count }) => count)
    try {
      await store.commit(
        lines.map((line) => this.#write(line)),
        null,
      )
      for (const [index, line] of lines.entries()) line.stored = counts[index]!
    } catch (error) {
      logger.error({ lines: lines.length, err: error }, 'refusals were not written to the audit log')
    }
  }

  #write({ row, count, stored }: Line): Write {
    const { store } = this.parts
    const { organization_id: organizationId, id } = row
    return stored === 0
      ? insertAuditEvent(store, { ...row, count })
      : countAuditEvent(store, { organizationId, id, count })
  }
}
