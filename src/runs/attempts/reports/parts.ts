/** The dependencies of attempt reports, and how reports are sent to the run's actor. */
import type { AnyEventObject } from 'xstate'
import type { Used } from '../../../../machines/run/budget.ts'
import type { Write } from '../../../../storage/store.ts'
import type { Leases } from '../../../platform/leases/leases.ts'
import type { Prices } from '../../../platform/models/prices/prices.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { Actors } from '../../../runtime/actors.ts'
import type { CallApprovals } from '../../control/approvals.ts'
import type { CheckpointReport } from '../../runner/protocol/protocol.ts'
import type { StopCall } from '../gateway/stop-call.ts'
import type { AttemptSession, AttemptSessions } from '../sessions.ts'
import type { CheckpointWriter } from './checkpoint-writer.ts'

export interface AttemptReportsParts {
  actors: Actors
  leases: Leases
  clock: Clock
  sessions: AttemptSessions
  checkpoints: CheckpointWriter
  stopCall: StopCall
  /** Allocates an integer id; returns a promise only when a new range must be reserved. */
  nextStepId(): number | Promise<number>
  nextCheckpointId(): number | Promise<number>
  leaseTtlMs: number
  prices: Prices
  approvals: Pick<CallApprovals, 'workOf'>
  /** Called at shutdown, before attempts are drained: stops leasing. */
  onDrain(): void
}

/** Statements that store the answer to a report, committed with it. */
export type Remember<Answer> = (answer: Answer) => Write[]

/** Options of sending a report. */
export interface Sent {
  /** The event to try if the run has no row for the first one. */
  orElse?: AnyEventObject
  /** Statements that commit with the report. */
  writes?: Write[] | undefined
  /** Whether the report waits for the next one, for some milliseconds. */
  patient?: boolean | undefined
  /** The usage of a model call that the report ends. */
  used?: Used | undefined
  /** The currency of the price of a model step that begins, in a run with a budget; null if it has no price. */
  begins?: { currency: string | null } | undefined
}

/** Whether a checkpoint has the chain of its attempt, or that before it while open calls come first. */
export const isOfChain = ({ runtimeCheckpoint: { chain } }: CheckpointReport, session: AttemptSession): boolean =>
  chain === session.chain || (session.callsFirst && chain === 0)
