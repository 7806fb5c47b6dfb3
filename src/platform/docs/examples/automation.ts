/** Examples of operations, approvals, workflows, jobs and entities, and of workers: an order is found, and its money paid back. */
import { at, createdBy, type Example, id, made, pageOf } from './values.ts'

const invocation = {
  id: id('opi'),
  environmentId: id('env'),
  deploymentId: id('dep'),
  operation: 'orders.find',
  agentId: id('agt'),
  agentRunId: null,
  workflowRunId: null,
  stepId: null,
  state: 'succeeded',
  approvalId: null,
  input: { number: 'A-17' },
  output: { number: 'A-17', sum: 12.5 },
  error: null,
  createdBy,
  createdAt: at('12:00:00.000'),
  updatedAt: at('12:00:00.240'),
}
const payBack = { order: 'A-17', amount: 12.5 }
const pendingInvocation = { ...invocation, state: 'pending_approval', approvalId: id('apr'), output: null }
const approval = {
  id: id('apr'),
  invocationId: id('opi'),
  operation: 'refunds.pay',
  agentId: id('agt'),
  agentRunId: id('run'),
  workflowRunId: null,
  stepId: null,
  input: payBack,
  status: 'pending',
  decidedBy: null,
  decidedAt: null,
  note: null,
  expiresAt: '2026-02-03T12:00:00.000Z',
  createdAt: at('12:00:00.000'),
}
const decided = (status: string, note: string) => ({
  data: { ...approval, status, decidedBy: createdBy, decidedAt: at('12:20:00.000'), note },
})
const succeeded = { note: 'A-17 came back yesterday.' }
const rejected = { note: 'A-17 was never paid.' }

const stepOf = (stepId: string, operation: string, state: string, output: unknown = null) => ({
  stepId,
  operation,
  state,
  stateReason: null,
  attempts: 1,
  output,
  error: null,
  startedAt: at('12:00:00.000'),
  endedAt: state === 'succeeded' ? at('12:00:00.240') : null,
  waitsUntil: null,
  waitsFor: null,
  compensation: null,
  elements: null,
  workflow: null,
  childWorkflowRunId: null,
})
const found = stepOf('find', 'orders.find', 'succeeded', { number: 'A-17', sum: 12.5 })
const summary = {
  workflowRunId: id('wfr'),
  environmentId: id('env'),
  deploymentId: id('dep'),
  agentId: id('agt'),
  definitionId: id('def'),
  definitionRevisionId: id('dfr'),
  state: 'running',
  requestKey: 'refund A-17',
  actorUserId: null,
  createdBy,
  agentJobId: null,
  agentRunId: null,
  toolCallId: null,
  parentWorkflowRunId: null,
  ...made,
  endedAt: null,
}
const workflowRun = {
  ...summary,
  params: payBack,
  output: null,
  steps: [found, stepOf('pay', 'refunds.pay', 'running')],
}
const receipt = { receipt: 'R-9' }
const paid = { ...workflowRun, steps: [found, stepOf('pay', 'refunds.pay', 'succeeded', receipt)] }
const completed = { state: 'completed', endedAt: at('12:00:01.000') }
const completedRun = { ...paid, ...completed, output: receipt }

const newJob = {
  agentId: id('agt'),
  name: 'Evening report',
  schedule: { cron: '0 18 * * MON-FRI', timezone: 'Europe/Berlin' },
  query: 'Which orders are late?',
}
const firing = {
  scheduledFor: '2026-01-30T17:00:00.000Z',
  firedAt: '2026-01-30T17:00:00.018Z',
  outcome: 'started',
  agentRunId: id('run'),
  workflowRunId: null,
}
const job = {
  id: id('job'),
  environmentId: id('env'),
  ...newJob,
  workflow: null,
  params: null,
  enabled: true,
  nextRunAt: '2026-02-02T17:00:00.000Z',
  lastFirings: [firing],
  overlap: 'skip',
  ...made,
}

const order = { id: id('ent'), type: 'order', state: 'paid', version: 2, data: { total: 12.5 }, ...made }
const move = (sequence: number, from: string | null, to: string, event: string) => ({
  sequence,
  from,
  to,
  event,
  actor: createdBy,
  attempt: 0,
  reason: null,
  at: at('12:00:00.000'),
})
const answerOfWorker = { token: '9f2c…', output: { refunded: 12.5 } }

export const automationExamples: Record<string, Example> = {
  invokeOperation: {
    request: { input: { number: 'A-17' }, idempotencyKey: 'find A-17' },
    answers: { 200: { data: invocation }, 202: { data: pendingInvocation } },
  },
  listOperationInvocations: { answer: pageOf(invocation) },
  getOperationInvocation: { answer: { data: invocation } },
  resolveOperationInvocation: {
    request: { outcome: 'succeeded', note: 'The bank has it.' },
    answer: { data: { ...invocation, operation: 'refunds.pay', input: payBack, output: null } },
  },
  listOperationApprovals: { answer: pageOf(approval) },
  getOperationApproval: { answer: { data: approval } },
  getOperationApprovalRequest: {
    answer: {
      data: {
        operation: 'refunds.pay',
        effect: 'write',
        idempotent: false,
        target: { type: 'echo' },
        withheld: [],
        truncated: false,
        problem: null,
      },
    },
  },
  approveOperation: { request: succeeded, answer: decided('approved', succeeded.note) },
  rejectOperation: { request: rejected, answer: decided('rejected', rejected.note) },
  startWorkflowRun: {
    request: { agentId: id('agt'), definitionIdOrName: 'refund-order', params: payBack, requestKey: 'refund A-17' },
    answers: { 200: { data: completedRun }, 202: { data: workflowRun } },
  },
  listWorkflowRuns: { answer: pageOf({ ...summary, ...completed }) },
  getWorkflowRun: { answer: { data: completedRun } },
  listWorkflowRunTransitions: {
    answer: pageOf(move(1, null, 'running', 'start'), move(2, 'running', 'completed', 'reported')),
  },
  cancelWorkflowRun: { answer: { data: { ...workflowRun, state: 'canceling' } } },
  resolveUnknownWorkflowStep: {
    request: { stepId: 'pay', outcome: { status: 'succeeded', output: receipt } },
    answer: { data: { ...paid, state: 'unknown' } },
  },
  resumeWorkflowRun: { answer: { data: workflowRun } },
  sendWorkflowEvent: {
    request: { event: 'payment.received', correlation: 'A-17', data: { sum: 12.5 } },
    answer: {
      data: { id: id('wev'), event: 'payment.received', correlation: 'A-17', createdAt: at('12:00:00.000') },
    },
  },
  createAgentJob: { request: newJob, answer: { data: { ...job, lastFirings: [] } } },
  listAgentJobs: { answer: pageOf(job) },
  getAgentJob: { answer: { data: job } },
  updateAgentJob: {
    request: { enabled: false },
    answer: { data: { ...job, enabled: false, nextRunAt: null } },
  },
  listEntities: { answer: pageOf(order) },
  getEntity: { answer: { data: order } },
  listEntityTransitions: { answer: pageOf(move(1, null, 'open', 'create'), move(2, 'open', 'paid', 'pay')) },
  callTool: { request: { input: { number: 'A-17' } } },
  leaseWorkerCalls: { request: { queue: 'billing', workerId: 'billing-7f9c', slots: 10, waitSeconds: 20 } },
  heartbeatWorkerCall: { request: { token: '9f2c…' } },
  completeWorkerCall: { request: answerOfWorker },
  completeWorkerCalls: { request: { answers: [{ invocationId: id('opi'), ...answerOfWorker }] } },
}
