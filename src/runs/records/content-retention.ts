/**
 * Removes the content of runs after their retention time: input, stream, checkpoints, and the inputs and outputs of
 * steps and calls. The time is set at the run's start and applies once the run has ended. The record stays: the run
 * with its digests, the journal, the steps with times and token usage, and error codes. Source: requirement 2, "Agent
 * Run": content-retention metadata.
 */
import {
  beginRemoval,
  type ExpiredRun,
  findContent,
  groupsAtOnce,
  listExpiredContent,
  listMoveReasons,
  listStepErrors,
  removeContent,
  removeFirstGroups,
  setMoveReason,
  setStepError,
} from '../../../storage/runs/content-retention.ts'
import type { Write } from '../../../storage/store.ts'
import { forEach, inBatches } from '../../platform/operating/batches.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { RemovalParts } from '../../runtime/removal.ts'
import { runAddress } from '../record.ts'
import type { RunStreams } from '../stream/streams.ts'

/** A run that ends after its retention time stays readable this long, so that waiting clients get its outcome. */
const readableMs = 10 * 60_000

/** Replaces error messages, which may quote content. */
const removedMessage = 'Removed with the content of the run.'

interface ContentRetentionParts extends RemovalParts {
  clock: Pick<Clock, 'now'>
  streams: Pick<RunStreams, 'forget'>
}

export class ContentRetention {
  constructor(private readonly parts: ContentRetentionParts) {}

  /**
   * Removes the content of up to `limit` runs past their retention time; returns their number. A run that is changing
   * is left for the next call. Called periodically.
   */
  prune(limit: number): Promise<number> {
    const { store } = this.parts
    return inBatches(limit, async (some) =>
      forEach(await store.all(listExpiredContent(store, { ...this.#due, limit: some })), (run) => this.#remove(run)),
    )
  }

  /** When the oldest content expired that is still there. */
  async overdueSince(): Promise<number | undefined> {
    const { store } = this.parts
    const oldest = await store.first(listExpiredContent(store, { ...this.#due, limit: 1 }))
    return oldest && Math.max(oldest.retention_expires_at, oldest.updated_at + readableMs)
  }

  get #due() {
    const now = this.parts.clock.now()
    return { now, unchangedSince: now - readableMs }
  }

  /**
   * Removes the content of an ended run regardless of its retention time. The writes `before` precede each unit of
   * work. Throws `StaleWrite` if the run is changing.
   */
  async removeOf(runId: string, before: Write[]): Promise<void> {
    const { store } = this.parts
    const run = await store.first(findContent(store, { id: runId }))
    if (run) await this.#remove(run, before)
  }

  async #remove(run: ExpiredRun, before: Write[] = []): Promise<void> {
    const { store, clock, actors, streams } = this.parts
    const { id } = run
    const context = withoutContent(run.context)
    const from = run.groups > groupsAtOnce ? await this.#shorten(run, context, before) : run.version
    const content = removeContent(store, { id, from, context, at: clock.now() })
    await store.commit([...before, ...content, ...(await this.#removedMessages(id))])
    actors.forget(runAddress(id))
    streams.forget(id)
  }

  /**
   * Removes a very long stream piece by piece from its beginning. First the run gets the context without content, with
   * which it cannot continue: its stream would lack its beginning. Returns the run's version since then.
   */
  async #shorten({ id, version, groups }: ExpiredRun, context: string, before: Write[]): Promise<number> {
    const { store, actors } = this.parts
    await store.commit([...before, beginRemoval(store, { id, from: version, context })], null)
    actors.forget(runAddress(id))
    const begun = { id, version: version + 1 }
    for (let left = groups; left > groupsAtOnce; ) {
      await store.commit([...before, ...removeFirstGroups(store, begun)], null)
      left = (await store.first(findContent(store, { id })))?.groups ?? 0
    }
    return begun.version
  }

  /** Removes error messages, which may quote content, and keeps their codes. */
  async #removedMessages(runId: string): Promise<Write[]> {
    const { store } = this.parts
    const [errors, reasons] = await Promise.all([
      store.all(listStepErrors(store, { runId })),
      store.all(listMoveReasons(store, { runId })),
    ])
    return [
      ...errors.map(({ agent_step_id, error }) =>
        setStepError(store, { agentStepId: agent_step_id, error: codeOnly(error as string) }),
      ),
      ...reasons.map(({ sequence, reason }) =>
        setMoveReason(store, { runId, sequence, reason: codeOnly(reason as string) }),
      ),
    ]
  }
}

interface WithCode {
  code?: unknown
}

/** The JSON of a failure without its message; an unreadable one does not stop the others. */
function codeOnly(failure: string): string {
  let code: unknown = 'damaged_record'
  try {
    code = (JSON.parse(failure) as WithCode).code ?? code
  } catch {
    // unreadable: removed as a whole
  }
  return JSON.stringify({ code, message: removedMessage })
}

/**
 * The statechart's context without a checkpoint to continue from, messages that wait, and error messages; an unreadable
 * context stays unchanged.
 */
function withoutContent(context: string): string {
  try {
    const parsed = JSON.parse(context) as { cause?: WithCode | null }
    const cause = parsed.cause ? { code: parsed.cause.code, message: removedMessage } : parsed.cause
    return JSON.stringify({ ...parsed, cause, contentRemoved: true, queuedInputs: [] })
  } catch {
    return context
  }
}
