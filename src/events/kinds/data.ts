/**
 * What each kind of event says besides what all of them do: the one source of the API document, of the list of kinds and of
 * what tests hold events against. Source: contract 6, "Decided since"; contract 7, "Who emits what".
 */
import { type TObject, type TSchema, Type } from '@sinclair/typebox'
import { approvalStatuses, invocationStates } from '../../../machines/operation-invocation.ts'
import { runStates } from '../../../machines/run-states.ts'
import { workflowRunStates } from '../../../machines/workflow-words.ts'
import { Id, nullable, oneOf, Timestamp } from '../../platform/http/schema.ts'
import type { RecordedKind } from './kinds.ts'

interface Described {
  /** When it is told. */
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
    ...move(text('Where it was.'), literal(to)),
  }),
})

const operation = (summary: string, states: readonly string[]): Described => ({
  summary,
  data: Type.Object({
    invocationId: Id('opi'),
    approvalId: nullable(Id('apr', 'null: it needs none.')),
    operation: text('`<definition>.<operation>`.'),
    agentId: nullable(Id('agt')),
    agentRunId: nullable(Id('run', 'The run whose tool call it is.')),
    workflowRunId: nullable(Id('wfr', 'The workflow run whose step it is.')),
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
    version: Type.Integer({ minimum: 1, description: 'Grows by 1 with every change.' }),
  }),
})
const stateOfEntity = text('Of its statechart.')

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

const budget = (summary: string, percent: number): Described => ({
  summary,
  data: Type.Object({
    organizationId: Id('org'),
    period: Type.Object({ start: Timestamp('From then on.'), end: Timestamp('Until before then.') }),
    percent: Type.Literal(percent, { description: 'So much of the minutes is used.' }),
    budgetMinutes: Type.Number({ minimum: 0, description: 'Minutes of the period.' }),
  }),
})

const systemAgentId = text('agt_system_…')
const enabled = oneOf(['enabled', 'disabled'])

export const describedKinds: Record<RecordedKind, Described> = {
  'operation.approval.status_changed': operation(
    'An operation waits for approval, or that was decided.',
    approvalStatuses,
  ),
  'operation.invocation.status_changed': operation('An operation was invoked, or has gone on.', invocationStates),
  'deployment.queued': deployment('queued', 'A Deployment was submitted.'),
  'deployment.validating': deployment('validating', 'A Deployment is being checked.'),
  'deployment.provisioning': deployment('provisioning', 'What a Deployment needs is being provided.'),
  'deployment.materializing': deployment('materializing', 'A Deployment is being put together.'),
  'deployment.ready': deployment('ready', 'A Deployment can be activated.'),
  'deployment.failed': deployment('failed', 'A Deployment has failed.'),
  'deployment.canceled': deployment('canceled', 'A Deployment was canceled.'),
  'activation.changed': {
    summary: 'Another Deployment serves the Environment, or none.',
    data: Type.Object({
      deploymentId: nullable(Id('dep')),
      previousDeploymentId: nullable(Id('dep')),
      generation: Type.Integer({ minimum: 0, description: 'Of the Activations.' }),
    }),
  },
  'run.created': run('A run was admitted.', oneOf(runStates)),
  'run.started': run('A run began to work after a start or a continue.', literal('running')),
  'run.completed': run('A run has completed.', literal('completed')),
  'run.failed': run('A run has failed.', literal('failed')),
  'run.canceled': run('A run was canceled.', literal('canceled')),
  'run.expired': run('A run has waited for too long.', literal('expired')),
  'system_agent.published': {
    summary: 'A System Agent has a new revision.',
    data: Type.Object({
      agentId: systemAgentId,
      agentRevisionId: Id('agr'),
      previousAgentRevisionId: nullable(Id('agr')),
      number: Type.Integer({ minimum: 1, description: 'Of the revision.' }),
    }),
  },
  'system_agent.policy_changed': {
    summary: 'A System Agent was enabled or disabled.',
    data: Type.Object({ agentId: systemAgentId, from: enabled, to: enabled }),
  },
  'domain.entity.created': entity('An entity was created.', { from: Type.Null(), to: stateOfEntity }),
  'domain.entity.updated': entity('The data of an entity have changed.', { from: stateOfEntity, to: stateOfEntity }),
  'domain.entity.transitioned': entity('An entity has another state.', { from: stateOfEntity, to: stateOfEntity }),
  'domain.entity.deleted': entity('An entity was deleted.', { from: stateOfEntity, to: Type.Null() }),
  'run.waiting': run('A run waits for an answer to its call.', oneOf(['awaitingToolResult', 'awaitingDelegateResult'])),
  'workflow.completed': workflow('A workflow run has completed.', 'completed'),
  'workflow.failed': workflow('A workflow run has failed.', 'failed'),
  'workflow.unknown': workflow('Somebody has to say how a step of a workflow run has ended.', 'unknown'),
  'job.missed': {
    summary: 'No run came of ticks of a job, for the server was away.',
    data: Type.Object({
      agentJobId: Id('job'),
      agentId: Id('agt'),
      scheduledFor: Timestamp('The latest of the ticks.'),
      missed: Type.Integer({ minimum: 1, description: 'How many ticks.' }),
    }),
  },
  'webhook.disabled': {
    summary: 'A webhook was disabled, for its endpoint fails or is gone.',
    data: Type.Object({ webhookId: Id('whk'), reason: oneOf(['endpoint_gone', 'failing']) }),
  },
  'budget.warning': budget('80 % of the minutes of the billing period are used.', 80),
  'budget.exhausted': budget('All minutes of the billing period are used.', 100),
  'webhook.test': {
    summary: 'Somebody tries a webhook.',
    data: Type.Object({ webhookId: Id('whk') }),
  },
}
