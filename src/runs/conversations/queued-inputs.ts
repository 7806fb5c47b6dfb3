/**
 * Messages that wait for their turns in a run: once the run has ended, the next one continues it. The statechart keeps
 * their order, the store their content. Source: contract 12, "`ifBusy`".
 */
import type { RunContext } from '../../../machines/run.ts'
import { LimitReached } from '../../../storage/bounds.ts'
import { getQueuedInput, listRunsWithNextInput } from '../../../storage/runs/conversations.ts'
import type { Store } from '../../../storage/store.ts'
import type { QueuedInputRow } from '../../../storage/tables.ts'
import { ApiError } from '../../platform/http/answers/errors.ts'
import { nextTurn } from '../../platform/time/next-turn.ts'
import type { Actors } from '../../runtime/actors.ts'
import type { By } from '../../runtime/kind.ts'
import { weigh } from '../admission/admission.ts'
import { type RunRecord, runAddress } from '../record.ts'
import type { StoredInput } from '../records/stored-input.ts'
import type { Reserve } from '../statistics/usage.ts'

/** The content of a waiting message. */
export interface QueuedBody {
  input: StoredInput
  maxRetries?: number
  /** The model that the run continues with, if the message names one. */
  binding?: string
}

interface QueuedInputsParts {
  store: Store
  actors: Actors
  reserve: Reserve
  onError(error: unknown, what: string): void
}

/** The codes of temporary refusals, during which the message keeps waiting. */
const temporary = new Set(['budget_exhausted', 'limit_exceeded', 'invalid_transition', 'concurrent_change'])

export class QueuedInputs {
  constructor(private readonly parts: QueuedInputsParts) {}

  /** Continues the run with its next waiting message, if it has ended and there is one. Logs failures. */
  startNext(runId: string): void {
    const waiting = this.parts.actors.recall<RunRecord, RunContext>(runAddress(runId))?.context.queuedInputs
    if (waiting === undefined || waiting.length === 0) return
    this.#continue(runId).catch((error) => this.parts.onError(error, `the next message of ${runId}`))
  }

  /** The same for up to `limit` ended runs with waiting messages; returns their number. */
  async startAll(limit: number): Promise<number> {
    const { store } = this.parts
    let count = 0
    for (let after = ''; count < limit; ) {
      const runs = await store.all(listRunsWithNextInput(store, { after, limit: Math.min(50, limit - count) }))
      for (const { id } of runs) {
        await this.#continue(id).catch((error) => this.parts.onError(error, `the next message of ${id}`))
        after = id
      }
      if (runs.length === 0) break
      count += runs.length
      await nextTurn()
    }
    return count
  }

  async #continue(runId: string): Promise<void> {
    const { store, actors } = this.parts
    const actor = await actors.read<RunRecord, RunContext>(runAddress(runId))
    const [next] = actor?.context.queuedInputs ?? []
    if (!actor || !next) return
    const row = await store.first(getQueuedInput(store, { runId, inputId: next.inputId }))
    if (!row) return
    const { organization_id: organizationId } = actor.row.row
    for (const look of [false, true]) {
      try {
        return await this.#send(runId, organizationId, row, look)
      } catch (error) {
        // less is left than the counters in memory show: ask the store
        if (error instanceof LimitReached) continue
        if (error instanceof ApiError && temporary.has(error.code)) return
        throw error
      }
    }
  }

  async #send(runId: string, organizationId: string, row: QueuedInputRow, look: boolean): Promise<void> {
    const { actors, reserve } = this.parts
    const { input, maxRetries, binding } = JSON.parse(row.body) as QueuedBody
    // the sender was authorized when the message was accepted
    const weighed = await weigh(true, { organizationId, look, reserve })
    await actors.send<RunRecord>(
      runAddress(runId),
      {
        type: 'continue',
        inputId: row.input_id,
        input,
        ...(maxRetries === undefined ? {} : { maxRetries }),
        ...(binding === undefined ? {} : { binding }),
        ...weighed.facts,
        ...(weighed.reservation ? { reservation: weighed.reservation } : {}),
      },
      { by: { type: row.by_type, id: row.by_id } as By },
    )
  }
}
