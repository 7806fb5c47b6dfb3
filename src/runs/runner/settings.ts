/** The settings of a runner process, from its environment. Source: contract 9, "Configuration". */
import { hostname } from 'node:os'
import { settingNames } from '../../config.ts'
import type { Program } from '../../platform/operating/arguments.ts'
import { type LogLevel, logLevels } from '../../platform/operating/logger.ts'
import { type Environment, unknownSettings } from '../../platform/operating/unknown-settings.ts'

export interface RunnerSettings {
  serverUrl: string
  token: string
  slots: number
  machineId: string
  logLevel: LogLevel
}

const slotsMax = 1_000
const command = 'bun src/runs/runner/main.ts'

/** The texts of `--help`, by variable. */
const meanings: Readonly<Record<string, string>> = {
  TROUPE_SERVER_URL: 'the URL of the server (default: http://localhost:3000)',
  TROUPE_RUNNER_TOKEN: 'a token of a runner pool (required)',
  TROUPE_RUNNER_SLOTS: `concurrent attempts, 1 to ${slotsMax} (default: 64)`,
  TROUPE_RUNNER_MACHINE_ID: 'a unique name for its leases (default: host name and process id)',
  LOG_LEVEL: `the minimum log level: ${logLevels.join(', ')} (default: info)`,
}

/** The runner as a program. */
export const runnerProgram: Program = {
  command,
  help() {
    const width = Math.max(...Object.keys(meanings).map((name) => name.length))
    const lines = Object.entries(meanings).map(([name, meaning]) => `  ${name.padEnd(width)}  ${meaning}`)
    const settings = 'Environment variables (described in docs/runners.md):'
    return [`Usage: ${command} [--help | --version]`, '', settings, '', ...lines, ''].join('\n')
  },
}

/** Variables unknown to both the runner and the server, which may share an environment. */
export const unknownRunnerSettings = (env: Environment): string[] =>
  unknownSettings(env, new Set([...Object.keys(meanings), ...settingNames]), command)

/** Reads the settings; empty counts as unset. Throws an Error with a one-line message. */
export function readSettings(env: Environment, pid: number): RunnerSettings {
  const {
    TROUPE_SERVER_URL: serverUrl = '',
    TROUPE_RUNNER_TOKEN: token = '',
    TROUPE_RUNNER_SLOTS: slots = '',
    TROUPE_RUNNER_MACHINE_ID: machineId = '',
    LOG_LEVEL: logLevel = '',
  } = env
  if (token === '') throw new Error('TROUPE_RUNNER_TOKEN is required: set it to a token of a runner pool.')
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
