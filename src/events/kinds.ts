/** The kinds of events that an Environment's history tells of. Source: requirement 6, "Allowed event kinds". */
export const eventKinds = [
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
export type EventKind = (typeof eventKinds)[number]

/** What an event is about. */
export interface EventSubject {
  type:
    | 'agentRun'
    | 'deployment'
    | 'environment'
    | 'operationInvocation'
    | 'operationApproval'
    | 'entity'
    | 'systemAgent'
  id: string
}
