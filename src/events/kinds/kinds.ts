/** The kinds of events that an Environment's history tells of. Source: requirement 6, "Allowed event kinds"; contract 6. */
const requiredKinds = [
  'operation.approval.status_changed',
  'operation.invocation.status_changed',
  'deployment.queued',
  'deployment.validating',
  'deployment.provisioning',
  'deployment.materializing',
  'deployment.ready',
  'deployment.failed',
  'deployment.canceled',
  'activation.changed',
  'run.created',
  'run.started',
  'run.completed',
  'run.failed',
  'run.canceled',
  'run.expired',
  'system_agent.published',
  'system_agent.policy_changed',
  'domain.entity.created',
  'domain.entity.updated',
  'domain.entity.transitioned',
  'domain.entity.deleted',
] as const

/** Told only where a webhook of the Environment has asked for them by name: else the history does not have them. */
export const furtherKinds = [
  'run.waiting',
  'workflow.completed',
  'workflow.failed',
  'workflow.unknown',
  'job.missed',
  'webhook.disabled',
  'budget.warning',
  'budget.exhausted',
] as const

/** All that a webhook may be for. */
export const eventKinds = [...requiredKinds, ...furtherKinds] as const
export type EventKind = (typeof eventKinds)[number]

/** All that may stand in a history: one kind is sent to one webhook, when somebody tries it. */
export const recordedKinds = [...eventKinds, 'webhook.test'] as const
export type RecordedKind = (typeof recordedKinds)[number]

const further: ReadonlySet<string> = new Set(furtherKinds)
/** Whether the history has it only where somebody has asked for it by name. */
export const isFurther = (kind: RecordedKind): boolean => further.has(kind)

export const eventSubjects = [
  'agentRun',
  'deployment',
  'environment',
  'operationInvocation',
  'operationApproval',
  'entity',
  'systemAgent',
  'workflowRun',
  'agentJob',
  'webhook',
  'organization',
] as const

/** What an event is about. */
export interface EventSubject {
  type: (typeof eventSubjects)[number]
  id: string
}
