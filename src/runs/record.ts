/** A run in its actor: its stored row, its commands and its changes. */
import type { Period } from '../../machines/period.ts'
import type { RunContext, RunEvent } from '../../machines/run.ts'
import type { AgentStepRow, RunRow } from '../../storage/tables.ts'
import type { Actor, Address, Change } from '../runtime/kind.ts'
import type { StoredInput } from './records/stored-input.ts'
import type { Report } from './reports.ts'
import type { Failure, SettledCall } from './runner/protocol/protocol.ts'

/** When the current chain of attempts was opened, by a start or a continue, and when its first attempt began. */
export interface ChainTimes {
  openedAt: number
  /** null until it begins. */
  begunAt: number | null
}

/** The run limits of an organization; null is unlimited. */
export interface RunLimits {
  liveRuns: number | null
  storedBytes: number | null
}

/** Machine time reserved for a chain of attempts. */
export interface Reservation {
  ms: number
  /** The period whose budget is charged. */
  period: Period
  /** The limit on used and reserved time in the period; null is unlimited. */
  boundMs: number | null
  /** The organization's limits; omitted: unlimited. */
  limits?: RunLimits
}

/** State beyond the row that changes need; read once, then updated in memory. */
export interface Live {
  /** The last sequence number of the run's stream. */
  lastSequence: number
  lastCheckpointSequence: number
  /** Bytes stored for the run and not yet counted. */
  waitingBytes: number
  /** Open steps, by id. */
  openSteps: ReadonlyMap<number, AgentStepRow>
  /** The times of the current chain of attempts. */
  times: ChainTimes
  /** The stored input of a newly queued chain, if it is small, so that its lease need not read it. */
  input?: { chain: number; body: string } | undefined
}

export interface RunRecord {
  row: RunRow
  live: Live | undefined
}

/** The initial row of a run besides its snapshot, with the input of its first chain. */
export interface RunSeed {
  row: Omit<
    RunRow,
    | 'state'
    | 'version'
    | 'machine_version'
    | 'context'
    | 'content_removed_at'
    | 'available_at'
    | 'reserved_ms'
    | 'reserved_in'
    | 'counted_bytes'
    | 'last_activity_kind'
    | 'last_activity_at'
    | 'updated_at'
  >
  input: StoredInput
  /** The earlier run of its key, which can no longer be continued. */
  replaces?: string | null
  /** It is part of the work that calls its operation, which was admitted; omitted: it is admitted by itself. */
  ofCall?: boolean
  reservation?: Reservation | undefined
}

/** The statechart's events with the data that this area adds. */
export type RunCommand = RunEvent & {
  reports?: readonly Report[]
  rootStep?: AgentStepRow
  output?: unknown
  outputDigest?: string
  input?: StoredInput
  /** The minutes that a continue reserved. */
  reservation?: Reservation | undefined
  /** The results by which a continue settles pending calls. */
  results?: readonly SettledCall[]
  /** The result or the error of an external delegate, or of a call that waited for an approval. */
  result?: unknown
  failure?: Failure
  binding?: string
  /** The content of a waiting message, as JSON. */
  queued?: string
}

export type RunActor = Actor<RunRecord, RunContext>
export type RunChange = Change<RunRecord, RunContext, RunCommand>

export const runAddress = (id: string): Address => ({ kind: 'run', id })
