/** A runner in a separate process: `npm run runner`. Source: contract 5, "Runner protocol"; contract 9, "SIGTERM". */
import { schemaWorkers } from '../../platform/json-schemas/checks.ts'
import { readArguments } from '../../platform/operating/arguments.ts'
import { createLogger } from '../../platform/operating/logger.ts'
import { systemClock as clock } from '../../platform/time/clock.ts'
import { RunnerPool } from './pool.ts'
import { HttpTransport } from './protocol/http-transport.ts'
import { type RunnerSettings, readSettings, runnerProgram, unknownRunnerSettings } from './settings.ts'
import { builtinTools } from './tools/builtins.ts'

const drainMs = 18_000

function settingsOrExit(): RunnerSettings {
  try {
    return readSettings(process.env, process.pid)
  } catch (error) {
    console.error((error as Error).message)
    process.exit(1)
  }
}

readArguments(process.argv.slice(2), runnerProgram)
for (const warning of unknownRunnerSettings(process.env)) console.error(warning)
const { serverUrl, token, slots, machineId, logLevel } = settingsOrExit()
const log = createLogger(logLevel)
const pool = new RunnerPool({
  transport: new HttpTransport({ serverUrl, token, clock, log }),
  slots,
  machineId,
  tools: builtinTools(clock),
  clock,
  log,
  onRefused: () => stop(1),
})

let stopping = false
async function stop(exitCode: number) {
  if (stopping) return
  stopping = true
  const { running } = pool.statistics()
  log.info({ machineId, running }, 'draining the runner')
  const { abandoned } = await pool.drain(drainMs)
  log.info({ machineId, abandoned, ended: pool.statistics().ended }, 'the runner stopped')
  schemaWorkers.close()
  process.exit(exitCode)
}

process.on('SIGTERM', () => void stop(0))
process.on('SIGINT', () => void stop(0))
log.info({ serverUrl, machineId, slots }, 'starting the runner')
pool.start()
