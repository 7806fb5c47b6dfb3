/** What the names in the statechart of an Agent run mean: its table fills `machines/run.ts`. */
import { createRunMachine } from '../run.ts'
import type { ChartOf } from './chart.ts'

const unseen =
  'The clock was put forward or the server was away: less time was held than has passed, as far as anybody has seen'
const admitted =
  'The credential is authorized, the organization has minutes left in its billing period, and its plan has room for one more live run'

/** The statechart of an Agent run, in words. Source: contract 5, "Statechart"; contract 9, "Configuration". */
export const runChart = {
  title: 'Agent run',
  about:
    'One execution of an Agent. It waits in `queued` for a runner, is handed over in `acquiring` and `starting`, works ' +
    'in `running`, and waits without a machine in `awaitingToolResult` and `awaitingDelegateResult`. A lost attempt ' +
    'goes back to `queued` while retries are left. Every state that something else has to end has a deadline.',
  machine: createRunMachine(),
  input: { maxRetries: 2, at: 0 },
  events: {
    start: { by: 'command', says: '`POST /api/v1/agent-runs`; also by a job, and by an operation that runs an Agent.' },
    leaseRequested: { by: 'server', says: 'The run is next in the queue, and a runner has a free machine for it.' },
    leased: { by: 'server', says: 'The runner holds the lease of the attempt, with a fencing token of its own.' },
    booted: {
      by: 'report',
      says: 'The runner has begun to work: `POST /api/v1/agent-runs/{agentRunId}/attempts/{attemptId}/boot`.',
    },
    progressed: {
      by: 'report',
      says: 'The runner reports that steps begin or end, or a checkpoint: `POST /api/v1/agent-runs/{agentRunId}/attempts/{attemptId}/steps`, and what is below it.',
    },
    completed: {
      by: 'report',
      says: 'The Agent is done: `POST /api/v1/agent-runs/{agentRunId}/attempts/{attemptId}/complete` with the outcome `completed`.',
    },
    failed: {
      by: 'report',
      says: 'The Agent could not go on: `POST /api/v1/agent-runs/{agentRunId}/attempts/{attemptId}/complete` with the outcome `failed`, not to be tried again.',
    },
    reported: {
      by: 'report',
      says: 'The last words of a runner that was told to stop: `POST /api/v1/agent-runs/{agentRunId}/attempts/{attemptId}/complete`.',
    },
    attemptLost: {
      by: 'report',
      says: 'The runner is gone or hands its attempt back, or what failed may be tried again: a lease that is not renewed, or `POST /api/v1/agent-runs/{agentRunId}/attempts/{attemptId}/complete` with the outcome `failed` and `retryable`.',
    },
    toolResultNeeded: {
      by: 'report',
      says: 'The Agent waits for results of tools: `POST /api/v1/agent-runs/{agentRunId}/attempts/{attemptId}/complete` with the outcome `awaitingToolResult`.',
    },
    delegateResultNeeded: {
      by: 'report',
      says: 'The Agent waits for an external delegate: `POST /api/v1/agent-runs/{agentRunId}/attempts/{attemptId}/complete` with the outcome `awaitingDelegateResult`.',
    },
    toolResult: { by: 'server', says: 'A call that needed an approval has come to its end.' },
    delegateResult: {
      by: 'command',
      says: 'The result of an external delegate: `POST /api/v1/agent-runs/{agentRunId}/delegate-results`.',
    },
    continue: {
      by: 'command',
      says: '`POST /api/v1/agent-runs/{agentRunId}/continue`, with the next query or with results of tools.',
    },
    cancel: {
      by: 'command',
      says: '`POST /api/v1/agent-runs/{agentRunId}/cancel`. The server sends it too: to runs of what is being removed, and to one that took too long for the operation that had started it.',
    },
  },
  guards: {
    current: 'The report comes from the attempt that holds the lease.',
    requested: 'The lease is for the attempt that asked for it.',
    currentAndRetriesLeft: 'The report comes from the attempt that holds the lease, and a retry is left.',
    retriesLeft: 'A retry is left.',
    drained: 'The runner shuts down and hands its attempt back, or the server itself was away; that costs no retry.',
    admitted: `${admitted}.`,
    admittedWithAll: `${admitted}, and the results answer everything that the run waits for.`,
    admittedWithSome: `${admitted}, and the results answer a part of what the run waits for.`,
    currentWithApprovals: 'The report comes from the attempt that holds the lease, and a call waits for an approval.',
    deadlineMissed:
      'The server was away when the deadline passed, and no runner had a chance: it begins anew, with one minute.',
    startTimeLeft: `${unseen}.`,
    activeTimeLeft: `${unseen}.`,
    admittedToContent: `${admitted}, what was said is still there: its retention is not over; and the run was not canceled with the call of an operation that had started it.`,
    lastTool: 'It is the last result that the run waits for.',
    knownTool: 'The run waits for this result, and for others.',
    lastDelegate: 'It is the last result that the run waits for.',
    knownDelegate: 'The run waits for this result, and for others.',
  },
  deadlines: {
    queueDeadline: { limits: 'Waiting for a runner.', setting: 'TROUPE_QUEUE_TTL_MS' },
    acquireDeadline: { limits: 'Handing the run to a runner.' },
    startDeadline: { limits: 'Starting the work on the runner.' },
    activeDeadline: {
      limits: 'The time that all attempts since the start or the latest continue may hold machines.',
      setting: 'TROUPE_ACTIVE_LIMIT_MS',
    },
    awaitDeadline: { limits: 'Waiting for a result.', setting: 'TROUPE_AWAIT_TTL_MS' },
    cancelDeadline: { limits: "Waiting for the runner's final report.", setting: 'TROUPE_CANCEL_GRACE_MS' },
  },
  effects: {
    offerToRunners: 'Wakes a waiting runner: there is work.',
    signalWorker: 'Tells the runner to look at the run now: it is to stop.',
    releaseMachine: 'Frees the machine slot that the attempt held.',
    lookForDecisions: 'Tells the run of calls that had ended before it waited for them.',
    withdrawApprovals: 'Cancels the approvals that calls of the run wait for.',
    breakOffCalls: 'Cancels the calls of operations that the run has begun: those that wait, and those under way.',
    keepReports: 'Stores the steps, checkpoints and output that the runner reported.',
  },
} satisfies ChartOf<ReturnType<typeof createRunMachine>>
