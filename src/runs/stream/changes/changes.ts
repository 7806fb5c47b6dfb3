/**
 * The changes of runs, for readers of lists: the ids of changed runs, without content. A change costs a look-up of the
 * readers of its organization, and nothing while there are none.
 */
import type { Bus } from '../../../platform/bus/bus.ts'
import { partsInScope } from '../../../platform/http/guard/authorization-scope.ts'
import type { Caller } from '../../../platform/http/guard/caller.ts'
import type { Admission, Hold } from '../../../platform/http/guard/open-stream.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { Actors, Notification } from '../../../runtime/actors.ts'
import type { RunRecord } from '../../record.ts'
import type { Frame } from '../frames.ts'
import { keepAlive, reconnect, revoked } from '../render.ts'
import { type ChangedRun, ChangesElsewhere } from './elsewhere.ts'
import { ChangeFeed } from './feed.ts'

/** The filter of a reader. */
interface ChangesRequest {
  projectId?: string
  environmentId?: string
  agentId?: string
}

interface Reader {
  feed: ChangeFeed
  organizationId: string
  /** The parts that it may see, one for each Project if it may not see the whole organization. */
  parts: readonly ChangesRequest[]
}

const permission = 'agent-runs:list'
const keepAliveMs = 5_000

export class RunChanges {
  readonly #readers = new Map<string, Set<Reader>>()
  #unsubscribe: (() => void) | undefined
  #keepingAlive: { cancel(): void } | undefined
  readonly #elsewhere: ChangesElsewhere

  constructor(private readonly parts: { actors: Actors; clock: Clock; bus: Bus }) {
    const { bus, clock } = parts
    this.#elsewhere = new ChangesElsewhere(bus, clock, {
      changed: (row) => this.#tell(row),
      missed: (organizationId) => {
        for (const { feed } of this.#readers.get(organizationId) ?? []) feed.miss()
      },
    })
    // other servers may have readers even if this one has none
    if (bus.isShared) parts.actors.subscribe({ kind: 'run' }, (news) => this.#hear(news))
  }

  /**
   * Streams the changes from now on. Ends when `signal` is aborted, and with an `end` event of reason `revoked` when
   * the caller has lost access to all of these runs. Throws the admission's errors.
   */
  async open(
    caller: Caller,
    request: ChangesRequest,
    signal: AbortSignal,
    admission: Admission,
  ): Promise<ReadableStream<Uint8Array>> {
    const { clock } = this.parts
    let held: Hold | undefined
    const feed = new ChangeFeed(clock, () => {
      this.#remove(reader)
      held?.release()
    })
    const { organizationId } = caller
    const reader: Reader = { feed, organizationId, parts: partsInScope(caller, permission, request) }
    this.#add(reader)
    try {
      held = await admission.hold({
        isVisible: (now) => {
          reader.parts = partsInScope(now, permission, request)
          return reader.parts.length > 0
        },
        revoke: () => feed.stop(revoked(clock.now())),
      })
      signal.addEventListener('abort', () => feed.stop(), { once: true })
      if (signal.aborted) feed.stop()
      return feed.open(reconnect)
    } catch (error) {
      feed.stop()
      throw error
    }
  }

  /** Ends all streams; clients reconnect. */
  close(): void {
    for (const readers of this.#readers.values()) for (const { feed } of [...readers]) feed.stop()
  }

  /** The number of open streams. */
  get statistics() {
    let readers = 0
    for (const some of this.#readers.values()) readers += some.size
    return { readers }
  }

  #add(reader: Reader): void {
    const readers = this.#readers.get(reader.organizationId) ?? new Set()
    this.#readers.set(reader.organizationId, readers.add(reader))
    this.#elsewhere.listen(reader.organizationId)
    if (!this.parts.bus.isShared)
      this.#unsubscribe ??= this.parts.actors.subscribe({ kind: 'run' }, (news) => this.#hear(news))
    this.#keepAlive()
  }

  #remove(reader: Reader): void {
    const readers = this.#readers.get(reader.organizationId)
    if (!readers?.delete(reader) || readers.size > 0) return
    this.#readers.delete(reader.organizationId)
    this.#elsewhere.leave(reader.organizationId)
    if (this.#readers.size > 0) return
    this.#unsubscribe?.()
    this.#unsubscribe = undefined
    this.#keepingAlive?.cancel()
    this.#keepingAlive = undefined
  }

  #hear({ actor, before, moves, news }: Notification): void {
    const { row } = actor.row as RunRecord
    if (!this.parts.bus.isShared && !this.#readers.has(row.organization_id)) return
    // streamed text changes nothing that a list shows
    const isText =
      before !== null &&
      moves.every(({ sequence }) => sequence === null) &&
      (news as Frame[]).every(({ type }) => type === 'step.delta')
    if (isText) return
    this.#tell(row)
    this.#elsewhere.tell(row)
  }

  #tell(row: ChangedRun): void {
    for (const { feed, parts } of this.#readers.get(row.organization_id) ?? [])
      if (parts.some((part) => covers(part, row))) feed.add(row.id)
  }

  #keepAlive(): void {
    this.#keepingAlive ??= this.parts.clock.after(keepAliveMs, () => {
      this.#keepingAlive = undefined
      for (const readers of this.#readers.values()) for (const { feed } of readers) feed.say(keepAlive)
      if (this.#readers.size > 0) this.#keepAlive()
    })
  }
}

const covers = ({ projectId, environmentId, agentId }: ChangesRequest, row: ChangedRun): boolean =>
  (projectId === undefined || projectId === row.project_id) &&
  (environmentId === undefined || environmentId === row.environment_id) &&
  (agentId === undefined || agentId === row.agent_id)
