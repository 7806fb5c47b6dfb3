/** Billing without HTTP: the plans, who is paid, the subscriptions and their terms. Source: contract 8. */
import type { Store } from '../../storage/store.ts'
import type { Config } from '../config.ts'
import type { Logger } from '../operating/logger.ts'
import { InvalidSetting } from '../operating/variable.ts'
import type { Actors } from '../runtime/actors.ts'
import type { Clock } from '../runtime/clock.ts'
import { deriveKey, type KeyRing } from '../secrets/keyring.ts'
import { EmbeddedProvider } from './embedded/provider.ts'
import { Tickets } from './embedded/ticket.ts'
import { Metering } from './metering/metering.ts'
import type { Plans } from './plans.ts'
import type { Provider } from './provider.ts'
import { stripeClient } from './stripe/client.ts'
import { StripeInbox } from './stripe/inbox.ts'
import { StripeProvider } from './stripe/provider.ts'
import { ContractTerms } from './terms.ts'
import { SubscriptionWork } from './work.ts'

export type BillingSettings = Pick<
  Config,
  'stripeSecretKey' | 'stripeWebhookSecret' | 'stripeBaseUrl' | 'stripeTimeoutMs' | 'environment'
>

export interface OpenBillingParts {
  settings: BillingSettings
  plans: Plans
  store: Store
  clock: Clock
  logger: Logger
  ring: KeyRing
}

/** Throws `InvalidSetting` where Stripe could take money and not tell of it. */
export function assertBillingSettings({ stripeSecretKey, stripeWebhookSecret }: BillingSettings): void {
  if (stripeSecretKey && !stripeWebhookSecret)
    throw new InvalidSetting('STRIPE_WEBHOOK_SECRET: is required with STRIPE_SECRET_KEY')
}

export class OpenBilling {
  readonly plans: Plans
  readonly work = new SubscriptionWork()
  readonly terms: ContractTerms
  /** null in production without Stripe. */
  readonly provider: Provider | null
  /** Of the embedded provider's pages; null with another provider. */
  readonly tickets: Tickets | null
  /** What organizations use, and whether there is anything left. */
  readonly usage: Metering
  /** null without Stripe. */
  readonly inbox: StripeInbox | null
  #publicUrl = (): string => ''

  constructor({ settings, plans, store, clock, logger, ring }: OpenBillingParts) {
    const { stripeSecretKey, stripeWebhookSecret, stripeBaseUrl, stripeTimeoutMs, environment } = settings
    const hasStripe = stripeSecretKey !== null && stripeWebhookSecret !== null
    this.plans = plans
    this.tickets =
      hasStripe || environment === 'production' ? null : new Tickets({ clock, key: deriveKey(ring, 'billing-pages') })
    if (hasStripe) {
      const stripe = stripeClient({
        secretKey: stripeSecretKey,
        baseUrl: stripeBaseUrl,
        timeoutMs: stripeTimeoutMs,
      })
      this.provider = new StripeProvider({ store, clock, logger, stripe })
      this.inbox = new StripeInbox({
        store,
        clock,
        logger,
        stripe,
        webhookSecret: stripeWebhookSecret,
        work: this.work,
      })
    } else {
      this.inbox = null
      this.provider =
        this.tickets && new EmbeddedProvider({ tickets: this.tickets, publicUrl: () => this.#publicUrl() })
    }
    this.terms = new ContractTerms({ store, clock, plans, provider: this.provider?.name ?? null })
    this.usage = new Metering({ store, terms: this.terms })
  }

  /** Connects with the runtime that was given this kind, before it starts. */
  wire(actors: Actors): void {
    this.work.wire({ actors, provider: this.provider })
    this.terms.follow(actors)
  }

  /** Where the pages of the embedded provider are; asked for when one is needed. */
  servedAt(publicUrl: () => string): void {
    this.#publicUrl = publicUrl
  }
}
