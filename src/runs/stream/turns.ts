/**
 * Turns of a run in its stream. The first begins with the run, each further one with a continue: with a message, or
 * with results of the calls that the run waited for. Source: contract 12.
 */
import { listTurnStarts } from '../../../storage/runs/conversations.ts'
import type { Store } from '../../../storage/store.ts'
import { notFound } from '../../platform/http/answers/errors.ts'

/** A longer series of results is shown as two messages. */
const answersMax = 100

export class RunTurns {
  constructor(private readonly store: Store) {}

  /**
   * The sequence number of the last event before the turn, for `after`. Throws `notFound` for a turn that has not
   * begun.
   */
  async positionOf(runId: string, turn: number): Promise<number> {
    if (turn === 1) return 0
    return ((await this.#startOf(runId, turn)).stream_sequence as number) - 1
  }

  /** When the turn began, in epoch milliseconds. Throws `notFound` for the first turn, which begins with the run. */
  async beganAt(runId: string, turn: number): Promise<number> {
    return (await this.#startOf(runId, turn)).at
  }

  /** The turn that began with the message of this turn: the turn itself, unless it began with results of calls. */
  async ofMessage(runId: string, turn: number): Promise<number> {
    if (turn === 1) return 1
    const starts = await this.#starts(runId, turn, answersMax)
    const byMessage = starts.findLastIndex(({ from_state }) => from_state !== 'awaitingToolResult')
    return byMessage === -1 ? turn - starts.length : turn - (starts.length - 1 - byMessage)
  }

  async #startOf(runId: string, turn: number) {
    const [start] = turn === 1 ? [] : await this.#starts(runId, turn, 1)
    if (!start) throw notFound()
    return start
  }

  /** The starts of up to `limit` turns, the given one last. */
  #starts(runId: string, turn: number, limit: number) {
    const known = Math.min(limit, turn - 1)
    return this.store.all(listTurnStarts(this.store, { runId, limit: known, offset: turn - 1 - known }))
  }
}
