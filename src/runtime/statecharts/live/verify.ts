/**
 * Replays an actor's journal through its statechart: every entry must be a transition of the chart, entries must be
 * consecutive (from the first one, unless the kind forgets old ones), and the last one must lead to the stored state.
 * Source: contract 9; contract 5.
 */
import { listTransitions } from '../../../../storage/runtime/journal.ts'
import type { TransitionRow } from '../../../../storage/tables.ts'
import { concurrentChange, notFound } from '../../../platform/http/answers/errors.ts'
import { CorruptSnapshot, restore } from '../../decisions/snapshot.ts'
import type { Snapshot } from '../../kind.ts'
import type { Lookups } from '../lookups.ts'
import type { Watch } from './watch.ts'

export interface Verification {
  valid: boolean
  /** The stored row, bypassing memory. */
  storedState: string
  /** The state in which the replay ended or failed; null if even the first entry is invalid. */
  replayedState: string | null
  /** The error, with its place. */
  problem: string | null
}

const pageSize = 500
/** The most replays of an actor that changes meanwhile. */
const roundsMax = 5

class Replay {
  state: string | null = null
  problem: string | null = null
  #sequence = 0

  constructor(
    private readonly watch: Watch,
    private readonly id: string,
    /** The statecharts of the journal, each up to a sequence number. */
    private readonly charts: readonly Reign[],
  ) {}

  /** Replays the entries after the last replayed one, up to the end of the journal or the first invalid entry. */
  async readOn(): Promise<void> {
    const { store } = this.watch.parts
    for (let full = true; full && this.problem === null; ) {
      const given = { kind: this.watch.kind, actorId: this.id, after: this.#sequence, limit: pageSize }
      const rows = await listTransitions(store, given)
      const [first] = rows
      if (first && this.#sequence === 0 && this.watch.definition.forgetsMoves) {
        this.#sequence = first.sequence - 1
        this.state = first.from_state
      }
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

/** A statechart, with the last sequence number that it decided. */
interface Reign {
  until: number
  lookups: Lookups
}

/** The statechart of the actor with this row; undefined if it cannot be read. */
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
  /** Why the row is not a valid snapshot. */
  problem: string | null
}

/** Reads the actor's row from the store. Throws `not_found` (404). */
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

/** Throws `not_found` (404), or `concurrent_change` (409) if the actor changes faster than its journal can be read. */
export async function verifyActor(watch: Watch, id: string): Promise<Verification> {
  let before = await readStored(watch, id)
  // an actor with its own statechart may have changed it since: the journal is then read again
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
