/** The kinds of events in an Environment's history. Source: requirement 6, "Allowed event kinds"; contract 6. */
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

/** Recorded only if a webhook of the Environment subscribes to them by name. */
const furtherKinds = [
  'run.waiting',
  'workflow.completed',
  'workflow.failed',
  'workflow.unknown',
  'job.failed',
  'job.missed',
  'webhook.disabled',
  'budget.warning',
  'budget.exhausted',
  'alert.firing',
  'alert.resolved',
] as const

/** The kinds that a webhook can subscribe to. */
export const eventKinds = [...requiredKinds, ...furtherKinds] as const
export type EventKind = (typeof eventKinds)[number]

/** The kinds in a history: a test event is sent to one webhook only. */
export const recordedKinds = [...eventKinds, 'webhook.test'] as const
export type RecordedKind = (typeof recordedKinds)[number]

const further: ReadonlySet<string> = new Set(furtherKinds)
/** Whether it is recorded only if a webhook subscribes to it by name. */
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
  'alertRule',
] as const

/** The subject of an event. */
export interface EventSubject {
  type: (typeof eventSubjects)[number]
  id: string
}
