/**
 * Replays an actor's journal through its statechart: every row has to be a move of the chart, the rows have to follow
 * each other without gaps, and the last one has to end where the actor is stored. Source: contract 9; contract 5.
 */
import { listTransitions } from '../../../../storage/runtime/actors.ts'
import type { TransitionRow } from '../../../../storage/tables.ts'
import { concurrentChange, notFound } from '../../../platform/http/answers/errors.ts'
import { CorruptSnapshot, restore } from '../../decisions/snapshot.ts'
import type { Snapshot } from '../../kind.ts'
import type { Lookups } from '../lookups.ts'
import type { Watch } from './watch.ts'

export interface Verification {
  valid: boolean
  /** As the actor's row says, whatever memory says. */
  storedState: string
  /** Where the replay ended, or stopped making sense; null when not even the first row did. */
  replayedState: string | null
  /** What is wrong, and where. */
  problem: string | null
}

const pageSize = 500
/** A replay that the actor outran this often is given up. */
const roundsMax = 5

class Replay {
  state: string | null = null
  problem: string | null = null
  #sequence = 0

  constructor(
    private readonly watch: Watch,
    private readonly id: string,
    /** The statecharts that made the journal, each up to a number. */
    private readonly charts: readonly Reign[],
  ) {}

  /** Replays what the journal holds beyond the last row, up to its end or to the first row that does not fit. */
  async readOn(): Promise<void> {
    const { store } = this.watch.parts
    for (let full = true; full && this.problem === null; ) {
      const given = { kind: this.watch.kind, actorId: this.id, after: this.#sequence, limit: pageSize }
      const rows = await store.all<TransitionRow>(listTransitions(store, given))
      for (const row of rows) {
        this.problem = this.#problemOf(row)
        if (this.problem !== null) return
        this.state = row.to_state
        this.#sequence = row.sequence
      }
      full = rows.length === pageSize
    }
  }

  #problemOf({ sequence, from_state, event, to_state }: TransitionRow): string | null {
    const expected = this.#sequence + 1
    if (sequence !== expected) return `Transition ${expected} is missing.`
    if (from_state !== this.state) {
      return `Transition ${sequence} begins in ${from_state ?? 'nothing'}, and the one before ended in ${this.state ?? 'nothing'}.`
    }
    const lookups = this.charts.find(({ until }) => sequence <= until)?.lookups
    if (!lookups) return `Transition ${sequence} is of a statechart that is not known.`
    if (from_state === null && to_state !== lookups.table.initial.state) {
      return `Transition ${sequence} begins in ${to_state}, and the statechart in ${lookups.table.initial.state}.`
    }
    return lookups.hasMove(from_state, event, to_state)
      ? null
      : `Transition ${sequence} is no move of the statechart: ${from_state ?? 'nothing'}, on ${event}, to ${to_state}.`
  }
}

/** A statechart, and up to where it made the journal. */
interface Reign {
  until: number
  lookups: Lookups
}

/** Of the actor with this row; none where its statechart cannot be read. */
async function reignsOf(watch: Watch, id: string, row: unknown): Promise<Reign[]> {
  const { definition, parts } = watch
  const past = (await definition.pastCharts?.(parts.store, id)) ?? []
  try {
    const before = past.map(({ until, chart }) => ({ until, lookups: watch.lookupsOfPast(chart) }))
    return [...before, { until: Number.POSITIVE_INFINITY, lookups: watch.lookups(row) }]
  } catch (error) {
    if (!(error instanceof CorruptSnapshot)) throw error
    return []
  }
}

interface Stored {
  row: unknown
  state: string
  version: number
  /** Why it cannot be read as a snapshot. */
  problem: string | null
}

/** The actor's row, read from the store. Throws `not_found` (404). */
async function readStored(watch: Watch, id: string): Promise<Stored> {
  const row: unknown = await watch.definition.load(watch.parts.store, id)
  if (row === undefined) throw notFound()
  const snapshot: Snapshot = watch.definition.snapshot(row)
  const { version } = snapshot
  try {
    const { state } = restore(watch.definition, watch.lookups(row).table, snapshot)
    return { row, state, version, problem: null }
  } catch (error) {
    if (!(error instanceof CorruptSnapshot)) throw error
    return { row, state: snapshot.state, version, problem: error.message }
  }
}

/** Throws `not_found` (404), or `concurrent_change` (409) when the actor moves faster than its journal can be read. */
export async function verifyActor(watch: Watch, id: string): Promise<Verification> {
  let before = await readStored(watch, id)
  // one that brings its own statechart may have changed it since: then its journal is read anew
  const mayChangeChart = watch.definition.chartOf !== undefined
  let replay = new Replay(watch, id, await reignsOf(watch, id, before.row))
  for (let round = 1; round <= roundsMax; round += 1) {
    await replay.readOn()
    const stored = await readStored(watch, id)
    if (stored.version === before.version || (replay.problem !== null && !mayChangeChart)) {
      const { state } = replay
      const apart =
        state === stored.state
          ? null
          : `The journal ends in ${state ?? 'nothing'}, and the stored state is ${stored.state}.`
      const problem = replay.problem ?? stored.problem ?? apart
      return { valid: problem === null, storedState: stored.state, replayedState: state, problem }
    }
    before = stored
    if (mayChangeChart) replay = new Replay(watch, id, await reignsOf(watch, id, before.row))
  }
  throw concurrentChange(new Error(`The journal of ${watch.kind} ${id} grew faster than it was read.`))
}
