/** How a contract stands, read out of Stripe's subscriptions. Pure. Source: contract 8, "Precise points". */
import type { Stripe } from 'stripe'
import type { SubscriptionState } from '../../../machines/subscription.ts'
import type { ContractStatus } from '../provider.ts'

/** Statuses that Stripe has besides are no contract yet (`incomplete`), or never were one (`incomplete_expired`). */
const states: Record<string, SubscriptionState> = {
  active: 'active',
  trialing: 'trialing',
  past_due: 'past_due',
  unpaid: 'past_due',
  paused: 'past_due',
  canceled: 'canceled',
}

const none: ContractStatus = { status: 'none', planKey: null, interval: 'month', period: null, cancelAt: null }

const instant = (seconds: unknown): number | null =>
  typeof seconds === 'number' && Number.isFinite(seconds) ? seconds * 1_000 : null

/** Earlier versions of Stripe's API have the period here. */
type Dated = { current_period_start?: number; current_period_end?: number }

function contractStatusOf(subscription: Stripe.Subscription, status: SubscriptionState): ContractStatus {
  const item = subscription.items?.data[0]
  const dated = subscription as Dated
  const start = instant(item?.current_period_start ?? dated.current_period_start)
  const end = instant(item?.current_period_end ?? dated.current_period_end)
  return {
    status,
    planKey: item?.price?.lookup_key ?? subscription.metadata?.planKey ?? null,
    interval: item?.price?.recurring?.interval === 'year' ? 'year' : 'month',
    period: start !== null && end !== null && start < end ? { start, end } : null,
    cancelAt: instant(subscription.cancel_at) ?? (subscription.cancel_at_period_end ? end : null),
  }
}

/**
 * Of all subscriptions of a customer: the newest that runs, else the newest that has run. `live`: how many run; more than
 * one is paid twice.
 */
export function contractStatusAmong(subscriptions: readonly Stripe.Subscription[]): {
  contract: ContractStatus
  live: number
} {
  const known = [...subscriptions]
    .sort((a, b) => b.created - a.created)
    .flatMap((subscription) => {
      const status = states[subscription.status]
      return status ? [{ subscription, status }] : []
    })
  const live = known.filter(({ status }) => status !== 'canceled')
  const chosen = live[0] ?? known[0]
  return { contract: chosen ? contractStatusOf(chosen.subscription, chosen.status) : none, live: live.length }
}
