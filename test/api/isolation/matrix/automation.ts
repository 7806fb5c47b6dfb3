/** The operations of the wing `automation`. */
import type { Ids } from '../furnish.ts'
import { agentThere, environment, ofEnvironment, project, type Row } from './rows.ts'

const job = (ids: Ids) => ({ ...environment(ids), jobId: ids.job })
const invocation = (ids: Ids) => ({ ...environment(ids), invocationId: ids.invocation })
const approval = (ids: Ids) => ({ ...environment(ids), approvalId: ids.approval })
const ofApply: Row = { level: 'actor', path: ({ apply: applyId }) => ({ applyId }) }
const applyActor: Row = { level: 'actor', path: ({ apply: id }) => ({ id }) }
// what is already active, so that accepted calls change nothing that other requests read
const manifestOf = ({ slug }: Ids) => ({
  manifest: {
    version: 1,
    project: { slug },
    agents: {
      agent: {
        content: { instructions: 'Help.', tools: [{ kind: 'builtin', name: 'clock' }] },
        grantedOperations: ['shop.echo', 'shop.ask'],
      },
    },
  },
  environment: 'development',
})
const ofAlert: Row = { level: 'run', path: ({ alertRule: alertRuleId }) => ({ alertRuleId }) }
const alertActor: Row = { level: 'run', path: ({ alertRule: id }) => ({ id }) }
const ofEntity: Row = {
  level: 'environment',
  path: (ids) => ({ ...environment(ids), type: 'order', entityId: ids.entity }),
}
const entityActor: Row = { level: 'actor', path: ({ entity: id }) => ({ id }) }
const ofJob: Row = { level: 'ofAgent', path: job }
const jobActor: Row = { level: 'run', path: ({ job: id }) => ({ id }) }
const ofInvocation: Row = { level: 'ofAgent', path: invocation }
const ofApproval: Row = { level: 'ofAgent', path: approval }
const invocationActor: Row = { level: 'run', path: ({ invocation: id }) => ({ id }) }
const ofWorkflowRun: Row = {
  level: 'ofAgent',
  path: (ids) => ({ ...environment(ids), workflowRunId: ids.workflowRun }),
}
const workflowRunActor: Row = { level: 'run', path: ({ workflowRun: id }) => ({ id }) }

export const automation: Record<string, Row> = {
  getInbox: {
    level: 'tallied',
    or: [
      ...[
        'operation-approvals:list',
        'operation-invocations:list',
        'agents:manage-workflows',
        'webhooks:list',
        'projects:get',
      ],
      ...['connections:list', 'provider-credentials:list', 'api-keys:list', 'billing:read', 'alerts:list'],
    ],
  },
  listAlertRules: { level: 'list' },
  createAlertRule: {
    level: 'create',
    body: ({ environment: environmentId }) => ({
      name: 'Stuck',
      environmentId,
      condition: { type: 'stuck', count: 1, forMinutes: 60 },
    }),
  },
  getAlertRule: ofAlert,
  updateAlertRule: { ...ofAlert, body: () => ({ name: 'Failing' }) },
  deleteAlertRule: { ...ofAlert, destroys: true },
  testAlertRule: ofAlert,
  listAlertIncidents: ofAlert,
  getAlertActor: alertActor,
  streamAlertActor: { ...alertActor, endless: true },
  previewAlertEvent: { ...alertActor, body: () => ({ event: 'disable' }) },
  verifyAlertActor: alertActor,
  planApply: { level: 'named', body: manifestOf, changesNothing: true },
  createApply: { level: 'named', body: manifestOf },
  listApplies: { level: 'list' },
  getApply: ofApply,
  listApplyTransitions: ofApply,
  cancelApply: { ...ofApply, level: 'run' },
  createPromotion: {
    level: 'environment',
    body: (ids) => ({
      projectId: ids.project,
      fromEnvironmentId: ids.environment,
      toEnvironmentId: ids.environment,
    }),
  },
  rollBack: { ...ofEnvironment, body: () => ({}) },
  getManifest: { level: 'environmentAsAWhole', path: project, query: () => ({ environment: 'development' }) },
  getApplyActor: applyActor,
  streamApplyActor: { ...applyActor, endless: true },
  previewApplyEvent: { ...applyActor, body: () => ({ event: 'cancel' }) },
  verifyApplyActor: applyActor,
  invokeOperation: {
    level: 'agentThere',
    path: (ids) => ({ ...agentThere(ids), operation: 'shop.echo' }),
    body: () => ({ input: {} }),
  },
  listDeployedTools: { level: 'agentThere', path: agentThere },
  callTool: {
    level: 'agentThere',
    path: (ids) => ({ ...agentThere(ids), tool: 'clock' }),
    body: () => ({ input: {} }),
    changesNothing: true,
  },
  listOperationInvocations: ofEnvironment,
  getOperationInvocation: ofInvocation,
  resolveOperationInvocation: { ...ofInvocation, body: () => ({ outcome: 'failed' }) },
  listOperationApprovals: ofEnvironment,
  getOperationApproval: ofApproval,
  getOperationApprovalRequest: ofApproval,
  // decided once: from then on a conflict for authorized callers
  approveOperation: ofApproval,
  rejectOperation: ofApproval,
  getOperationInvocationActor: invocationActor,
  streamOperationInvocationActor: { ...invocationActor, endless: true },
  previewOperationInvocationEvent: { ...invocationActor, body: () => ({ event: 'reject' }) },
  verifyOperationInvocationActor: invocationActor,
  listWorkers: ofEnvironment,
  leaseWorkerCalls: {
    ...ofEnvironment,
    body: () => ({ queue: 'billing', workerId: 'w', slots: 1 }),
    changesNothing: true,
  },
  completeWorkerCalls: {
    ...ofEnvironment,
    body: () => ({ answers: [{ invocationId: `opi_${'0'.repeat(26)}`, token: 'x', output: 1 }] }),
    changesNothing: true,
  },
  // not leased by any worker
  heartbeatWorkerCall: { ...ofInvocation, body: () => ({ token: 'x' }), missing: true, changesNothing: true },
  completeWorkerCall: { ...ofInvocation, body: () => ({ token: 'x', output: 1 }), missing: true, changesNothing: true },
  getWorkerCallActor: { ...invocationActor, missing: true },
  streamWorkerCallActor: { ...invocationActor, missing: true },
  previewWorkerCallEvent: { ...invocationActor, body: () => ({ event: 'cancel' }), missing: true },
  verifyWorkerCallActor: { ...invocationActor, missing: true },
  listEntities: { level: 'environment', path: (ids) => ({ ...environment(ids), type: 'order' }) },
  getEntity: ofEntity,
  listEntityTransitions: ofEntity,
  getEntityActor: entityActor,
  streamEntityActor: { ...entityActor, endless: true },
  previewEntityEvent: { ...entityActor, body: () => ({ event: 'entity/delete' }) },
  verifyEntityActor: entityActor,
  listAgentJobs: ofEnvironment,
  createAgentJob: {
    ...ofEnvironment,
    body: ({ agent: agentId }) => ({ agentId, name: 'Job', schedule: { cron: '0 0 1 1 *' }, query: 'Report.' }),
  },
  getAgentJob: ofJob,
  updateAgentJob: { ...ofJob, body: () => ({ name: 'Renamed' }) },
  deleteAgentJob: { ...ofJob, destroys: true },
  runAgentJobNow: ofJob,
  getAgentJobActor: jobActor,
  streamAgentJobActor: { ...jobActor, endless: true },
  previewAgentJobEvent: { ...jobActor, body: () => ({ event: 'change' }) },
  verifyAgentJobActor: jobActor,
  listWorkflowRuns: ofEnvironment,
  startWorkflowRun: {
    ...ofEnvironment,
    body: ({ agent: agentId }) => ({ agentId, definitionIdOrName: 'flow' }),
  },
  sendWorkflowEvent: {
    level: 'environmentAsAWhole',
    path: environment,
    body: () => ({ event: 'paid', correlation: 'A-17' }),
  },
  getWorkflowRun: ofWorkflowRun,
  listWorkflowRunTransitions: ofWorkflowRun,
  // it has ended: a conflict for authorized callers
  resolveUnknownWorkflowStep: { ...ofWorkflowRun, body: () => ({ stepId: 'echo', outcome: 'retry' }) },
  resumeWorkflowRun: ofWorkflowRun,
  cancelWorkflowRun: ofWorkflowRun,
  getWorkflowRunActor: workflowRunActor,
  streamWorkflowRunActor: { ...workflowRunActor, endless: true },
  previewWorkflowRunEvent: { ...workflowRunActor, body: () => ({ event: 'cancel' }) },
  verifyWorkflowRunActor: workflowRunActor,
}
