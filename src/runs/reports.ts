/**
 * What a runner reports while its attempt goes on, as the run's actor takes it: facts with their rows made up, so that
 * storing them needs no look-up. They come inside `progressed`, `booted` and the final events.
 */
import type { AgentStepRow, CheckpointRow } from '../../storage/tables.ts'
import type { StepDelta, TokenUsage } from './runner/protocol/protocol.ts'

export type Report =
  | { report: 'stepStarted'; row: AgentStepRow }
  | { report: 'stepEnded'; agentStepId: number; ending: StepEnding }
  | { report: 'checkpointed'; row: Omit<CheckpointRow, 'sequence'> }
  | { report: 'streamed'; deltas: StepDelta[] }
  /** What the server saw a model step use: it counts, whatever the runner says. JSON. */
  | { report: 'metered'; agentStepId: number; token_usage: string }

/** How a step ended; the rest of its row is known. Columns as stored. */
export type StepEnding = Pick<AgentStepRow, 'status' | 'output' | 'error' | 'execution'> & {
  /** null: what the steps below it have used. */
  token_usage: string | null
}

export const noUsage: TokenUsage = {
  inputTokens: 0,
  outputTokens: 0,
  totalTokens: 0,
  cachedInputTokens: 0,
  reasoningTokens: 0,
}
/** As a step holds it that has used nothing. */
export const noUsageJson = JSON.stringify(noUsage)
