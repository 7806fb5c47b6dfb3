/** Stripe, for a deployment that has a key: loaded only there, for its library takes its time to load. */
import type { Secret } from '../../platform/operating/secret.ts'
import type { SubscriptionWork } from '../subscription-work.ts'
import { type StripeSettings, stripeClient } from './client.ts'
import { type InboxParts, StripeInbox } from './inbox.ts'
import { StripeProvider } from './provider.ts'

export interface OpenStripeParts extends Omit<InboxParts, 'stripe' | 'webhookSecret' | 'work'> {
  settings: StripeSettings & { webhookSecret: Secret }
  work: SubscriptionWork
}

export function openStripe({ settings, work, ...parts }: OpenStripeParts) {
  const stripe = stripeClient(settings)
  return {
    provider: new StripeProvider({ ...parts, stripe }),
    inbox: new StripeInbox({ ...parts, stripe, webhookSecret: settings.webhookSecret, work }),
  }
}
