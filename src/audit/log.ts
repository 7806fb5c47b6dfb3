/** Writes the audit log. Source: contract 1, "Audit"; design 6. */
import { insertAuditEvent } from '../../storage/audit.ts'
import { newId } from '../../storage/ids.ts'
import type { Store, Write } from '../../storage/store.ts'
import type { AuditEntry, AuditSink } from '../http/trail.ts'
import type { Logger } from '../operating/logger.ts'
import type { Clock } from '../runtime/clock.ts'

export class AuditLog implements AuditSink {
  constructor(private readonly parts: { store: Store; clock: Pick<Clock, 'now'>; logger: Pick<Logger, 'error'> }) {}

  write({ organizationId, actor, ip, operation, resource, outcome, requestId, changed }: AuditEntry): Write {
    const at = this.parts.clock.now()
    return insertAuditEvent(this.parts.store, {
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
      changed: JSON.stringify(changed),
      at,
    })
  }

  note(entry: AuditEntry): void {
    const { store, logger } = this.parts
    store
      .commit([this.write(entry)])
      .catch((error: unknown) => logger.error({ ...entry, err: error }, 'a line of the audit log was not written'))
  }
}
