/** Examples of requests and answers about runs, by operation. */
import { at, createdBy, digest, type Example, id, made, pageOf } from './values.ts'

const question = { agentId: id('agt'), environmentId: id('env'), query: 'Where is order A-17?' }
const queuedRun = {
  id: id('run'),
  organizationId: id('org'),
  projectId: id('prj'),
  environmentId: id('env'),
  deploymentId: id('dep'),
  agentId: id('agt'),
  agentRevisionId: id('agr'),
  agentJobId: null,
  createdBy,
  subjectUserId: null,
  threadKey: null,
  queuedInputs: [],
  state: 'queued',
  stateReason: null,
  stopReason: null,
  cost: null,
  attempt: 0,
  inputDigest: digest('8'),
  outputDigest: null,
  runtimeVersion: '0.1.0',
  contentRetention: { policy: 'standard', expiresAt: '2026-03-02T12:00:00.000Z' },
  lastActivity: { kind: 'start', at: at('12:00:00.000') },
  ...made,
  startedAt: null,
  endedAt: null,
}
const completedRun = {
  ...queuedRun,
  state: 'completed',
  stopReason: 'end_turn',
  cost: { amount: '0.0012', currency: 'USD' },
  attempt: 1,
  outputDigest: digest('9'),
  lastActivity: { kind: 'completed', at: at('12:00:02.730') },
  updatedAt: at('12:00:02.730'),
  startedAt: at('12:00:00.180'),
  endedAt: at('12:00:02.730'),
}
const modelStep = {
  agentStepId: 2,
  agentRunId: id('run'),
  parentAgentStepId: 1,
  sequence: 3,
  kind: 'model',
  name: 'gpt-5.5',
  status: 'completed',
  attempt: 1,
  agent: { agentId: id('agt'), agentRevisionId: id('agr'), name: 'Clerk' },
  timing: { startedAt: at('12:00:00.180'), endedAt: at('12:00:02.730'), durationMs: 2550 },
  tokenUsage: { inputTokens: 18, outputTokens: 12, totalTokens: 30, cachedInputTokens: 0, reasoningTokens: 0 },
  cost: { amount: '0.0012', currency: 'USD' },
  execution: { provider: 'openai', model: 'gpt-5.5', finishReason: 'stop', toolCallId: null, retries: 0 },
  input: { messages: 1 },
  output: { text: 'Order A-17 left on Friday.', toolCalls: [] },
  error: null,
  lastCheckpointId: 1,
  childAgentSteps: [],
  createdAt: at('12:00:00.180'),
  updatedAt: at('12:00:02.730'),
}

const transition = (sequence: number, from: string | null, to: string, event: string, type: string) => ({
  sequence,
  from,
  to,
  event,
  actor: type === 'apiKey' ? createdBy : { type, id: type === 'runner' ? id('att') : 'troupe' },
  attempt: sequence === 1 ? 0 : 1,
  reason: null,
  at: at(`12:00:00.0${sequence}0`),
})
const messages = [
  { role: 'user', content: 'Where is order A-17?' },
  { role: 'assistant', content: 'Order A-17 left on Friday.' },
]
const checkpoint = {
  checkpointId: 1,
  agentStepId: 2,
  agentRunId: id('run'),
  attempt: 1,
  sequence: 1,
  kind: 'final',
  artifact: { digest: digest('7'), sizeBytes: 214, mediaType: 'application/json' },
  createdAt: at('12:00:02.730'),
}
const inputCheckpoint = {
  ...checkpoint,
  checkpointId: 0,
  agentStepId: null,
  attempt: 0,
  sequence: 0,
  kind: 'input',
  createdAt: at('12:00:00.000'),
}
const runtimeCheckpoint = { version: 1, chain: 1, messages, stepCount: 1, pendingToolCalls: [] }
const nextTurn = { ...queuedRun, attempt: 1, turn: 2, lastActivity: { kind: 'continue', at: at('12:05:00.000') } }

const systemAgent = {
  id: 'agt_system_summarizer',
  name: 'Summarizer',
  description: 'Summarizes texts, conversations and files, and adds nothing.',
  presentation: { displayName: 'Summarizer', greeting: 'Send me a text or files.' },
  latestRevisionId: id('agr'),
  number: 1,
  contentDigest: digest('4'),
  enabled: true,
  createdAt: at('12:00:00.000'),
}

/** The work of a runner on one attempt. */
const attemptExamples: Record<string, Example> = {
  leaseAttempt: {
    request: { machineId: 'runner-1', slots: 4, waitSeconds: 25 },
    answer: {
      data: {
        lease: {
          attemptId: id('att'),
          agentRunId: id('run'),
          fencingToken: 1769860800000000,
          expiresAt: at('12:00:30.100'),
        },
        attemptToken: 'eyJ…',
        assignment: {
          run: {
            id: id('run'),
            organizationId: id('org'),
            agentId: id('agt'),
            agentRevisionId: id('agr'),
          },
          attempt: 1,
          chain: 1,
          chainAttempt: 1,
          agent: {
            agentId: id('agt'),
            agentRevisionId: id('agr'),
            number: 1,
            name: 'Clerk',
            content: { instructions: 'Answer questions about orders.' },
          },
          model: { provider: 'openai', model: 'gpt-5.5', reasoningBudget: null },
          operations: {},
          delegates: {},
          input: { query: 'Where is order A-17?', contents: [] },
          resume: null,
          settledCalls: [],
          interruptedCalls: [],
          heartbeatMs: 10_000,
        },
      },
    },
  },
  bootAttempt: { answer: { data: { ...queuedRun, state: 'running', attempt: 1, startedAt: at('12:00:00.180') } } },
  beatAttempt: {
    request: { lastStepSequence: 3 },
    answer: { data: { expiresAt: at('12:00:40.100'), signal: 'continue' } },
  },
  startAgentStep: {
    request: { kind: 'model', name: 'gpt-5.5', input: { messages: 1 } },
    answer: {
      data: {
        ...modelStep,
        status: 'running',
        timing: { startedAt: at('12:00:00.180'), endedAt: null, durationMs: null },
        tokenUsage: { inputTokens: 0, outputTokens: 0, totalTokens: 0, cachedInputTokens: 0, reasoningTokens: 0 },
        cost: null,
        output: null,
        lastCheckpointId: null,
        updatedAt: at('12:00:00.180'),
      },
    },
  },
  reportAttemptEvents: {
    request: { events: [{ type: 'step.delta', agentStepId: 2, data: { kind: 'text', text: 'Order A-17 ' } }] },
    answer: { data: { accepted: 1 } },
  },
  streamAttemptModel: { request: { agentStepId: 2, messages: messages.slice(0, 1) } },
  endAgentStep: {
    request: { status: 'completed', output: modelStep.output, tokenUsage: modelStep.tokenUsage },
    answer: { data: modelStep },
  },
  writeCheckpoint: { request: { kind: 'final', runtimeCheckpoint }, answer: { data: checkpoint } },
  callAttemptOperation: {
    request: { agentId: id('agt'), toolName: 'find_order', toolCallId: 'call_1', input: { number: 'A-17' } },
    answer: { data: { result: { number: 'A-17', shipped: 'Friday' } } },
  },
  completeAttempt: {
    request: { outcome: 'completed', stopReason: 'end_turn', output: 'Order A-17 left on Friday.' },
    answer: { data: completedRun },
  },
}

export const runExamples: Record<string, Example> = {
  ...attemptExamples,
  startAgentRun: { request: question, answer: { data: queuedRun } },
  getAgentRun: { answer: { data: completedRun } },
  listAgentRuns: { answer: { agentRuns: [completedRun], pagination: { limit: 20, hasMore: false } } },
  getAgentRunStatistics: {
    answer: {
      data: {
        from: '2026-01-31T12:00:00.000Z',
        to: '2026-01-31T13:00:00.000Z',
        interval: 'hour',
        buckets: [
          {
            from: '2026-01-31T12:00:00.000Z',
            to: '2026-01-31T13:00:00.000Z',
            completed: 412,
            failed: 3,
            canceled: 1,
            expired: 0,
            cost: { amount: '1.25', currency: 'USD' },
            costs: [{ amount: '1.25', currency: 'USD' }],
          },
        ],
        cost: { amount: '1.25', currency: 'USD' },
        costs: [{ amount: '1.25', currency: 'USD' }],
        modelSteps: 240,
        unpricedSteps: 0,
        inputTokens: 180_000,
        outputTokens: 42_000,
        totals: { completed: 412, failed: 3, canceled: 1, expired: 0 },
        queueTime: { count: 415, p50Ms: 12, p90Ms: 61, p99Ms: 480 },
        workTime: { count: 415, p50Ms: 3100, p90Ms: 14200, p99Ms: 58000 },
        current: {
          queued: 2,
          acquiring: 0,
          starting: 1,
          running: 9,
          awaitingToolResult: 4,
          awaitingDelegateResult: 0,
          canceling: 0,
          oldestQueuedAt: '2026-01-31T12:41:07.250Z',
        },
      },
    },
  },
  continueAgentRun: { request: { query: 'And when will it be here?' }, answer: { data: nextTurn } },
  startAgentRunNow: { answer: { data: queuedRun } },
  cancelAgentRun: { answer: { data: { ...queuedRun, state: 'canceled', endedAt: at('12:00:01.000') } } },
  giveDelegateResult: {
    request: { toolCallId: 'call_1', result: { approved: true } },
    answer: { data: { ...queuedRun, attempt: 1, lastActivity: { kind: 'delegateResult', at: at('12:05:00.000') } } },
  },
  runAgentJobNow: { answer: { data: { ...queuedRun, agentJobId: id('job') } } },
  forkAgentRun: {
    request: { checkpointId: 0, query: 'Where is order A-18?' },
    answer: { data: { ...queuedRun, forkedFrom: { agentRunId: id('run'), checkpointId: 0 } } },
  },
  listAgentRunTransitions: {
    answer: pageOf(
      transition(1, null, 'queued', 'start', 'apiKey'),
      transition(2, 'queued', 'acquiring', 'leaseRequested', 'system'),
      transition(3, 'acquiring', 'starting', 'leased', 'system'),
      transition(4, 'starting', 'running', 'booted', 'runner'),
      transition(5, 'running', 'completed', 'completed', 'runner'),
    ),
  },
  listAgentSteps: {
    answer: { data: { items: [modelStep] }, pagination: { limit: 20, hasMore: false, totalCount: 1 } },
  },
  listAgentRunLogs: {
    answer: pageOf({
      sequence: 1,
      at: at('12:00:00.000'),
      level: 'info',
      source: 'server',
      attempt: 0,
      message: 'start: new → queued',
    }),
  },
  listSystemAgents: { answer: pageOf(systemAgent) },
  getSystemAgent: { answer: { data: systemAgent } },
  updateSystemAgent: { request: { enabled: false }, answer: { data: { ...systemAgent, enabled: false } } },
  getAgentStep: { answer: { data: modelStep } },
  listCheckpoints: { answer: pageOf(checkpoint, inputCheckpoint) },
  getLatestCheckpoint: { answer: { data: { checkpoint, runtimeCheckpoint, stepPayload: modelStep } } },
  getCheckpoint: { answer: { data: checkpoint } },
  createBulkAction: { request: { action: 'cancel', filter: { agentId: id('agt'), states: ['queued'] }, dryRun: true } },
}
