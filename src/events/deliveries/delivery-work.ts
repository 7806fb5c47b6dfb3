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

interface Wired {
  dispatcher: Dispatcher
  fanOut: FanOut
  retention: DeliveryRetention
}

export class DeliveryWork {
  /** What the actor runtime has to know of deliveries. */
  readonly kind
  readonly retentionMs: number
  #wired: Wired | undefined

  constructor(private readonly parts: DeliveryWorkParts) {
    const { limits, failingMs, notices, retentionMs } = parts
    this.kind = deliveryKind({
      limits,
      failingMs,
      notices,
      post: (id, claim) => this.#work.dispatcher.begin(id, claim),
      eventsUntil: () => this.eventsUntil(),
    })
    this.retentionMs = retentionMs
  }

  /** Connects with the runtime that was given this kind, before it starts. */
  wire(actors: Actors): void {
    const { store, clock, onError, limits, ...parts } = this.parts
    const eventsUntil = () => this.eventsUntil()
    const sender = new DeliverySender({
      ...parts,
      store,
      clock,
      actors,
      leaseMs: limits.leaseMs,
      disabled: (id) => this.changed(id),
    })
    const dispatcher = new Dispatcher({
      store,
      clock,
      actors,
      eventsUntil,
      onError,
      post: (id, claim, signal) => sender.post(id, claim, signal),
    })
    const fanOut = new FanOut({
      store,
      clock,
      actors,
      eventsUntil,
      onError,
      made: (webhookIds) => {
        for (const id of new Set(webhookIds)) dispatcher.offer(id, clock.now())
      },
    })
    const retention = new DeliveryRetention({ store: store.background, clock, actors, eventsUntil })
    this.#wired = { dispatcher, fanOut, retention }
  }

  get #work(): Wired {
    if (!this.#wired) throw new Error('The work of deliveries is not wired yet.')
    return this.#wired
  }

  get retention(): DeliveryRetention {
    return this.#work.retention
  }

  /** Attempts under way at this server. */
  get inFlight(): number {
    return this.#work.dispatcher.inFlight
  }

  /** What is of events from then or earlier has expired. Epoch milliseconds. */
  eventsUntil(): number {
    return this.parts.clock.now() - this.retentionMs
  }

  /** Deliveries of the webhook have been made, in somebody else's unit of work. */
  made(webhookId: string): void {
    this.#work.dispatcher.offer(webhookId, this.parts.clock.now())
  }

  /** The webhook was enabled, disabled or deleted. */
  changed(webhookId: string): void {
    this.#work.dispatcher.changed(webhookId)
  }

  async start(): Promise<void> {
    await this.#work.dispatcher.start()
    await this.#work.fanOut.start()
  }

  /** Begins nothing more; waits for what is in flight, but not for longer than this. */
  async stop(graceMs: number): Promise<void> {
    await this.#work.fanOut.stop()
    await this.#work.dispatcher.stop(graceMs)
  }
}
