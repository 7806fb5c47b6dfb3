/**
 * How long what a run was given and gave is kept: its input, its stream, its checkpoints, what its steps and calls had in
 * and out. Each run is told at its start when that goes, and it goes once the run has ended and the time is over. The
 * record stays: the run with its digests, the journal, the steps with their times and token usage, and of what went wrong
 * the code. Source: requirement 2, "Agent Run": content-retention metadata.
 */
import {
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

/** A run that ends after its time can still be read for so long: whoever waited for it gets to see what came of it. */
const readableMs = 10 * 60_000

/** What an error says when it may have quoted what was said. */
export const removedMessage = 'Removed with the content of the run.'

export interface ContentRetentionParts extends RemovalParts {
  clock: Pick<Clock, 'now'>
  streams: Pick<RunStreams, 'forget'>
}

export class ContentRetention {
  constructor(private readonly parts: ContentRetentionParts) {}

  /**
   * Removes the content of up to `limit` runs whose time is over; says of how many. One that moves at this moment is left
   * for the next time. To be called now and then.
   */
  prune(limit: number): Promise<number> {
    const { store, clock } = this.parts
    return inBatches(limit, async (some) => {
      const now = clock.now()
      const values = { now, unchangedSince: now - readableMs, limit: some }
      return forEach(await store.all(listExpiredContent(store, values)), (run) => this.#remove(run))
    })
  }

  /** Removes the content of a run that has ended, whether or not its time is over. Throws `StaleWrite` when it moves. */
  async removeOf(runId: string): Promise<void> {
    const { store } = this.parts
    const run = await store.first(findContent(store, { id: runId }))
    if (run) await this.#remove(run)
  }

  async #remove(run: ExpiredRun): Promise<void> {
    const { store, clock, actors, streams } = this.parts
    const { id, version } = run
    await this.#shorten(run)
    const context = withoutContent(run.context)
    const content = removeContent(store, { id, from: version, context, at: clock.now() })
    await store.commit([...content, ...(await this.#removedMessages(id))])
    actors.forget(runAddress(id))
    streams.forget(id)
  }

  /** Of a very long stream the beginning goes first, bit by bit. */
  async #shorten(run: ExpiredRun): Promise<void> {
    const { store } = this.parts
    for (let left = run.groups; left > groupsAtOnce; ) {
      await store.commit(removeFirstGroups(store, run))
      left = (await store.first(findContent(store, { id: run.id })))?.groups ?? 0
    }
  }

  /** The code of an error says what went wrong; its message may quote what was said. */
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

/** The JSON of a failure, without its words; one that cannot be read must not keep the others. */
function codeOnly(failure: string): string {
  let code: unknown = 'damaged_record'
  try {
    code = (JSON.parse(failure) as WithCode).code ?? code
  } catch {
    // it goes as a whole
  }
  return JSON.stringify({ code, message: removedMessage })
}

/**
 * The statechart's context, which knows from now on that there is nothing to go on from, and without the words of what ended
 * the run; one that cannot be read stays as it is.
 */
function withoutContent(context: string): string {
  try {
    const parsed = JSON.parse(context) as { cause?: WithCode | null }
    const cause = parsed.cause ? { code: parsed.cause.code, message: removedMessage } : parsed.cause
    return JSON.stringify({ ...parsed, cause, contentRemoved: true })
  } catch {
    return context
  }
}
