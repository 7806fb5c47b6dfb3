/** Examples of requests and answers about runs, by operation. */
import { at, createdBy, digest, type Example, id, made } from './example-values.ts'

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

export const runExamples: Record<string, Example> = {
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
          },
        ],
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
  continueAgentRun: { request: { query: 'And when will it be here?' } },
  listAgentSteps: {
    answer: { data: { items: [modelStep] }, pagination: { limit: 20, hasMore: false, totalCount: 1 } },
  },
}
