/** All that happens to deliveries without being asked for: they are made of events, posted, and removed in the end. */
import type { DeliveryLimits } from '../../../machines/delivery.ts'
import type { Store } from '../../../storage/store.ts'
import type { Notices } from '../../platform/mail/notices.ts'
import type { Logger } from '../../platform/operating/logger.ts'
import type { OutboundClient } from '../../platform/outbound/client.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Actors } from '../../runtime/actors.ts'
import type { SigningSecrets } from '../webhooks/signing-secrets.ts'
import { deliveryKind } from './actor.ts'
import { DeliverySender } from './delivery-sender.ts'
import { Dispatcher } from './dispatcher.ts'
import { FanOut } from './fan-out.ts'
import { DeliveryRetention } from './retention.ts'

export interface DeliveryWorkParts {
  store: Store
  clock: Clock
  actors: Actors
  logger: Logger
  outbound: OutboundClient
  secrets: SigningSecrets
  limits: DeliveryLimits
  timeoutMs: number
  failingMs: number
  /** Tells people by mail; null where no mail server is set up. */
  notices: Pick<Notices, 'ofDisabledWebhook'> | null
  /** Of events, and with them of their deliveries. */
  retentionMs: number
  onError(error: unknown, what: string): void
}

export class DeliveryWork {
  /** What the actor runtime has to know of deliveries. */
  readonly kind
  readonly retentionMs: number
  readonly retention: DeliveryRetention
  readonly #clock: Clock
  readonly #dispatcher: Dispatcher
  readonly #fanOut: FanOut

  constructor(parts: DeliveryWorkParts) {
    const { store, clock, actors, limits, failingMs, notices, retentionMs, onError } = parts
    this.retentionMs = retentionMs
    this.#clock = clock
    this.kind = deliveryKind({
      limits,
      failingMs,
      notices,
      post: (id, claim) => this.#dispatcher.begin(id, claim),
      eventsUntil: () => this.eventsUntil(),
    })
    const eventsUntil = () => this.eventsUntil()
    const sender = new DeliverySender({
      ...parts,
      leaseMs: limits.leaseMs,
      disabled: (id) => this.changed(id),
    })
    this.#dispatcher = new Dispatcher({
      store,
      clock,
      actors,
      eventsUntil,
      onError,
      post: (id, claim, signal) => sender.post(id, claim, signal),
    })
    this.#fanOut = new FanOut({
      store,
      clock,
      actors,
      eventsUntil,
      onError,
      made: (webhookIds) => {
        for (const id of new Set(webhookIds)) this.#dispatcher.offer(id, clock.now())
      },
    })
    this.retention = new DeliveryRetention({ store: store.background, clock, actors, eventsUntil })
  }

  /** Attempts under way at this server. */
  get inFlight(): number {
    return this.#dispatcher.inFlight
  }

  /** What is of events from then or earlier has expired. Epoch milliseconds. */
  eventsUntil(): number {
    return this.#clock.now() - this.retentionMs
  }

  /** Deliveries of the webhook have been made, in somebody else's unit of work. */
  made(webhookId: string): void {
    this.#dispatcher.offer(webhookId, this.#clock.now())
  }

  /** The webhook was enabled, disabled or deleted. */
  changed(webhookId: string): void {
    this.#dispatcher.changed(webhookId)
  }

  async start(): Promise<void> {
    await this.#dispatcher.start()
    await this.#fanOut.start()
  }

  /** Begins nothing more; waits for what is in flight, but not for longer than this. */
  async stop(graceMs: number): Promise<void> {
    await this.#fanOut.stop()
    await this.#dispatcher.stop(graceMs)
  }
}
