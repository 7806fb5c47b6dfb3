/** Billing without HTTP: plans, payment provider, subscriptions and terms. Source: contract 8. */
import type { Store } from '../../storage/store.ts'
import type { Config } from '../config.ts'
import type { Logger } from '../platform/operating/logger.ts'
import { InvalidSetting } from '../platform/operating/variable.ts'
import { deriveKey, type KeyRing } from '../platform/secrets/keyring.ts'
import type { Clock } from '../platform/time/clock.ts'
import type { Actors } from '../runtime/actors.ts'
import { EmbeddedProvider } from './embedded/provider.ts'
import { Tickets } from './embedded/ticket.ts'
import { Metering } from './metering/metering.ts'
import type { Plans } from './plans.ts'
import type { Provider } from './provider.ts'
import type { StripeInbox } from './stripe/inbox.ts'
import { SubscriptionWork } from './subscription-work.ts'
import { ContractTerms } from './terms.ts'

type BillingSettings = Pick<
  Config,
  'stripeSecretKey' | 'stripeWebhookSecret' | 'stripeBaseUrl' | 'stripeTimeoutMs' | 'environment'
>

interface OpenBillingParts {
  settings: BillingSettings
  plans: Plans
  store: Store
  clock: Clock
  actors: Actors
  logger: Logger
  ring: KeyRing
  /** The origin of the embedded provider's pages; known once the server listens. */
  publicUrl(): string
}

/** Throws `InvalidSetting` if Stripe is configured without its webhook secret. */
export function assertBillingSettings({ stripeSecretKey, stripeWebhookSecret }: BillingSettings): void {
  if (stripeSecretKey && !stripeWebhookSecret)
    throw new InvalidSetting('STRIPE_WEBHOOK_SECRET: is required with STRIPE_SECRET_KEY')
}

export class OpenBilling {
  readonly plans: Plans
  readonly terms: ContractTerms
  /** The usage of organizations and their remaining budgets. */
  readonly usage: Metering

  private constructor(
    { plans, store, clock, actors }: OpenBillingParts,
    readonly work: SubscriptionWork,
    /** null in production without Stripe. */
    readonly provider: Provider | null,
    /** null without Stripe. */
    readonly inbox: StripeInbox | null,
    /** For the embedded provider's pages; null with another provider. */
    readonly tickets: Tickets | null,
  ) {
    this.plans = plans
    this.terms = new ContractTerms({ store, clock, plans, provider: provider?.name ?? null })
    this.terms.follow(actors)
    this.usage = new Metering({ store, terms: this.terms })
  }

  /** Stripe if there is a key, else the embedded provider where it is allowed, else none. */
  static async open(parts: OpenBillingParts): Promise<OpenBilling> {
    const { settings, store, clock, actors, logger, ring, publicUrl } = parts
    const { stripeSecretKey, stripeWebhookSecret, stripeBaseUrl, stripeTimeoutMs, environment } = settings
    if (stripeSecretKey !== null && stripeWebhookSecret !== null) {
      const { openStripe } = await import('./stripe/open-stripe.ts')
      const { provider, work, inbox } = openStripe({
        settings: {
          secretKey: stripeSecretKey,
          webhookSecret: stripeWebhookSecret,
          baseUrl: stripeBaseUrl,
          timeoutMs: stripeTimeoutMs,
        },
        store,
        clock,
        actors,
        logger,
      })
      return new OpenBilling(parts, work, provider, inbox, null)
    }
    if (environment === 'production') {
      return new OpenBilling(parts, new SubscriptionWork({ actors, provider: null }), null, null, null)
    }
    const tickets = new Tickets({ clock, key: deriveKey(ring, 'billing-pages') })
    const provider = new EmbeddedProvider({ tickets, publicUrl })
    return new OpenBilling(parts, new SubscriptionWork({ actors, provider }), provider, null, tickets)
  }
}
