/** Services shared by all attempts of a runner. */
import type { Clock } from '../../platform/time/clock.ts'
import { DeltaPace } from './deltas.ts'
import { Heartbeats } from './heartbeats.ts'
import type { Log } from './log.ts'
import type { ToolExecutors } from './tools/executor.ts'

export interface RunnerParts {
  tools: ToolExecutors
  clock: Clock
  log: Log
}

export interface RunnerServices extends RunnerParts {
  heartbeats: Heartbeats
  pace: DeltaPace
}

/** Creates the shared timers for heartbeats and streams. */
export const runnerServices = (parts: RunnerParts): RunnerServices => ({
  tools: parts.tools,
  clock: parts.clock,
  log: parts.log,
  heartbeats: new Heartbeats(parts.clock),
  pace: new DeltaPace(parts.clock),
})
