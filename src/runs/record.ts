/** A run as its actor holds it: what is stored of it, what it is told, what it changes. */
import type { Period } from '../../machines/period.ts'
import type { RunContext, RunEvent } from '../../machines/run.ts'
import type { AgentStepRow, RunRow } from '../../storage/tables.ts'
import type { Actor, Address, Change } from '../runtime/kind.ts'
import type { Report } from './reports.ts'
import type { Failure, RunInput, SettledCall } from './runner/protocol/protocol.ts'

/** When the current chain of attempts was opened, by its start or a continue, and when it began to work. */
export interface ChainTimes {
  openedAt: number
  /** null while it has not begun. */
  begunAt: number | null
}

/** What an organization may have at most; null sets no bound. */
export interface RunLimits {
  liveRuns: number | null
  storedBytes: number | null
}

/** Machine time that is set aside for a chain of attempts before it has used any. */
export interface Reservation {
  ms: number
  /** The period whose budget it is taken from. */
  period: Period
  /** What may be used and reserved in the period together; null sets no bound. */
  boundMs: number | null
  /** What the organization may have of runs at most; left out: nothing is bounded. */
  limits?: RunLimits
}

/** What a change needs to know beyond the row; read once, then carried along. */
export interface Live {
  /** The last number of the run's stream. */
  lastSequence: number
  lastCheckpointSequence: number
  /** What is stored of the run and waits to be counted. */
  waitingBytes: number
  /** Steps that have not ended, by id. */
  openSteps: ReadonlyMap<number, AgentStepRow>
  /** Since its start or its last continue. */
  times: ChainTimes
}

export interface RunRecord {
  row: RunRow
  live: Live | undefined
}

/** What the row of a new run holds besides its snapshot, and the input of its first chain. */
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
  input: RunInput
  reservation?: Reservation | undefined
}

/** What the area adds to the events of the statechart. */
export type RunCommand = RunEvent & {
  reports?: readonly Report[]
  rootStep?: AgentStepRow
  output?: unknown
  outputDigest?: string
  input?: RunInput
  /** What a continue has set aside. */
  reservation?: Reservation | undefined
  /** How calls that the run waited for are closed by a continue. */
  results?: readonly SettledCall[]
  /** What an external delegate answered, or came of a call that waited for an approval: a result, or why there is none. */
  result?: unknown
  failure?: Failure
  binding?: string
}

export type RunActor = Actor<RunRecord, RunContext>
export type RunChange = Change<RunRecord, RunContext, RunCommand>

export const runAddress = (id: string): Address => ({ kind: 'run', id })
