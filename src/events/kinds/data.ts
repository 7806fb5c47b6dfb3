/**
 * The data of each kind of event, besides the common fields: the source of the API document, of the list of kinds and
 * of the tests. Source: contract 6, "Decided since"; contract 7, "Who emits what".
 */
import { type TObject, type TSchema, Type } from '@sinclair/typebox'
import { approvalStatuses, invocationStates } from '../../../machines/operation-invocation.ts'
import { runStates } from '../../../machines/run/states.ts'
import { workflowRunStates } from '../../../machines/workflow/words.ts'
import { Id, nullable, oneOf, saying, Timestamp } from '../../platform/http/schema.ts'
import { Cost, RunLimits } from '../../platform/models/prices/schema.ts'
import type { RecordedKind } from './kinds.ts'

interface Described {
  /** When the event is sent. */
  summary: string
  data: TObject
}

const text = (description: string) => Type.String({ description })
const literal = <const Word extends string>(word: Word) => Type.Literal(word)

/** The states before and after; null before the first. */
const move = (from: TSchema, to: TSchema) => ({ from: nullable(from), to })

const run = (summary: string, to: TSchema): Described => ({
  summary,
  data: Type.Object({
    agentRunId: Id('run'),
    agentId: Id('agt'),
    agentRevisionId: Id('agr'),
    deploymentId: nullable(Id('dep')),
    ...move(oneOf(runStates), to),
  }),
})

const deployment = (to: string, summary: string): Described => ({
  summary,
  data: Type.Object({
    deploymentId: Id('dep'),
    releaseId: Id('rel'),
    configurationRevisionId: Id('cfr'),
    ...move(text('The previous state.'), literal(to)),
  }),
})

const operation = (summary: string, states: readonly string[]): Described => ({
  summary,
  data: Type.Object({
    invocationId: Id('opi'),
    approvalId: nullable(Id('apr', 'null if it needs none.')),
    operation: text('`<definition>.<operation>`.'),
    agentId: nullable(Id('agt')),
    agentRunId: nullable(Id('run', 'The run that made the tool call.')),
    workflowRunId: nullable(Id('wfr', 'The workflow run of the step.')),
    stepId: nullable(text('The step of the workflow run.')),
    deploymentId: nullable(Id('dep')),
    ...move(oneOf(states), oneOf(states)),
  }),
})

const entity = (summary: string, states: { from: TSchema; to: TSchema }): Described => ({
  summary,
  data: Type.Object({
    type: text('The name of its Definition.'),
    ...states,
    version: Type.Integer({ minimum: 1, description: 'Increases by 1 with every change.' }),
  }),
})
const stateOfEntity = text('A state of its statechart.')

const workflow = (summary: string, to: string): Described => ({
  summary,
  data: Type.Object({
    workflowRunId: Id('wfr'),
    agentId: Id('agt'),
    definitionId: Id('def'),
    deploymentId: nullable(Id('dep')),
    ...move(oneOf(workflowRunStates), literal(to)),
  }),
})

/** For the minutes of an organization or the limits of a run, depending on the subject. */
const budget = (summary: string, percent: number): Described => ({
  summary,
  data: Type.Object({
    organizationId: Id('org'),
    percent: Type.Literal(percent, { description: 'The used percentage.' }),
    period: Type.Optional(
      Type.Object(
        { start: Timestamp('The start, inclusive.'), end: Timestamp('The end, exclusive.') },
        { description: 'For minutes: the billing period.' },
      ),
    ),
    budgetMinutes: Type.Optional(Type.Number({ minimum: 0, description: 'For minutes: those of the period.' })),
    agentRunId: Type.Optional(Id('run', 'Of a run.')),
    agentId: Type.Optional(Id('agt', 'For a run: its Agent.')),
    agentRevisionId: Type.Optional(Id('agr')),
    deploymentId: Type.Optional(nullable(Id('dep'))),
    limits: Type.Optional(saying(RunLimits, 'For a run: its limits.')),
    usedTokens: Type.Optional(
      Type.Integer({ minimum: 0, description: 'For a run: input and output tokens of its model steps so far.' }),
    ),
    cost: Type.Optional({
      ...nullable(Cost),
      description: 'For a run: the cost of its model steps; null if it is unknown.',
    }),
  }),
})

const alert = (summary: string): Described => ({
  summary,
  data: Type.Object({
    alertRuleId: Id('alr'),
    name: text('The name of the rule.'),
    condition: Type.Object({ type: text('What is watched.') }, { description: 'As in the rule.' }),
    summary: text('The condition in words.'),
    value: Type.Number({ minimum: 0, description: 'The measurement.' }),
    threshold: Type.Number({ description: 'What has to be reached.' }),
    firingSince: Timestamp('When it started to fire.'),
    resolution: nullable(oneOf(['cleared', 'changed', 'disabled'], { description: 'How it ended.' })),
    test: Type.Boolean({ description: 'The event is a test of the rule.' }),
  }),
})

const systemAgentId = text('agt_system_…')
const enabled = oneOf(['enabled', 'disabled'])

export const describedKinds: Record<RecordedKind, Described> = {
  'operation.approval.status_changed': operation(
    'An operation awaits approval, or its approval was decided.',
    approvalStatuses,
  ),
  'operation.invocation.status_changed': operation('An invocation was created or changed its state.', invocationStates),
  'deployment.queued': deployment('queued', 'A Deployment was submitted.'),
  'deployment.validating': deployment('validating', 'A Deployment is being validated.'),
  'deployment.provisioning': deployment('provisioning', 'The secrets of a Deployment are being checked.'),
  'deployment.materializing': deployment('materializing', 'The bundle of a Deployment is being built.'),
  'deployment.ready': deployment('ready', 'A Deployment can be activated.'),
  'deployment.failed': deployment('failed', 'A Deployment has failed.'),
  'deployment.canceled': deployment('canceled', 'A Deployment was canceled.'),
  'activation.changed': {
    summary: 'The active Deployment of the Environment has changed.',
    data: Type.Object({
      deploymentId: nullable(Id('dep')),
      previousDeploymentId: nullable(Id('dep')),
      generation: Type.Integer({ minimum: 0, description: 'The generation of the Activation.' }),
    }),
  },
  'run.created': run('A run was admitted.', oneOf(runStates)),
  'run.started': run('A run started running, after a start or a continue.', literal('running')),
  'run.completed': run('A run has completed.', literal('completed')),
  'run.failed': run('A run has failed.', literal('failed')),
  'run.canceled': run('A run was canceled.', literal('canceled')),
  'run.expired': run('A run has waited too long.', literal('expired')),
  'system_agent.published': {
    summary: 'A System Agent has a new revision.',
    data: Type.Object({
      agentId: systemAgentId,
      agentRevisionId: Id('agr'),
      previousAgentRevisionId: nullable(Id('agr')),
      number: Type.Integer({ minimum: 1, description: 'The number of the revision.' }),
    }),
  },
  'system_agent.policy_changed': {
    summary: 'A System Agent was enabled or disabled.',
    data: Type.Object({ agentId: systemAgentId, from: enabled, to: enabled }),
  },
  'domain.entity.created': entity('An entity was created.', { from: Type.Null(), to: stateOfEntity }),
  'domain.entity.updated': entity('The data of an entity has changed.', { from: stateOfEntity, to: stateOfEntity }),
  'domain.entity.transitioned': entity('The state of an entity has changed.', {
    from: stateOfEntity,
    to: stateOfEntity,
  }),
  'domain.entity.deleted': entity('An entity was deleted.', { from: stateOfEntity, to: Type.Null() }),
  'run.waiting': run('A run awaits the result of a call.', oneOf(['awaitingToolResult', 'awaitingDelegateResult'])),
  'workflow.completed': workflow('A workflow run has completed.', 'completed'),
  'workflow.failed': workflow('A workflow run has failed.', 'failed'),
  'workflow.unknown': workflow('A step of a workflow run has an unknown outcome, which must be resolved.', 'unknown'),
  'job.failed': {
    summary: 'The run of a tick of a job could not be started. The journal of the job has the message.',
    data: Type.Object({
      agentJobId: Id('job'),
      agentId: Id('agt'),
      scheduledFor: Timestamp('The tick.'),
      code: text('The code of the error that the start was refused with, such as `agent_not_deployed`.'),
    }),
  },
  'job.missed': {
    summary: 'Ticks of a job were missed because the server was down.',
    data: Type.Object({
      agentJobId: Id('job'),
      agentId: Id('agt'),
      scheduledFor: Timestamp('The latest missed tick.'),
      missed: Type.Integer({
        minimum: 1,
        maximum: 20,
        description: 'The number of missed ticks among the last 20; earlier ones are not counted.',
      }),
    }),
  },
  'webhook.disabled': {
    summary: 'A webhook was disabled because its endpoint fails or answers 410.',
    data: Type.Object({ webhookId: Id('whk'), reason: oneOf(['endpoint_gone', 'failing']) }),
  },
  'budget.warning': budget('80 % of the minutes of the billing period, or of the limits of a run, are used.', 80),
  'budget.exhausted': budget(
    'All minutes of the billing period are used, or a run has failed because its limits are used up.',
    100,
  ),
  'alert.firing': alert('An alert rule has begun to fire.'),
  'alert.resolved': alert('An alert rule no longer fires.'),
  'webhook.test': {
    summary: 'A test event of a webhook.',
    data: Type.Object({ webhookId: Id('whk') }),
  },
}
