/** The kinds of inbox items, the permission that shows each, and the reasons. The console shares this list. */
import type { Permission } from '../../platform/http/guard/permissions.ts'

export const inboxKinds = [
  'alert',
  'approval',
  'waitingRun',
  'unknownOutcome',
  'webhook',
  'deployment',
  'connection',
  'credential',
  'apiKey',
  'budget',
] as const
export type InboxKind = (typeof inboxKinds)[number]

export const inboxReasons = [
  'firing',
  'approval_pending',
  'answer_awaited',
  'outcome_unknown',
  'disabled',
  'failing',
  'dead_letters',
  'failed',
  'expired',
  'expiring',
  'budget_used',
  'budget_exhausted',
] as const
export type InboxReason = (typeof inboxReasons)[number]

/** The permission to read the resources of each kind, which also shows its items. */
export const permissionOfKind = {
  alert: 'alerts:list',
  approval: 'operation-approvals:list',
  waitingRun: 'agent-runs:get',
  unknownOutcome: 'operation-invocations:list',
  webhook: 'webhooks:list',
  deployment: 'projects:get',
  connection: 'connections:list',
  credential: 'provider-credentials:list',
  apiKey: 'api-keys:list',
  budget: 'billing:read',
} as const satisfies Record<InboxKind, Permission>

/** Kinds of the organization as a whole: a key that is bound to a part of it does not see them. */
export const kindsOfOrganization: readonly InboxKind[] = ['credential', 'apiKey', 'budget']

/** The largest count of a kind. */
export const countedMax = 1_000
