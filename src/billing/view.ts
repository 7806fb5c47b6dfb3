/** Subscriptions as the statechart API shows them. Source: contract 9, "Statecharts". */
import type { SubscriptionContext } from '../../machines/subscription.ts'
import { findSubscription } from '../../storage/billing/billing.ts'
import type { Store } from '../../storage/store.ts'
import { isBound, may } from '../platform/http/guard/authorization-scope.ts'
import { timestamp, timestampOrNull } from '../platform/http/timestamp.ts'
import type { AnyKind } from '../runtime/kind.ts'
import type { ActorView } from '../runtime/statecharts/live/watch.ts'

const readPermission = 'billing:read'

export const subscriptionView = (definition: AnyKind, store: Store): ActorView => ({
  definition,
  readPermission,
  async find(caller, id) {
    const { organizationId } = caller
    if (id !== organizationId || isBound(caller) || !may(caller, readPermission, null)) return false
    return (await store.first(findSubscription(store, { organizationId }))) !== undefined
  },
  redact: ({ provider, planKey, interval, period, cancelAt, reports, written }: SubscriptionContext) => ({
    provider,
    planKey,
    interval,
    period: period && { start: timestamp(period.start), end: timestamp(period.end) },
    cancelAt: timestampOrNull(cancelAt),
    reports,
    written,
  }),
})
