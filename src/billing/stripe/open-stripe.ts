/** Stripe, loaded only if there is a key, because its library is slow to load. */
import type { Secret } from '../../platform/operating/secret.ts'
import type { Actors } from '../../runtime/actors.ts'
import { SubscriptionWork } from '../subscription-work.ts'
import { type StripeSettings, stripeClient } from './client.ts'
import { type InboxParts, StripeInbox } from './inbox.ts'
import { StripeProvider } from './provider.ts'

interface OpenStripeParts extends Omit<InboxParts, 'stripe' | 'webhookSecret' | 'work'> {
  settings: StripeSettings & { webhookSecret: Secret }
  actors: Actors
}

export function openStripe({ settings, actors, ...parts }: OpenStripeParts) {
  const stripe = stripeClient(settings)
  const provider = new StripeProvider({ ...parts, stripe })
  const work = new SubscriptionWork({ actors, provider })
  return {
    provider,
    work,
    inbox: new StripeInbox({ ...parts, stripe, webhookSecret: settings.webhookSecret, work }),
  }
}
