/**
 * Events from Stripe. Each event is stored once, together with the effect that reads the contract from Stripe; of the
 * event only the customer is used, so repetition and order do not matter. Source: contract 8, "Inbound events".
 */
import type { Stripe } from 'stripe'
import {
  deleteBillingEvent,
  findBillingEvent,
  findOrganizationOfCustomer,
  insertBillingEvent,
  listOldBillingEvents,
} from '../../../storage/billing/billing.ts'
import { UniqueViolation } from '../../../storage/errors.ts'
import type { Store } from '../../../storage/store.ts'
import { ApiError } from '../../platform/http/answers/errors.ts'
import { receiveBytes } from '../../platform/http/body/arrival.ts'
import { forEach, inBatches } from '../../platform/operating/batches.ts'
import type { Logger } from '../../platform/operating/logger.ts'
import type { Secret } from '../../platform/operating/secret.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { dayMs } from '../../platform/time/durations.ts'
import type { SubscriptionWork } from '../subscription-work.ts'

export interface InboxParts {
  store: Store
  clock: Clock
  logger: Logger
  stripe: Stripe
  webhookSecret: Secret
  work: SubscriptionWork
}

const provider = 'stripe'
const eventBytesMax = 1024 * 1024
const toleranceSeconds = 300
const idLengthMax = 255
/** Stripe retries for three days; people may resend events for a month. */
const eventsKeptMs = 30 * dayMs

interface VerifiedEvent {
  id: string
  type: string
  /** The object of the event. */
  object: Record<string, unknown>
}

const refused = () => new ApiError(400, 'invalid_signature', 'The signature is not valid, or is older than 5 minutes.')

const idOf = (value: unknown): string | undefined => {
  const id = typeof value === 'object' && value !== null ? Reflect.get(value, 'id') : value
  return typeof id === 'string' && id !== '' && id.length <= idLengthMax ? id : undefined
}

/** The customer of an event. */
const customerOf = ({ object }: VerifiedEvent): string | undefined =>
  idOf(object.object === 'customer' ? object.id : object.customer)

export class StripeInbox {
  constructor(private readonly parts: InboxParts) {}

  /** Stores an event. Throws `invalid_signature` (400), `payload_too_large` (413). */
  async take(request: Request): Promise<void> {
    const { store, clock, work } = this.parts
    const event = await this.#verified(request)
    if (await store.first(findBillingEvent(store, { id: event.id }))) return
    const organizationId = await this.#organizationOf(event)
    if (!organizationId) return
    const row = { id: event.id, organization_id: organizationId, type: event.type, received_at: clock.now() }
    try {
      await work.reported(organizationId, provider, () => [insertBillingEvent(store, row)])
    } catch (error) {
      // the same event arrived concurrently, or the organization now has another provider
      const isOver = error instanceof ApiError && error.code === 'invalid_transition'
      if (!isOver && !(error instanceof UniqueViolation)) throw error
    }
  }

  /** Deletes up to `limit` expired events; returns how many. Called periodically. */
  prune(limit: number): Promise<number> {
    const { background: store } = this.parts.store
    const before = this.parts.clock.now() - eventsKeptMs
    return inBatches(limit, async (some) =>
      forEach(await store.all(listOldBillingEvents(store, { before, limit: some })), ({ id }) =>
        store.commit([deleteBillingEvent(store, { id })]),
      ),
    )
  }

  async #verified(request: Request): Promise<VerifiedEvent> {
    const { stripe, webhookSecret, clock } = this.parts
    const signature = request.headers.get('stripe-signature')
    if (signature === null) throw refused()
    const payload = await receiveBytes(request, eventBytesMax)
    let event: unknown
    try {
      event = await stripe.webhooks.constructEventAsync(
        payload as Buffer,
        signature,
        webhookSecret.reveal(),
        toleranceSeconds,
        undefined,
        clock.now(),
      )
    } catch {
      throw refused()
    }
    const { id, type, data } = Object(event) as { id?: unknown; type?: unknown; data?: { object?: unknown } }
    const known = idOf(id)
    if (!known || typeof type !== 'string') throw refused()
    return { id: known, type: type.slice(0, idLengthMax), object: Object(data?.object ?? {}) }
  }

  /** The Stripe account may have customers of other applications. */
  async #organizationOf(event: VerifiedEvent): Promise<string | undefined> {
    const { store, logger } = this.parts
    const customerId = customerOf(event)
    const found = customerId && (await store.first(findOrganizationOfCustomer(store, { provider, customerId })))
    if (found) return found.organization_id
    const named = Object(event.object.metadata ?? {}).organizationId
    if (typeof named === 'string' && event.type.startsWith('customer.subscription.'))
      logger.warn(
        { event: event.id, type: event.type },
        'Stripe sent an event for the subscription of a deleted organization',
      )
    return undefined
  }
}
