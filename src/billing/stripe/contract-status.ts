/** The state of a contract, from Stripe's subscriptions. Pure. Source: contract 8, "Precise points". */
import type { Stripe } from 'stripe'
import type { SubscriptionState } from '../../../machines/subscription.ts'
import type { ContractStatus } from '../provider.ts'

/** Stripe's other statuses are not contracts yet (`incomplete`) or never were (`incomplete_expired`). */
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
 * Of a customer's subscriptions the newest active one, else the newest former one. `live` is the number of active ones;
 * more than one is a double payment.
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
