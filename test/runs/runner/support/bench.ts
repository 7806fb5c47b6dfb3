/**
 * What the runner itself costs: attempts of the sandbox model over a transport that does nothing.
 * `bun test/runs/runner/support/bench.ts [attempts] [slots]`
 */

import { systemClock as clock } from '../../../../src/platform/time/clock.ts'
import { streamStep } from '../../../../src/runs/providers/call.ts'
import { stepRequest } from '../../../../src/runs/runner/model-request.ts'
import { RunnerPool } from '../../../../src/runs/runner/pool.ts'
import type { Assignment, AttemptChannel, RunnerTransport } from '../../../../src/runs/runner/protocol/protocol.ts'
import { builtinTools } from '../../../../src/runs/runner/tools/builtins.ts'

const attempts = Number(process.argv[2] ?? 50_000)
const slots = Number(process.argv[3] ?? 64)

const assignment: Assignment = {
  run: { id: 'run_1', organizationId: 'org_1', agentId: 'agt_1', agentRevisionId: 'agr_1' },
  attempt: 1,
  chain: 1,
  chainAttempt: 1,
  agent: { name: 'Bench', content: { instructions: 'Be brief.' } },
  model: { provider: 'sandbox', model: 'sandbox', reasoningBudget: null },
  operations: {},
  delegates: {},
  input: { query: 'Hello there, how are you today?', contents: [] },
  resume: null,
  settledCalls: [],
  interruptedCalls: [],
  heartbeatMs: 10_000,
}

/** Settles all reports of a turn of the event loop together, like the group commit. */
const batch: (() => void)[] = []
const commit = <Value>(value: Value) =>
  new Promise<Value>((resolve) => {
    if (batch.length === 0) {
      setImmediate(() => {
        for (const settle of batch.splice(0)) settle()
      })
    }
    batch.push(() => resolve(value))
  })

let leased = 0
let completed = 0
const done = Promise.withResolvers<void>()
const expiresAt = new Date(Date.now() + 3_600_000).toISOString()

const channel = (number: number): AttemptChannel => ({
  lease: { attemptId: `att_${number}`, agentRunId: 'run_1', fencingToken: number, expiresAt },
  assignment,
  boot: () => commit(undefined),
  heartbeat: async () => ({ expiresAt, signal: 'continue' }),
  startStep: () => commit({ agentStepId: number }),
  endStep: () => commit(undefined),
  checkpoint: () => commit({ checkpointId: number }),
  deltas: () => commit(undefined),
  callOperation: () => commit({ result: null }),
  streamModel: ({ agent, ...asked }) =>
    streamStep(stepRequest(agent.content, { provider: 'sandbox', model: 'sandbox' }, 1, asked)),
  complete: async () => {
    await commit(undefined)
    if (++completed === attempts) done.resolve()
  },
})

const transport: RunnerTransport = {
  lease: async (_, signal) => {
    if (leased < attempts) return channel(++leased)
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve(null)))
  },
}

const quiet = { info() {}, warn() {}, error() {} }
const pool = new RunnerPool({
  transport,
  slots,
  machineId: 'bench',
  tools: builtinTools(clock),
  clock,
  log: quiet,
})
const startedAt = performance.now()
const cpuBefore = process.cpuUsage()
pool.start()
await done.promise
const ms = performance.now() - startedAt
const { user, system } = process.cpuUsage(cpuBefore)
await pool.drain(1_000)
console.log(
  JSON.stringify({
    attempts,
    slots,
    perSecond: Math.round((attempts / ms) * 1_000),
    microsecondsEach: Number(((ms * 1_000) / attempts).toFixed(1)),
    cpuMicrosecondsEach: Number(((user + system) / attempts).toFixed(1)),
  }),
)
process.exit(0)
