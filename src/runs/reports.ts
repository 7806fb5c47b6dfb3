/**
 * What a runner reports while its attempt goes on, as the run's actor takes it: facts with their rows made up, so that
 * storing them needs no look-up. They come inside `progressed`, `booted` and the final events.
 */
import type { AgentStepRow, CheckpointRow } from '../../storage/tables.ts'
import type { StepDelta } from '../runner/protocol.ts'

export type Report =
  | { report: 'stepStarted'; row: AgentStepRow }
  | { report: 'stepEnded'; agentStepId: number; ending: StepEnding }
  | { report: 'checkpointed'; row: Omit<CheckpointRow, 'sequence'> }
  | { report: 'streamed'; deltas: StepDelta[] }

/** How a step ended; the rest of its row is known. Columns as stored. */
export type StepEnding = Pick<AgentStepRow, 'status' | 'output' | 'error' | 'execution'> & {
  /** null: what the steps below it have used. */
  token_usage: string | null
}
