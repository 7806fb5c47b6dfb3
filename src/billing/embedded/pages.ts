/** The pages of the embedded provider: a checkout and a portal for developers. Source: contract 8. */
import { isContract } from '../../../machines/subscription.ts'
import type { Contract } from '../contract.ts'
import type { Plan } from '../plans.ts'
import { page, text } from './html.ts'
import type { Ticket } from './ticket.ts'

export interface PageFacts {
  organizationName: string
  contract: Contract
  /** The events that the subscription accepts now. */
  possible: ReadonlySet<string>
  plans: readonly Plan[]
  /** The result of the last click, if it needs a message. */
  notice?: string
}

const day = (at: number) => new Date(at).toISOString().slice(0, 10)

const priceOf = ({ price: { amount, currency, interval } }: Plan): string => {
  const money = new Intl.NumberFormat('en', { style: 'currency', currency })
  const digits = money.resolvedOptions().maximumFractionDigits ?? 2
  return `${money.format(amount / 10 ** digits)} a ${interval}`
}

const facts = (rows: readonly (readonly [string, string])[]) =>
  `<dl>${rows.map(([term, value]) => `<dt>${text(term)}</dt><dd>${text(value)}</dd>`).join('')}</dl>`
const noticeBox = (notice: string | undefined) => (notice ? `<p role="status">${text(notice)}</p>` : '')
const button = (action: string, label: string) =>
  `<button type="submit" name="action" value="${action}">${text(label)}</button>`
const form = (content: string) => `<form method="post">${content}</form>`
const link = (url: string, label: string) => `<p><a href="${text(url)}">${text(label)}</a></p>`

/** The page to pay for a plan. */
export function checkoutPage(
  { planKey, cancelUrl }: Extract<Ticket, { to: 'checkout' }>,
  { organizationName, possible, plans, notice }: PageFacts,
): string {
  const plan = plans.find((each) => each.planKey === planKey)
  const rows = [['Organization', organizationName] as const]
  if (!plan || !possible.has('pay')) {
    const why = plan
      ? 'The organization already has a contract; use the portal to change it.'
      : 'The plan no longer exists.'
    return page('Checkout', `${noticeBox(notice ?? why)}${facts(rows)}${link(cancelUrl, 'Back')}`)
  }
  const terms = [['Plan', plan.name] as const, ['Price', priceOf(plan)] as const]
  return page(
    'Checkout',
    `${noticeBox(notice)}${facts([...rows, ...terms])}${form(button('pay', 'Pay') + button('leave', 'Cancel'))}`,
  )
}

/** The page to manage the contract. */
export function portalPage(
  { returnUrl }: Extract<Ticket, { to: 'portal' }>,
  { organizationName, contract, possible, plans, notice }: PageFacts,
): string {
  const { planKey, status, period, cancelAt, paid } = contract
  const plan = plans.find((each) => each.planKey === planKey)
  const rows = [
    ['Organization', organizationName],
    ['Plan', plan?.name ?? planKey],
    ['Status', status],
    ['Period', `${day(period.start)} to ${day(period.end)}`],
    ...(cancelAt === null ? [] : [['Ends', day(cancelAt)]]),
  ] as [string, string][]
  const others = plans.filter(({ planKey: key, price }) => key !== planKey && price.amount > 0)
  const choices = others.map(
    (each, index) =>
      `<label><input type="radio" name="plan" value="${text(each.planKey)}"${index === 0 ? ' checked' : ''}> ${text(
        `${each.name}, ${priceOf(each)}`,
      )}</label>`,
  )
  const changes =
    possible.has('changePlan') && others.length > 0
      ? form(
          `<fieldset><legend>Another plan</legend>${choices.join('')}${button('changePlan', 'Change plan')}</fieldset>`,
        )
      : ''
  const moves = [
    ['cancelAtPeriodEnd', "Cancel at the period's end"],
    ['resume', 'Keep the contract'],
    ['cancel', 'Cancel now'],
  ].flatMap(([event = '', label = '']) => (possible.has(event) ? [button(event, label)] : []))
  const over = paid || !isContract(status) ? notice : (notice ?? 'There is no active contract.')
  return page(
    'Subscription',
    `${noticeBox(over)}${facts(rows)}${changes}${moves.length > 0 ? form(moves.join('')) : ''}${link(returnUrl, 'Back')}`,
  )
}

/** The address is invalid or has expired. */
export const gonePage = (): string =>
  page('Not here', '<p>This address is not valid or has expired. Start again in the console.</p>')
