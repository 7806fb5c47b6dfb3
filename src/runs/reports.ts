/**
 * A runner's reports as the run's actor receives them, with their rows already built so that storing them needs no
 * query. They arrive in `progressed`, `booted` and the final events.
 */
import type { AgentStepRow, CheckpointRow } from '../../storage/tables.ts'
import type { StepDelta } from './runner/protocol/protocol.ts'

export type Report =
  | { report: 'stepStarted'; row: AgentStepRow }
  | { report: 'stepEnded'; agentStepId: number; ending: StepEnding }
  | { report: 'checkpointed'; row: Omit<CheckpointRow, 'sequence'> }
  | { report: 'streamed'; deltas: StepDelta[] }
  /**
   * The token usage of a model step as measured by the server, which overrides the runner's report, and its cost, as
   * stored.
   */
  | { report: 'metered'; agentStepId: number; token_usage: string; cost: string | null }

/** The end of a step; the other columns are already stored. */
export type StepEnding = Pick<AgentStepRow, 'status' | 'output' | 'error' | 'execution'> & {
  /** null: the sum of its child steps. */
  token_usage: string | null
  /** JSON; null or omitted if the model has no price, and for steps other than model steps. */
  cost?: string | null
}
