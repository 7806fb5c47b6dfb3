/**
 * The audit trail of one request: who changed what, from where, with which result. The audit line commits with the effect;
 * refusals are counted. Source: design 6; contract 0, "Refusals"; 1, "Audit".
 */
import type { Write } from '../../../../storage/store.ts'
import type { RequestId } from '../answers/request-id.ts'
import type { Identity } from '../guard/caller.ts'
import { changedFields } from './changed-fields.ts'
import type { RequestRecord } from './request-record.ts'

/** One line of the audit log, without its id. */
export interface AuditEntry extends RequestId {
  organizationId: string
  /** `server`: the server itself, without a request. */
  actor: Identity['principal'] | { type: 'server'; id: string }
  ip: string | null
  /** The `operationId` in the API document. */
  operation: string
  resource: { type: string; id: string | null }
  outcome: 'allowed' | 'denied' | 'failed'
  /** Names of the changed fields; never their values. */
  changed: readonly string[]
}

/** Stores audit lines. */
export interface AuditSink {
  /** The statement that adds the line. */
  write(entry: AuditEntry): Write
  /** Adds the line in the background; a failure affects no request. */
  note(entry: AuditEntry): void
  /** Counts a refusal with this status: one line per credential, operation and minute. */
  refused(entry: AuditEntry, status: number): void
}

/** What a route changes. */
interface Audited {
  operation: string
  resource: string
}

/** The part of an answer that names the changed resource. */
interface Named {
  data?: { id?: unknown; userId?: unknown }
  /** Its type, if that is not the one of the operation. */
  resource?: string
}

/** Longer values are no ids. */
const idLengthMax = 64

/** Statuses of refusals that are audited: forbidden, not found, conflict, internal error. Others appear only in metrics. */
const toldRefusals = new Set([403, 404, 409, 500])

export class AuditTrail {
  /** The body of the request once it has been read. */
  body: unknown
  #kept = false

  constructor(
    private readonly sink: AuditSink,
    private readonly audited: Audited,
    private readonly identity: Identity,
    private readonly request: RequestId & {
      address: () => string | undefined
      pathIds: readonly (string | null)[]
    },
  ) {}

  /** Makes the statements to commit with the effect. */
  readonly record: RequestRecord = (answer, before) => {
    const entry = this.#entry('allowed', answer as Named | undefined, changedFields(this.body, answer, before))
    if (!entry) return []
    this.#kept = true
    return [this.sink.write(entry)]
  }

  /** Ends the request: records the entries that were not committed with an effect. */
  end(status: number): void {
    if (status < 400) {
      // nothing was committed, so nothing has changed
      const entry = this.#kept ? undefined : this.#entry('allowed')
      if (entry) this.sink.note(entry)
    } else if (toldRefusals.has(status)) {
      const entry = this.#entry(status === 403 || status === 404 ? 'denied' : 'failed')
      if (entry) this.sink.refused(entry, status)
    }
  }

  #entry(outcome: AuditEntry['outcome'], answer?: Named, changed: readonly string[] = []): AuditEntry | undefined {
    const { operation, resource } = this.audited
    const { requestId, requestIdFrom, address, pathIds } = this.request
    const named = answer?.data?.id ?? answer?.data?.userId
    const inPath = pathIds.at(-1) ?? null
    const id = typeof named === 'string' ? named : inPath !== null && inPath.length <= idLengthMax ? inPath : null
    // the creation is the first audit line of a new organization
    const created = resource === 'organization' && typeof named === 'string' ? named : null
    const organizationId = created ?? this.identity.organizationId
    if (organizationId === null) return undefined
    return {
      organizationId,
      actor: this.identity.principal,
      ip: address() ?? null,
      operation,
      resource: { type: answer?.resource ?? resource, id },
      outcome,
      requestId,
      requestIdFrom,
      changed,
    }
  }
}
