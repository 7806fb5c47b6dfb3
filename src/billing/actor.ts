/** The subscription as a kind of actor: its row. What it wishes for is done by `work.ts`. */
import {
  type PaymentProvider,
  type SubscriptionContext,
  type SubscriptionEvent,
  subscriptionMachine,
} from '../../machines/subscription.ts'
import { findSubscription, insertSubscription, updateSubscription } from '../../storage/billing/billing.ts'
import type { Store } from '../../storage/store.ts'
import type { SubscriptionRow } from '../../storage/tables.ts'
import type { Actor, ActorKind, Address, Applied, Change } from '../runtime/kind.ts'

export type SubscriptionActor = Actor<SubscriptionRow, SubscriptionContext>
type SubscriptionChange = Change<SubscriptionRow, SubscriptionContext, SubscriptionEvent>

/** The actor's id is the organization's. */
export const subscriptionAddress = (organizationId: string): Address => ({ kind: 'subscription', id: organizationId })

/** How it begins. */
export const subscriptionCreation = (provider: PaymentProvider) => ({
  input: { provider },
  seed: undefined,
  named: 'create',
})

const machineVersion = subscriptionMachine.version ?? '1'

function apply(
  { address, before, state, version, context, at }: SubscriptionChange,
  store: Store,
): Applied<SubscriptionRow> {
  if (before && version === before.version) return { row: before.row, writes: [] }
  const update = {
    organization_id: address.id,
    state,
    version,
    machine_version: machineVersion,
    context: JSON.stringify(context),
    updated_at: at,
  }
  if (!before) {
    const row = { ...update, created_at: at }
    return { row, writes: [insertSubscription(store, row)] }
  }
  return {
    row: { ...before.row, ...update },
    writes: [updateSubscription(store, { ...update, from: before.version })],
  }
}

export const subscriptionKind = (
  /** Asks the provider how things stand, and tells the actor. */
  refetch: (organizationId: string, report: number) => Promise<void>,
): ActorKind<SubscriptionRow, SubscriptionContext, SubscriptionEvent> => ({
  kind: 'subscription',
  machine: subscriptionMachine,
  load: (store, organizationId) => store.first<SubscriptionRow>(findSubscription(store, { organizationId })),
  snapshot: ({ state, version, machine_version, context }) => ({
    state,
    version,
    machineVersion: machine_version,
    context,
  }),
  apply,
  effects: {
    refetch: { durable: ({ report }: { report: number }, { address }) => refetch(address.id, report) },
  },
})
