/** The runner in this process, where the configuration asks for it. */
import type { Config } from '../config.ts'
import type { Logger } from '../platform/operating/logger.ts'
import type { OutboundClient } from '../platform/outbound/client.ts'
import type { Clock } from '../platform/time/clock.ts'
import type { RunStarts } from '../runs/admission/start.ts'
import type { Attempts } from '../runs/attempts/attempts.ts'
import { RunnerPool } from '../runs/runner/pool.ts'
import { builtinTools } from '../runs/runner/tools/builtins.ts'

interface EmbeddedRunnerParts {
  config: Pick<Config, 'runner' | 'runnerSlots'>
  attempts: Attempts
  starts: RunStarts
  machineId: string
  outbound: OutboundClient
  clock: Clock
  logger: Logger
}

/** Undefined where only runners elsewhere carry runs. */
export const embeddedRunner = (parts: EmbeddedRunnerParts): RunnerPool | undefined =>
  parts.config.runner === 'embedded'
    ? new RunnerPool({
        transport: parts.attempts.transport(parts.starts.precedence),
        slots: parts.config.runnerSlots,
        machineId: parts.machineId,
        tools: builtinTools(parts.clock, undefined, parts.outbound),
        clock: parts.clock,
        log: parts.logger,
      })
    : undefined
