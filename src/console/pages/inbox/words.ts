/** Titles of the kinds of inbox items, and the page of each. */
import type { InboxItem } from '../../../automation/inbox/schema.ts'
import { approvalAt, at, type Place, runAt } from '../../places.ts'
import type { IconName } from '../../ui/icon.tsx'

type Kind = InboxItem['kind']

interface KindWords {
  /** Singular and plural. */
  one: string
  many: string
  icon: IconName
}

export const kindWords: Record<Kind, KindWords> = {
  alert: { one: 'Alert', many: 'Alerts', icon: 'bell' },
  approval: { one: 'Approval', many: 'Approvals', icon: 'approve' },
  waitingRun: { one: 'Waiting run', many: 'Waiting runs', icon: 'chat' },
  unknownOutcome: { one: 'Unknown outcome', many: 'Unknown outcomes', icon: 'warning' },
  webhook: { one: 'Webhook', many: 'Webhooks', icon: 'hook' },
  deployment: { one: 'Deployment', many: 'Deployments', icon: 'rocket' },
  connection: { one: 'Connection', many: 'Connections', icon: 'plug' },
  credential: { one: 'Credential', many: 'Credentials', icon: 'key' },
  apiKey: { one: 'API key', many: 'API keys', icon: 'key' },
  budget: { one: 'Budget', many: 'Budget', icon: 'card' },
}

/** The page of the item's subject. */
export function addressOf(place: Place, item: InboxItem): string {
  const { organization } = place
  const whole = { organization }
  const { project, environment, id } = item
  const here = project && environment ? { organization, projectId: project.id, environmentId: environment.id } : whole
  switch (item.kind) {
    case 'alert':
      return at(whole, 'alerts', id)
    case 'approval':
      return approvalAt(here, id)
    case 'waitingRun':
      return runAt(whole, id)
    case 'unknownOutcome':
      return item.invocationId === null
        ? at(here, 'workflows', id)
        : `${at(here, 'invocations')}?invocation=${item.invocationId}`
    case 'webhook':
      return `${at(here, 'webhooks', id)}${item.reason === 'dead_letters' ? '?state=dead-letter' : ''}`
    case 'deployment':
      return at(here, 'deployments', id)
    case 'connection':
      return at(here, 'configuration', 'connections', id)
    case 'credential':
      return at(whole, 'settings', 'credentials', id)
    case 'apiKey':
      return at(whole, 'settings', 'keys', id)
    default:
      return at(whole, 'settings', 'billing')
  }
}
