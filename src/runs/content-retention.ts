/**
 * How long what a run was given and gave is kept: its input, its stream, its checkpoints, what its steps and calls had in
 * and out. Each run is told at its start when that goes, and it goes once the run has ended and the time is over. The
 * record stays: the run with its digests, the journal, the steps with their times and token usage, and of what went wrong
 * the code. Source: requirement 2, "Agent Run": content-retention metadata.
 */
import {
  type ExpiredRun,
  listExpiredContent,
  listMoveReasons,
  listStepErrors,
  removeContent,
  removeFirstGroups,
  setMoveReason,
  setStepError,
} from '../../storage/content-retention.ts'
import { StaleWrite } from '../../storage/errors.ts'
import type { Store, Write } from '../../storage/store.ts'
import type { Actors } from '../runtime/actors.ts'
import type { Clock } from '../runtime/clock.ts'
import { inBatches } from '../runtime/removal.ts'
import { runAddress } from './actor.ts'
import type { RunStreams } from './stream/streams.ts'

/** A run that ends after its time can still be read for so long: whoever waited for it gets to see what came of it. */
const readableMs = 10 * 60_000

/** In one unit of work: a transaction holds up everybody else's. */
const rowsAtOnce = 1_000

/** What an error says when it may have quoted what was said. */
export const removedMessage = 'Removed with the content of the run.'

export interface ContentRetentionParts {
  store: Store
  clock: Pick<Clock, 'now'>
  actors: Pick<Actors, 'forget'>
  streams: Pick<RunStreams, 'forget'>
}

export class ContentRetention {
  constructor(private readonly parts: ContentRetentionParts) {}

  /**
   * Removes the content of up to `limit` runs whose time is over; says of how many. One that moves at this moment is
   * left, with those beside it, for the next time. To be called now and then.
   */
  prune(limit: number): Promise<number> {
    return inBatches(limit, async (some) => {
      try {
        return await this.#pruneSome(some)
      } catch (error) {
        if (error instanceof StaleWrite) return 0
        throw error
      }
    })
  }

  async #pruneSome(limit: number): Promise<number> {
    const { store, clock, actors, streams } = this.parts
    const now = clock.now()
    const found = await store.all<ExpiredRun>(
      listExpiredContent(store, { now, unchangedSince: now - readableMs, limit }),
    )
    const runs = atOnce(found)
    if (runs.length === 0) return 0
    for (const run of runs) await this.#shorten(run)
    const messages = await this.#removedMessages(runs.map(({ id }) => id))
    const contents = runs.flatMap(({ id, version, context }) =>
      removeContent(store, { id, from: version, context: withoutContent(context), at: now }),
    )
    await store.commit([...contents, ...messages])
    for (const { id } of runs) {
      actors.forget(runAddress(id))
      streams.forget(id)
    }
    return runs.length
  }

  /** Of a very long stream the beginning goes first, bit by bit. */
  async #shorten(run: ExpiredRun): Promise<void> {
    for (let left = run.groups; left > rowsAtOnce; left -= rowsAtOnce) {
      await this.parts.store.commit(removeFirstGroups(this.parts.store, run, rowsAtOnce))
    }
  }

  /** The code of an error says what went wrong; its message may quote what was said. */
  async #removedMessages(runIds: readonly string[]): Promise<Write[]> {
    const { store } = this.parts
    const [errors, reasons] = await Promise.all([listStepErrors(store, runIds), listMoveReasons(store, runIds)])
    return [
      ...errors.map(({ agent_step_id, error }) =>
        setStepError(store, { agentStepId: agent_step_id, error: codeOnly(error as string) }),
      ),
      ...reasons.map(({ actor_id, sequence, reason }) =>
        setMoveReason(store, { runId: actor_id, sequence, reason: codeOnly(reason as string) }),
      ),
    ]
  }
}

/** As many as have together no more rows than a unit of work should; at least one. */
function atOnce(found: readonly ExpiredRun[]): ExpiredRun[] {
  let rows = 0
  return found.filter((run, index) => {
    rows += Math.min(run.groups, rowsAtOnce) + run.rows
    return index === 0 || rows <= rowsAtOnce
  })
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
