/** The subscription as a kind of actor: its row. `subscription-work.ts` has its effects. */
import {
  type PaymentProvider,
  type SubscriptionContext,
  type SubscriptionEvent,
  subscriptionMachine,
} from '../../machines/subscription.ts'
import { findSubscription, insertSubscription, updateSubscription } from '../../storage/billing/billing.ts'
import { forgetBudgetMarks } from '../../storage/billing/usage.ts'
import type { SubscriptionRow } from '../../storage/tables.ts'
import { isBound, may } from '../platform/http/guard/authorization-scope.ts'
import { timestamp, timestampOrNull } from '../platform/http/timestamp.ts'
import { defineActor } from '../runtime/define-actor.ts'
import type { Actor, Address } from '../runtime/kind.ts'

export type SubscriptionActor = Actor<SubscriptionRow, SubscriptionContext>

/** The actor's id is the organization's. */
export const subscriptionAddress = (organizationId: string): Address => ({ kind: 'subscription', id: organizationId })

/** The initial state. */
export const subscriptionCreation = (provider: PaymentProvider) => ({
  input: { provider },
  seed: undefined,
  named: 'create',
})

export const subscriptionKind = (
  /** Reads the contract from the provider and reports it to the actor. */
  refetch: (organizationId: string, report: number) => Promise<void>,
) =>
  defineActor<SubscriptionRow, SubscriptionContext, SubscriptionEvent, undefined>({
    machine: subscriptionMachine,
    isRemembered: true,
    table: {
      get: (store, { id }) => findSubscription(store, { organizationId: id }),
      insert: insertSubscription,
      update: updateSubscription,
    },
    seeded: (_, { id }) => ({ organization_id: id }),
    // another plan has another budget
    moved: ({ organization_id: organizationId }, { context: { planKey, period } }, store, before) =>
      period && planKey !== before.context.planKey
        ? [forgetBudgetMarks(store, { organizationId, periodStart: period.start })]
        : [],
    effects: {
      refetch: { durable: ({ report }: { report: number }, { address }) => refetch(address.id, report) },
    },
    view: {
      permission: 'billing:read',
      async isVisible(store, caller, id) {
        const { organizationId } = caller
        if (id !== organizationId || isBound(caller) || !may(caller, 'billing:read', null)) return false
        return (await store.first(findSubscription(store, { organizationId }))) !== undefined
      },
      show: ({ provider, planKey, interval, period, cancelAt, reports, written }) => ({
        provider,
        planKey,
        interval,
        period: period && { start: timestamp(period.start), end: timestamp(period.end) },
        cancelAt: timestampOrNull(cancelAt),
        reports,
        written,
      }),
    },
  })
