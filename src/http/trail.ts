/**
 * The trail of one request that changes something: who, from where, what, and how it ended. The line in the audit log
 * commits with the effect; a refusal, which has none, is noted on its own. Source: design 6; contract 1, "Audit".
 */
import type { Write } from '../../storage/store.ts'
import type { Identity } from './caller.ts'
import type { Keep } from './keep.ts'

/** One line of the audit log, before it has an id. */
export interface AuditEntry {
  organizationId: string
  /** `server`: nobody asked for it. */
  actor: Identity['principal'] | { type: 'server'; id: string }
  ip: string | null
  /** The `operationId` in the API document. */
  operation: string
  resource: { type: string; id: string | null }
  outcome: 'allowed' | 'denied' | 'failed'
  requestId: string
  /** Names of the fields that the request gave; never their values. */
  changed: readonly string[]
}

/** Where lines go. */
export interface AuditSink {
  /** The statement that adds the line. */
  write(entry: AuditEntry): Write
  /** Adds the line on its own; nobody waits for it, and nobody is refused when it fails. */
  note(entry: AuditEntry): void
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

export class Trail {
  /** The body of the request, once it is read. */
  body: unknown
  #kept = false

  constructor(
    private readonly sink: AuditSink,
    private readonly audited: Audited,
    private readonly identity: Identity,
    private readonly request: {
      requestId: string
      address: () => string | undefined
      pathIds: readonly (string | null)[]
    },
  ) {}

  /** To be committed with the effect. */
  readonly keep: Keep = (answer) => {
    const entry = this.#entry('allowed', answer as Named | undefined)
    if (!entry) return []
    this.#kept = true
    return [this.sink.write(entry)]
  }

  /** The end of the request: notes what was not kept with an effect. */
  end(status: number): void {
    if (status < 400 && this.#kept) return
    // too many requests and a store that is away would only add to the trouble
    if (status === 429 || status === 503) return
    const entry = this.#entry(status < 400 ? 'allowed' : status === 403 || status === 404 ? 'denied' : 'failed')
    if (entry) this.sink.note(entry)
  }

  #entry(outcome: AuditEntry['outcome'], answer?: Named): AuditEntry | undefined {
    const { operation, resource } = this.audited
    const { requestId, address, pathIds } = this.request
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
      changed: typeof this.body === 'object' && this.body !== null ? Object.keys(this.body).sort() : [],
    }
  }
}
