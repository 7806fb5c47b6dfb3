/** The runner in this process, if the configuration enables it. */
import type { Config } from '../config.ts'
import type { Members } from '../platform/members/members.ts'
import type { Logger } from '../platform/operating/logger.ts'
import type { OutboundClient } from '../platform/outbound/client.ts'
import type { Clock } from '../platform/time/clock.ts'
import type { RunStarts } from '../runs/admission/start.ts'
import type { Attempts } from '../runs/attempts/attempts.ts'
import { RunnerPool } from '../runs/runner/pool.ts'
import { builtinTools } from '../runs/runner/tools/builtins.ts'

const prefix = 'embedded-'

/** The machine of this process's embedded runner; its slots are `embedded-<process>#<slot>`. */
export const embeddedMachine = ({ id }: Pick<Members, 'id'>): string => `${prefix}${id}`

/** Whether the machine is an embedded runner whose process has died: no other process can renew its leases. */
export const isOfDeadProcess = ({ living }: Pick<Members, 'living'>, machine: string): boolean =>
  machine.startsWith(prefix) && !living.has(machine.slice(prefix.length).replace(/#.*$/s, ''))

interface EmbeddedRunnerParts {
  config: Pick<Config, 'runner' | 'runnerSlots'>
  attempts: Attempts
  starts: RunStarts
  machineId: string
  outbound: OutboundClient
  clock: Clock
  logger: Logger
}

/** Undefined if only external runners execute runs. */
export const embeddedRunner = (parts: EmbeddedRunnerParts): RunnerPool | undefined =>
  parts.config.runner === 'embedded'
    ? new RunnerPool({
        transport: parts.attempts.transport(parts.starts.precedence, parts.config.runnerSlots),
        slots: parts.config.runnerSlots,
        machineId: parts.machineId,
        tools: builtinTools(parts.clock, undefined, parts.outbound),
        clock: parts.clock,
        log: parts.attempts.logOf(parts.logger),
      })
    : undefined
