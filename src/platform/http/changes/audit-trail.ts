/**
 * The trail of one request that changes something: who, from where, what, and how it ended. The line in the audit log
 * commits with the effect; a refusal, which has none, is counted. Source: design 6; contract 0, "Refusals"; 1, "Audit".
 */
import type { Write } from '../../../../storage/store.ts'
import type { RequestId } from '../answers/request-id.ts'
import type { Identity } from '../guard/caller.ts'
import { changedFields } from './changed-fields.ts'
import type { RequestRecord } from './request-record.ts'

/** One line of the audit log, before it has an id. */
export interface AuditEntry extends RequestId {
  organizationId: string
  /** `server`: nobody asked for it. */
  actor: Identity['principal'] | { type: 'server'; id: string }
  ip: string | null
  /** The `operationId` in the API document. */
  operation: string
  resource: { type: string; id: string | null }
  outcome: 'allowed' | 'denied' | 'failed'
  /** Names of the fields that have another value now; never their values. */
  changed: readonly string[]
}

/** Where lines go. */
export interface AuditSink {
  /** The statement that adds the line. */
  write(entry: AuditEntry): Write
  /** Adds the line on its own; nobody waits for it, and nobody is refused when it fails. */
  note(entry: AuditEntry): void
  /** Counts a refusal with this status: one line for all that a credential gets in a minute for an operation. */
  refused(entry: AuditEntry, status: number): void
}

/** What a route says about what it changes. */
export interface Audited {
  operation: string
  resource: string
}

/** The part of an answer that names what was changed. */
interface Named {
  data?: { id?: unknown; userId?: unknown }
}

/** What is longer is no id. */
const idLengthMax = 64

/**
 * Refusals that the audit log tells of: what somebody may not do or does not find, conflicts, and faults of ours. All
 * others say that the request was not good enough, or came too early; they are in the metrics.
 */
const toldRefusals = new Set([403, 404, 409, 500])

export class AuditTrail {
  /** The body of the request, once it is read. */
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

  /** To be committed with the effect. */
  readonly record: RequestRecord = (answer, before) => {
    const entry = this.#entry('allowed', answer as Named | undefined, changedFields(this.body, answer, before))
    if (!entry) return []
    this.#kept = true
    return [this.sink.write(entry)]
  }

  /** The end of the request: tells of what was not kept with an effect. */
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
    // a new organization's first line is its own creation
    const created = resource === 'organization' && typeof named === 'string' ? named : null
    const organizationId = created ?? this.identity.organizationId
    if (organizationId === null) return undefined
    return {
      organizationId,
      actor: this.identity.principal,
      ip: address() ?? null,
      operation,
      resource: { type: resource, id },
      outcome,
      requestId,
      requestIdFrom,
      changed,
    }
  }
}
