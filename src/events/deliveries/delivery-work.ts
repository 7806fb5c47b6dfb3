/** The background work of deliveries: creates them from events, posts them, removes them. */

import type { DeliveryLimits } from '../../../machines/delivery.ts'
import type { Store } from '../../../storage/store.ts'
import type { Hints } from '../../platform/bus/hints.ts'
import type { Notices } from '../../platform/mail/notices.ts'
import type { Logger } from '../../platform/operating/logger.ts'
import type { OutboundClient } from '../../platform/outbound/client.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Actors } from '../../runtime/actors.ts'
import type { WorkShare } from '../../runtime/work-share.ts'
import type { SigningSecrets } from '../webhooks/signing-secrets.ts'
import { deliveryKind } from './actor.ts'
import { DeliverySender } from './delivery-sender.ts'
import type { DeliveryTraces } from './delivery-traces.ts'
import { Dispatcher } from './dispatcher.ts'
import { FanOut } from './fan-out.ts'
import { DeliveryRetention } from './retention.ts'

interface DeliveryWorkParts {
  store: Store
  clock: Clock
  /** The servers of the store. */
  members: WorkShare
  /** Omitted: there is only one server. */
  hints?: Hints
  actors: Actors
  logger: Logger
  outbound: OutboundClient
  secrets: SigningSecrets
  limits: DeliveryLimits
  timeoutMs: number
  failingMs: number
  /** Mails members; null if no mail server is configured. */
  notices: Pick<Notices, 'ofDisabledWebhook'> | null
  /** The retention of events and their deliveries. */
  retentionMs: number
  /** null: traces are disabled. */
  traces?: DeliveryTraces | null
  onError(error: unknown, what: string): void
}

export class DeliveryWork {
  /** The definition for the actor runtime. */
  readonly kind
  readonly retentionMs: number
  readonly retention: DeliveryRetention
  readonly #clock: Clock
  readonly #dispatcher: Dispatcher
  readonly #fanOut: FanOut
  readonly #traces: DeliveryTraces | null

  constructor(parts: DeliveryWorkParts) {
    const {
      store,
      clock,
      members,
      hints,
      actors,
      limits,
      failingMs,
      notices,
      retentionMs,
      traces = null,
      onError,
    } = parts
    this.retentionMs = retentionMs
    this.#traces = traces
    this.#clock = clock
    this.kind = deliveryKind({
      limits,
      failingMs,
      notices,
      traces,
      post: (id, claim) => this.#dispatcher.begin(id, claim),
      isUnderWay: (id) => this.#dispatcher.isUnderWay(id),
      eventsUntil: () => this.eventsUntil(),
    })
    const eventsUntil = () => this.eventsUntil()
    const share = { members, ...(hints && { hints }) }
    const sender = new DeliverySender({
      ...parts,
      leaseMs: limits.leaseMs,
      disabled: (id) => this.changed(id),
    })
    this.#dispatcher = new Dispatcher({
      ...share,
      store,
      clock,
      actors,
      eventsUntil,
      onError,
      post: (id, claim, signal) => sender.post(id, claim, signal),
    })
    this.#fanOut = new FanOut({
      ...share,
      store,
      clock,
      actors,
      eventsUntil,
      traces,
      onError,
      dispatcher: this.#dispatcher,
      made: (webhookIds) => {
        for (const id of new Set(webhookIds)) this.#dispatcher.offer(id, clock.now())
      },
    })
    this.retention = new DeliveryRetention({ store: store.background, clock, actors, eventsUntil })
  }

  /** Running attempts of this process. */
  get inFlight(): number {
    return this.#dispatcher.inFlight
  }

  /** Events up to this time have expired, with their deliveries. Epoch milliseconds. */
  eventsUntil(): number {
    return this.#clock.now() - this.retentionMs
  }

  /** The span of a delivery that a request creates, as stored; null without traces. */
  traceInRequest(): string | null {
    return this.#traces?.beginInRequest() ?? null
  }

  /** Another unit of work has created deliveries of the webhook. */
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

  /** Starts no more attempts; waits up to `graceMs` for those in flight. */
  async stop(graceMs: number): Promise<void> {
    await this.#fanOut.stop()
    await this.#dispatcher.stop(graceMs)
  }
}
