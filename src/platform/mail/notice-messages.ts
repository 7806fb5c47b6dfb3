/** The texts of notices. They reveal no more than the console shows: of an endpoint only its host. */
import type { MembershipRow, NoticeRow } from '../../../storage/tables.ts'
import { isMailable } from './address.ts'
import { inLine, mail, minuteOf, type Words } from './messages.ts'
import type { Unsendable } from './outbox.ts'
import type { Mail } from './smtp.ts'

/** The path of a console page of an organization, or of an Environment of one of its Projects. */
export type PathOf = (
  place: { organization: string; projectId?: string; environmentId?: string },
  ...page: string[]
) => string

/** A notice that has not been sent to a recipient yet, with the current state of its subject. */
interface OwedNotice {
  recipient: string
  /** The recipient's current role in the organization. */
  role: MembershipRow['role']
  kind: NoticeRow['kind']
  data: string
  created_at: number
  organization: string
  organization_slug: string
  /** Null if the notice is not about a webhook, or the webhook was deleted. */
  webhook_id: string | null
  endpoint_url: string | null
  /** Null if the notice is not about an alert rule, or the rule was deleted. */
  alert_rule_id: string | null
  environment_id: string | null
  environment: string | null
  project_id: string | null
  project: string | null
}

/** The data of the corresponding event. */
interface BudgetData {
  period: { end: string }
  budgetMinutes: number
}

const reasons: Record<string, string> = {
  endpoint_gone: 'The endpoint answered 410 Gone.',
  failing: 'All attempts failed for a long time, at least ten of them.',
}

function budgetWords({ kind, data, organization, organization_slug }: OwedNotice, urlOf: PathOf): Words {
  const { period, budgetMinutes } = JSON.parse(data) as BudgetData
  const name = inLine(organization)
  const isOver = kind === 'budget.exhausted'
  const end = minuteOf(Date.parse(period.end))
  return {
    subject: isOver ? `${name} has used all of its minutes` : `${name} has used 80 % of its minutes`,
    before: [
      `The organization "${name}" has used ${isOver ? 'all' : '80 %'} of the ${budgetMinutes} minutes of its billing period, which ends at ${end}.`,
      isOver
        ? 'Running runs continue. New ones are refused until then, or until the plan is changed.'
        : 'Once all are used, new runs are refused until then.',
    ],
    link: { label: 'Billing', url: urlOf({ organization: organization_slug }, 'settings', 'billing') },
    after: ['You get this mail because you own the organization.'],
  }
}

function webhookWords(notice: OwedNotice, urlOf: PathOf): Words | undefined {
  const { webhook_id, endpoint_url, environment_id, project_id, created_at, organization, organization_slug } = notice
  if (!webhook_id || !endpoint_url || !environment_id || !project_id) return undefined
  const { reason } = JSON.parse(notice.data) as { reason: string }
  const place = { organization: organization_slug, projectId: project_id, environmentId: environment_id }
  const project = inLine(notice.project ?? '')
  return {
    subject: `A webhook of ${project} was disabled`,
    before: [
      `The webhook to ${inLine(new URL(endpoint_url).host)} was disabled at ${minuteOf(created_at)}. It belongs to the Environment "${inLine(notice.environment ?? '')}" of the Project "${project}", in the organization "${inLine(organization)}".`,
      `${reasons[reason] ?? ''} It gets no events until it is enabled again.`.trim(),
    ],
    link: { label: 'Webhook', url: urlOf(place, 'webhooks', webhook_id) },
    after: [
      'The events that it misses are kept; a recovery sends them.',
      'You get this mail because you manage the organization. There is at most one such mail a day for each webhook.',
    ],
  }
}

/** The data of the corresponding event. */
interface AlertData {
  name: string
  summary: string
  value: number
  firingSince: string
  test: boolean
}

function alertWords(notice: OwedNotice, urlOf: PathOf): Words | undefined {
  const { alert_rule_id, kind, organization, organization_slug } = notice
  if (alert_rule_id === null) return undefined
  const { name, summary, value, firingSince, test } = JSON.parse(notice.data) as AlertData
  const place = notice.environment
    ? `the Environment "${inLine(notice.environment)}" of the Project "${inLine(notice.project ?? '')}", in the organization "${inLine(organization)}"`
    : `the organization "${inLine(organization)}"`
  const since = minuteOf(Date.parse(firingSince))
  const isOver = kind === 'alert.resolved'
  const subject = `${inLine(name)} ${isOver ? 'is resolved' : 'is firing'}`
  return {
    subject: test ? `Test: ${subject}` : subject,
    before: [
      ...(test ? ['This is a test of the rule, not an alert.'] : []),
      `The alert "${inLine(name)}" ${isOver ? `is resolved. It had been firing since ${since}` : `fired at ${since}`}. It watches ${place}.`,
      `The rule: ${summary}. Measured: ${Math.floor(value)}.`,
    ],
    link: { label: 'Alert', url: urlOf({ organization: organization_slug }, 'alerts', alert_rule_id) },
    after: ['You get this mail because you manage the organization, and the rule tells its managers.'],
  }
}

/** Whether the recipient may still get the notice: the role may have changed. */
const mayBeTold = ({ kind, role }: OwedNotice): boolean =>
  kind.startsWith('budget.') ? role === 'owner' : role !== 'member'

function wordsOf(notice: OwedNotice, urlOf: PathOf): Words | undefined {
  if (notice.kind === 'webhook.disabled') return webhookWords(notice, urlOf)
  return notice.kind.startsWith('alert.') ? alertWords(notice, urlOf) : budgetWords(notice, urlOf)
}

/** `urlOf`: the full address of a console page. */
export function noticeMail(notice: OwedNotice, urlOf: PathOf): Mail | Unsendable {
  if (!isMailable(notice.recipient)) return { because: 'its address is not valid' }
  if (!mayBeTold(notice)) return { because: 'its recipient no longer manages the organization' }
  const words = wordsOf(notice, urlOf)
  return words ? mail(notice.recipient, words) : { because: 'what it is about was deleted' }
}
