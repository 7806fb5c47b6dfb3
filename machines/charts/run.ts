/** Descriptions of the Agent run's statechart, whose table fills `machines/run.ts`. */
import { createRunMachine } from '../run.ts'
import type { ChartOf } from './chart.ts'

const unseen =
  'The clock was moved forward or the server was down: the machine was observed in use for less time than has passed'
const admitted =
  'The credential is authorized, the organization has minutes left in its billing period, and its plan allows another active run'

/** Descriptions of the Agent run's statechart. Source: contract 5, "Statechart"; contract 9, "Configuration". */
export const runChart = {
  title: 'Agent run',
  about:
    'One execution of an Agent. It waits in `queued` for its start and for a runner, is handed over in `acquiring` and `starting`, works ' +
    'in `running`, and waits without a machine in `awaitingToolResult` and `awaitingDelegateResult`. A lost attempt ' +
    'goes back to `queued` while retries are left. Every state that something else has to end has a deadline.',
  machine: createRunMachine(),
  input: { maxRetries: 2, at: 0 },
  events: {
    start: { by: 'command', says: '`POST /api/v1/agent-runs`; also by a job, and by an operation that runs an Agent.' },
    leaseRequested: { by: 'server', says: 'The run is next in the queue, and a runner has a free machine slot.' },
    leased: { by: 'server', says: 'The runner holds the lease of the attempt, with a new fencing token.' },
    booted: {
      by: 'report',
      says: 'The runner has booted: `POST /api/v1/agent-runs/{agentRunId}/attempts/{attemptId}/boot`.',
    },
    progressed: {
      by: 'report',
      says: 'The runner reports a step or a checkpoint: `POST /api/v1/agent-runs/{agentRunId}/attempts/{attemptId}/steps` and the operations below it.',
    },
    metered: { by: 'server', says: 'A model call that outlived its attempt has ended: its usage counts.' },
    completed: {
      by: 'report',
      says: 'The Agent has completed: `POST /api/v1/agent-runs/{agentRunId}/attempts/{attemptId}/complete` with the outcome `completed`.',
    },
    failed: {
      by: 'report',
      says: 'The Agent has failed: `POST /api/v1/agent-runs/{agentRunId}/attempts/{attemptId}/complete` with the outcome `failed` and not `retryable`.',
    },
    reported: {
      by: 'report',
      says: 'The final report of a runner that was told to stop: `POST /api/v1/agent-runs/{agentRunId}/attempts/{attemptId}/complete`.',
    },
    attemptLost: {
      by: 'report',
      says: 'The attempt was lost, handed back, or failed with a retryable error: a lease that was not renewed, or `POST /api/v1/agent-runs/{agentRunId}/attempts/{attemptId}/complete` with the outcome `failed` and `retryable`.',
    },
    toolResultNeeded: {
      by: 'report',
      says: 'The Agent waits for tool results: `POST /api/v1/agent-runs/{agentRunId}/attempts/{attemptId}/complete` with the outcome `awaitingToolResult`.',
    },
    delegateResultNeeded: {
      by: 'report',
      says: 'The Agent waits for an external delegate: `POST /api/v1/agent-runs/{agentRunId}/attempts/{attemptId}/complete` with the outcome `awaitingDelegateResult`.',
    },
    callApproved: { by: 'server', says: 'A call that needed an approval was approved, and is being made.' },
    toolResult: { by: 'server', says: 'A call that needed an approval has ended.' },
    delegateResult: {
      by: 'command',
      says: 'The result of an external delegate: `POST /api/v1/agent-runs/{agentRunId}/delegate-results`.',
    },
    continue: {
      by: 'command',
      says: '`POST /api/v1/agent-runs/{agentRunId}/continue`, with the next query or with results of tools; `POST /api/v1/agent-runs` with the `threadKey` of the run; or the server, with the next waiting message.',
    },
    enqueue: {
      by: 'command',
      says: '`POST /api/v1/agent-runs` with the `threadKey` of the run and `ifBusy: enqueue`: the message waits for its turn.',
    },
    startNow: {
      by: 'command',
      says: '`POST /api/v1/agent-runs/{agentRunId}/start-now`: the start of the run was put off, and it starts now.',
    },
    cancel: {
      by: 'command',
      says: '`POST /api/v1/agent-runs/{agentRunId}/cancel`, with `force=true` at once; or `POST /api/v1/agent-runs` with the `threadKey` of the run and `ifBusy: interrupt`. The server sends it too: to runs of resources that are being removed, and to a run that exceeded the timeout of the operation that started it.',
    },
  },
  guards: {
    current: 'The report comes from the attempt that holds the lease.',
    currentBeyondBudget:
      'The attempt that holds the lease begins a model step, and the run has used what its limits allow, or its costs cannot be counted.',
    currentWithUsage: 'The report comes from the attempt that holds the lease and has the usage of a model call.',
    counted: 'The usage of the run is counted.',
    asPrepared: 'The attempt and its chain are the ones that the server has prepared.',
    requested: 'The lease is for the attempt that requested it.',
    currentAndRetriesLeft: 'The report comes from the attempt that holds the lease, and a retry is left.',
    retriesLeft: 'A retry is left.',
    drained: 'The runner shuts down and hands its attempt back, or the server itself was down. This uses up no retry.',
    admitted: `${admitted}.`,
    admittedWithAll: `${admitted}, and the results answer everything that the run waits for.`,
    admittedWithSome: `${admitted}, and the results answer a part of what the run waits for.`,
    currentWithApprovals: 'The report comes from the attempt that holds the lease, and a call waits for an approval.',
    deadlineMissed:
      'The server was down when the deadline passed, so no runner could lease the run. The deadline restarts at one minute.',
    startTimeLeft: `${unseen}.`,
    activeTimeLeft: `${unseen}.`,
    admittedToContent: `${admitted}, its content is still retained, its message is next if messages wait, and the run was not canceled together with the operation call that started it.`,
    putOff: 'The run has not started, and its `startAt` is in the future.',
    due: 'The run may start already.',
    placeLeftBehind: 'Fewer than 16 messages wait, and the message goes behind them.',
    forced: 'The cancel has `force`: the run does not wait for the final report of its runner.',
    placeIfFirst: 'No message comes with the cancel, or fewer than 16 messages wait.',
    othersWait: 'The run has ended and will continue with waiting messages, and fewer than 16 wait.',
    lastTool: 'This is the last result that the run waits for.',
    knownTool: 'The run waits for this result and for others.',
    knownApproval: 'The run waits for this approval.',
    lastDelegate: 'This is the last result that the run waits for.',
    knownDelegate: 'The run waits for this result and for others.',
  },
  deadlines: {
    queueDeadline: {
      limits: 'Waiting for a runner, from `startAt` if the start has it.',
      setting: 'TROUPE_QUEUE_TTL_MS',
    },
    acquireDeadline: { limits: 'Assigning the run to a runner.' },
    startDeadline: { limits: 'Booting the runner.' },
    activeDeadline: {
      limits: 'The total machine time of all attempts since the start or the latest continue.',
      setting: 'TROUPE_ACTIVE_LIMIT_MS',
    },
    awaitDeadline: { limits: 'Waiting for a result.', setting: 'TROUPE_AWAIT_TTL_MS' },
    cancelDeadline: { limits: "Waiting for the runner's final report.", setting: 'TROUPE_CANCEL_GRACE_MS' },
  },
  effects: {
    offerToRunners: 'Offers the run to a waiting runner.',
    signalWorker: 'Tells the runner to stop the attempt.',
    releaseMachine: 'Releases the machine slot of the attempt.',
    lookForDecisions: 'Reports to the run the calls that ended before it waited for them.',
    withdrawApprovals: 'Cancels the pending approvals of calls of the run.',
    breakOffCalls: 'Cancels the operation calls of the run, both waiting and running, and its workflow runs.',
    startNextInput: 'Continues the run with the next waiting message, if there is one.',
    keepReports: 'Stores the steps, checkpoints and output that the runner reported.',
  },
} satisfies ChartOf<ReturnType<typeof createRunMachine>>
