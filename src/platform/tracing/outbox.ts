/**
 * Spans are stored in the unit of work that ends them, and removed once they are exported or dropped. If the process is
 * killed, the next one exports them: no span has a parent that is never exported, and no span is exported for work that
 * was never committed. Source: contract 13, "Traces".
 */
import { StaleWrite } from '../../../storage/errors.ts'
import {
  deleteTraceSpans,
  insertTraceSpans,
  listTraceSpansLeft,
  takeOverTraceSpans,
} from '../../../storage/platform/traces.ts'
import type { Store, Write } from '../../../storage/store.ts'
import type { Members } from '../members/members.ts'
import type { Clock } from '../time/clock.ts'
import type { SpanRecord } from './span.ts'
import { listText, type SpanQueue, spanText } from './span-queue.ts'

interface SpanOutboxParts {
  store: Store
  clock: Clock
  queue: Pick<SpanQueue, 'add'>
  members: Pick<Members, 'id' | 'isShared' | 'living'>
  onError(error: unknown, what: string): void
}

const pageSize = 50
const removedAtOnceMax = 500
const lookEveryMs = 60_000
/** More than a process ever writes. */
const rowsOfProcessMax = 2 ** 44
/** A server that has just joined may not be known to be alive yet. */
const youngMs = 60_000

export class SpanOutbox {
  /** Rows whose spans are exported or dropped. */
  #settled: number[] = []
  #removing: Promise<void> | undefined
  #timer: { cancel(): void } | undefined
  #isStopped = false
  /**
   * The rows of one process have consecutive ids, so that they share pages; they start where those of another are
   * unlikely to be.
   */
  #lastId = Math.floor(Math.random() * (Number.MAX_SAFE_INTEGER - rowsOfProcessMax))

  constructor(private readonly parts: SpanOutboxParts) {}

  /** The statement that commits ended spans together with the end of their work; they are exported afterwards. */
  put(spans: readonly SpanRecord[]): Write {
    const { store, clock, queue, members } = this.parts
    this.#lastId += 1
    const id = this.#lastId
    const texts = spans.map(spanText)
    return {
      ...insertTraceSpans(store, { id, server: members.id, spans: listText(texts), created_at: clock.now() }),
      committed: () => queue.add(texts, () => this.#settle(id)),
    }
  }

  /** Exports the spans that other processes left, now and periodically. */
  async start(): Promise<void> {
    await this.#takeOver().catch((error) => this.parts.onError(error, 'the spans of an earlier process'))
    if (this.#isStopped || !this.parts.members.isShared) return
    this.#timer = this.parts.clock.after(lookEveryMs, () => void this.start())
  }

  /** Removes the rows of exported spans. Called once the queue is closed. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#timer?.cancel()
    await this.#removing
    await this.#remove()
  }

  #settle(id: number): void {
    this.#settled.push(id)
    // once for all that settle together
    if (!this.#isStopped) this.#removing ??= Promise.resolve().then(() => this.#remove())
  }

  async #remove(): Promise<void> {
    const { store, onError } = this.parts
    try {
      while (this.#settled.length > 0) {
        const ids = this.#settled.slice(0, removedAtOnceMax)
        await (this.#isStopped ? store : store.background).commit([
          deleteTraceSpans(store, { ids: JSON.stringify(ids) }),
        ])
        this.#settled = this.#settled.slice(ids.length)
      }
    } catch (error) {
      // they are removed with the next ones; a process that dies before that exports them twice
      onError(error, 'spans that are exported')
    } finally {
      this.#removing = undefined
    }
  }

  async #takeOver(): Promise<void> {
    const { store, clock, queue, members } = this.parts
    const { id: server } = members
    const until = members.isShared ? clock.now() - youngMs : Number.MAX_SAFE_INTEGER
    for (let after = 0; !this.#isStopped; ) {
      const rows = await store.background.all(listTraceSpansLeft(store, { server, until, after, limit: pageSize }))
      for (const { id, server: from, spans } of rows) {
        after = id
        if (members.living.has(from)) continue
        const take = takeOverTraceSpans(store, { id, from, server, at: clock.now() })
        const isOurs = await store.background.commit([take]).then(
          () => true,
          (error) => {
            if (error instanceof StaleWrite) return false
            throw error
          },
        )
        if (isOurs) queue.add((JSON.parse(spans) as SpanRecord[]).map(spanText), () => this.#settle(id))
      }
      if (rows.length < pageSize) return
    }
  }
}
