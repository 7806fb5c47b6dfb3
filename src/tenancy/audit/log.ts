/** Writes the audit log. Source: contract 1, "Audit"; design 6. */

import { newId } from '../../../storage/ids.ts'
import type { Store, Write } from '../../../storage/store.ts'
import type { AuditEventRow } from '../../../storage/tables.ts'
import { insertAuditEvent } from '../../../storage/tenancy/audit.ts'
import type { AuditEntry, AuditSink } from '../../platform/http/changes/audit-trail.ts'
import type { Logger } from '../../platform/operating/logger.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { Refusals } from './refusals.ts'

export class AuditLog implements AuditSink {
  readonly #refusals: Refusals

  constructor(private readonly parts: { store: Store; clock: Clock; logger: Pick<Logger, 'error'> }) {
    this.#refusals = new Refusals(parts)
  }

  write(entry: AuditEntry): Write {
    // what is changed along with it is the organization's too
    return { ...insertAuditEvent(this.parts.store, this.#row(entry)), of: entry.organizationId }
  }

  note(entry: AuditEntry): void {
    const { store, logger } = this.parts
    store
      .commit([this.write(entry)])
      .catch((error: unknown) => logger.error({ ...entry, err: error }, 'an audit line was not written'))
  }

  refused(entry: AuditEntry, status: number): void {
    const { organizationId, actor, operation } = entry
    this.#refusals.count(`${operation}\n${status}`, { organizationId, actorId: actor.id }, () => this.#row(entry))
  }

  /** The count of a line while it is not stored yet. */
  countOf(id: string): number | undefined {
    return this.#refusals.countOf(id)
  }

  /** Stores pending counts; called before the store closes. */
  flush(): Promise<void> {
    return this.#refusals.flush()
  }

  #row(entry: AuditEntry): AuditEventRow {
    const { organizationId, actor, ip, operation, resource, outcome, requestId, requestIdFrom, changed } = entry
    const at = this.parts.clock.now()
    return {
      organization_id: organizationId,
      id: newId('aud', at),
      actor_type: actor.type,
      actor_id: actor.id,
      ip,
      operation,
      resource_type: resource.type,
      resource_id: resource.id,
      outcome,
      request_id: requestId,
      request_id_from: requestIdFrom,
      changed: JSON.stringify(changed),
      count: 1,
      at,
    }
  }
}
