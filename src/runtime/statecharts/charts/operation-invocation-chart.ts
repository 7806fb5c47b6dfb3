/** The statechart of an invocation of an operation, in words. Source: contract 6. */
import { createInvocationMachine } from '../../../../machines/operation-invocation.ts'
import type { Chart } from './chart.ts'

export const operationInvocationChart: Chart = {
  title: 'Operation invocation',
  about:
    'One call of an operation: by a request, by the tool call of a run, or by the step of a workflow. One that needs an ' +
    'approval begins in `pending_approval`, and the decision is its approval; any other begins in `running`. What has ' +
    'given nothing is `failed`; what may or may not have taken effect, because nobody knows how the call ended, is ' +
    '`unknown`, and is not repeated.',
  machine: createInvocationMachine(),
  input: { repeatable: false, awaited: false, performer: '' },
  events: {
    invoke: {
      by: 'command',
      says: '`POST /api/v1/projects/{projectId}/environments/{environmentId}/agents/{agentId}/operations/{operation}/invoke`; also by the tool call of a run, and by the step of a workflow.',
    },
    approve: {
      by: 'command',
      says: '`POST /api/v1/projects/{projectId}/environments/{environmentId}/operation-approvals/{approvalId}/approve`.',
    },
    reject: {
      by: 'command',
      says: '`POST /api/v1/projects/{projectId}/environments/{environmentId}/operation-approvals/{approvalId}/reject`.',
    },
    withdraw: { by: 'server', says: 'The run or the workflow that asked for it does not want it any more.' },
    cancel: {
      by: 'server',
      says: 'The run that asked for it is canceled or has expired: it does not begin, or is broken off.',
    },
    performed: { by: 'report', says: 'The handler has given an output.' },
    failed: { by: 'report', says: 'The handler has failed, or what it acts on has refused.' },
    lost: { by: 'report', says: 'Nobody knows whether it took effect.' },
    performerLost: { by: 'server', says: 'A server that starts finds it begun by a process that is gone.' },
  },
  guards: {
    ofThisPerformance: 'The report comes from the performance that is under way.',
    ofThisPerformanceAndAwaited: 'The same, and somebody waits to be told.',
    performerGoneAndRepeatable: 'The process that performed it is gone, and it may be done twice.',
    performerGoneAndAwaited: 'The process that performed it is gone, and somebody waits to be told.',
    performerGone: 'The process that performed it is gone.',
  },
  deadlines: {
    approvalDeadline: { limits: 'Waiting for the decision.', setting: 'TROUPE_APPROVAL_TTL_MS' },
  },
  effects: {
    perform: 'Has the handler of the operation carry the call out, and reports how that ended.',
    breakOff: 'Breaks off what the handler is doing; how that ended is reported.',
    tellOrigin: 'Tells the run or the workflow that waits for it.',
  },
}
