/** The settings of a runner process, from its environment. Source: contract 9, "Configuration". */
import { hostname } from 'node:os'
import { type LogLevel, logLevels } from '../operating/logger.ts'

export interface RunnerSettings {
  serverUrl: string
  token: string
  slots: number
  machineId: string
  logLevel: LogLevel
}

const slotsMax = 1_000

/** Reads the settings; empty is the same as unset. Throws an Error with one line for the operator. */
export function readSettings(env: Record<string, string | undefined>, pid: number): RunnerSettings {
  const {
    TROUPE_SERVER_URL: serverUrl = '',
    TROUPE_RUNNER_TOKEN: token = '',
    TROUPE_RUNNER_SLOTS: slots = '',
    TROUPE_RUNNER_MACHINE_ID: machineId = '',
    LOG_LEVEL: logLevel = '',
  } = env
  if (token === '') throw new Error('TROUPE_RUNNER_TOKEN is not set; it must be the token that the server has.')
  return {
    serverUrl: addressOf(serverUrl || 'http://localhost:3000'),
    token,
    slots: slotsOf(slots || '64'),
    machineId: machineIdOf(machineId || `${hostname()}-${pid}`),
    logLevel: levelOf(logLevel || 'info'),
  }
}

function addressOf(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : null
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.search || url.hash) {
    throw new Error('TROUPE_SERVER_URL must be an http or https address, such as http://localhost:3000.')
  }
  return value
}

function slotsOf(value: string): number {
  const slots = Number(value)
  if (/^\d+$/.test(value) && slots >= 1 && slots <= slotsMax) return slots
  throw new Error(`TROUPE_RUNNER_SLOTS must be a whole number from 1 to ${slotsMax}.`)
}

function machineIdOf(value: string): string {
  if (/^[\x21-\x7e]{1,200}$/.test(value)) return value
  throw new Error('TROUPE_RUNNER_MACHINE_ID must be 1 to 200 printable characters without spaces.')
}

function levelOf(value: string): LogLevel {
  const level = logLevels.find((known) => known === value)
  if (level) return level
  throw new Error(`LOG_LEVEL must be one of ${logLevels.join(', ')}.`)
}
