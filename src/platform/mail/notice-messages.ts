/** What mails of notices say. Whoever reads one learns no more than the console shows: of an endpoint its host alone. */
import type { MembershipRow, NoticeRow } from '../../../storage/tables.ts'
import { isMailable } from './address.ts'
import { inLine, mail, minuteOf, type Words } from './messages.ts'
import type { Unsendable } from './outbox.ts'
import type { Mail } from './smtp.ts'

/** Where a page of the console is: of an organization, or of an Environment of one of its Projects. */
export type PathOf = (
  place: { organization: string; projectId?: string; environmentId?: string },
  ...page: string[]
) => string

/** A notice that is owed to somebody, with what it is about as it is now. */
export interface OwedNotice {
  recipient: string
  /** What the recipient is in the organization now. */
  role: MembershipRow['role']
  kind: NoticeRow['kind']
  data: string
  created_at: number
  organization: string
  organization_slug: string
  /** Null where it is of no webhook, or that is gone. */
  webhook_id: string | null
  endpoint_url: string | null
  environment_id: string | null
  environment: string | null
  project_id: string | null
  project: string | null
}

/** Of the event that tells the same. */
interface BudgetData {
  period: { end: string }
  budgetMinutes: number
}

const reasons: Record<string, string> = {
  endpoint_gone: 'The endpoint answered 410: it is gone.',
  failing: 'All of its attempts had failed for a long time, ten of them at least.',
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
        ? 'Runs that are under way go on. New ones are refused until then, or until the plan is changed.'
        : 'When all are used, new runs are refused until then.',
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
      `The webhook to ${inLine(new URL(endpoint_url).host)} was disabled at ${minuteOf(created_at)}. It is of the Environment "${inLine(notice.environment ?? '')}" of the Project "${project}", in the organization "${inLine(organization)}".`,
      `${reasons[reason] ?? ''} Until somebody enables the webhook, it gets nothing.`.trim(),
    ],
    link: { label: 'The webhook', url: urlOf(place, 'webhooks', webhook_id) },
    after: [
      'What it misses is kept, and a recovery sends it.',
      'You get this mail because you manage the organization; there is one a day at most about each webhook.',
    ],
  }
}

/** Who may still be told: whoever was given another role meanwhile may not. */
const mayBeTold = ({ kind, role }: OwedNotice): boolean =>
  kind === 'webhook.disabled' ? role !== 'member' : role === 'owner'

/** `urlOf`: the whole address of a page of the console. */
export function noticeMail(notice: OwedNotice, urlOf: PathOf): Mail | Unsendable {
  if (!isMailable(notice.recipient)) return { because: 'no mail can be sent to its address' }
  if (!mayBeTold(notice)) return { because: 'its reader does not manage the organization any more' }
  const words = notice.kind === 'webhook.disabled' ? webhookWords(notice, urlOf) : budgetWords(notice, urlOf)
  return words ? mail(notice.recipient, words) : { because: 'the webhook is gone' }
}
