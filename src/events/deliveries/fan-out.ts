/**
 * Creates deliveries from an Environment's history. A pointer follows the history; it commits together with the
 * deliveries, so that a crash neither loses nor duplicates any. Source: requirement 6.1; contract 7.
 */

import { StaleWrite } from '../../../storage/errors.ts'
import {
  advancePointer,
  getHead,
  getPointer,
  listBehind,
  listEventsAfter,
  listSubscribers,
} from '../../../storage/events/webhook-fan-out.ts'
import type { Store, Write } from '../../../storage/store.ts'
import type { Hints } from '../../platform/bus/hints.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { Poller } from '../../platform/time/poller.ts'
import type { Actors } from '../../runtime/actors.ts'
import { lookAgainMs, slotsOf, type WorkShare } from '../../runtime/work-share.ts'
import { onHistoryGrown } from '../history/listeners.ts'
import type { DeliveryTraces } from './delivery-traces.ts'
import type { Dispatcher } from './dispatcher.ts'
import { newDelivery } from './new-delivery.ts'

export interface FanOutParts {
  store: Store
  clock: Clock
  /** The owner of its slot follows the history of an Environment. */
  members: WorkShare
  /** Omitted: there is only one server. */
  hints?: Hints
  actors: Actors
  /** Events up to this time have expired. */
  eventsUntil(): number
  /** Waiting deliveries of these webhooks were created. */
  made(webhookIds: readonly string[]): void
  /** Claims deliveries as they are created; omitted: none are claimed. */
  dispatcher?: Pick<Dispatcher, 'reserve' | 'release'>
  /** null: traces are disabled. */
  traces?: DeliveryTraces | null
  onError(error: unknown, what: string): void
}

/** Events per step, and deliveries after which a step ends. */
const eventsMax = 100
const deliveriesEnough = 200
const triesMax = 5
const againMs = 1_000
/** The interval at which all Environments are checked. */
const surveyMs = 60_000
const surveyPage = 100

/** A webhook that subscribes to one kind of event. */
type Subscriber = { id: string; organization_id: string; project_id: string; after_sequence: number }

export class FanOut {
  readonly #poller: Poller
  /** Environments whose history may be ahead of the pointer, in turns. */
  readonly #ahead = new Set<string>()
  #scheduled = false
  #surveyAt = Number.NEGATIVE_INFINITY
  #unsubscribe = () => {}

  constructor(private readonly parts: FanOutParts) {
    this.#poller = new Poller(parts.clock, () => this.#look())
    parts.hints?.on('env', (environmentId) => {
      if (parts.members.owns(environmentId)) this.#hint(environmentId)
    })
  }

  /** Continues the work of earlier processes and follows the histories. */
  start(): Promise<void> {
    const { store, members } = this.parts
    const unfollow = onHistoryGrown(store, (environmentId) => this.#hint(environmentId))
    const unlisten = members.onChange(() => {
      this.#surveyAt = Number.NEGATIVE_INFINITY
      void this.#poller.now()
    })
    this.#unsubscribe = () => {
      unfollow()
      unlisten()
    }
    return this.#poller.start()
  }

  async stop(): Promise<void> {
    this.#unsubscribe()
    await this.#poller.stop()
  }

  /** Called within a commit, which must not wait. */
  #hint(environmentId: string): void {
    if (!this.parts.members.owns(environmentId)) {
      this.parts.hints?.tell('env', environmentId)
      return
    }
    this.#ahead.add(environmentId)
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      if (this.#poller.running) void this.#poller.now()
    })
  }

  /** Processes all histories that may be ahead. Returns the time of the next poll. */
  async #look(): Promise<number> {
    const { clock, onError } = this.parts
    try {
      if (clock.now() >= this.#surveyAt) await this.#survey()
      for (const environmentId of this.#ahead) {
        if (!this.#poller.running) break
        // removed first, so that events arriving now queue it again
        this.#ahead.delete(environmentId)
        if (await this.#advance(environmentId)) this.#ahead.add(environmentId)
      }
      return this.#surveyAt
    } catch (error) {
      onError(error, 'the fan-out of events')
      return clock.now() + againMs
    }
  }

  async #survey(): Promise<void> {
    const { store, clock, members } = this.parts
    let after = ''
    for (;;) {
      const behind = await store.all(listBehind(store, { after, slots: slotsOf(members), limit: surveyPage }))
      for (const { environment_id } of behind) this.#ahead.add(environment_id)
      after = behind.at(-1)?.environment_id ?? after
      if (behind.length < surveyPage) break
    }
    this.#surveyAt = clock.now() + lookAgainMs(members, surveyMs)
  }

  /** One step of one Environment. Returns whether there may be more. */
  async #advance(environmentId: string): Promise<boolean> {
    const { store, made, members } = this.parts
    for (let tries = 1; ; tries += 1) {
      const claimed: string[] = []
      try {
        const step = await this.#plan(environmentId, claimed)
        if (!step) return false
        await store.commit(step.writes, step.organizationId)
        if (step.webhookIds.length > 0) made(step.webhookIds)
        return step.isMore
      } catch (error) {
        for (const id of claimed) this.parts.dispatcher?.release(id)
        // the server that owns the history now has advanced the pointer
        if (error instanceof StaleWrite && !members.owns(environmentId)) return false
        // a webhook was disabled or deleted since it was read
        if (error instanceof StaleWrite && tries < triesMax) continue
        this.#ahead.add(environmentId)
        throw error
      }
    }
  }

  /**
   * The next step; undefined if there is no pointer or it is at the head. Adds deliveries that it creates as claimed to
   * `claimed`.
   */
  async #plan(environmentId: string, claimed: string[]) {
    const { store, eventsUntil } = this.parts
    const pointer = await store.first(getPointer(store, { environmentId }))
    if (!pointer) return undefined
    const from = pointer.sequence
    // read before the events, so that none in between is skipped
    const head = (await store.first(getHead(store, { environmentId })))?.sequence ?? 0
    if (head <= from) return undefined
    const events = await store.all(listEventsAfter(store, { environmentId, after: from, limit: eventsMax }))

    const horizon = eventsUntil()
    const subscribers = new Map<string, Subscriber[]>()
    const writes: Write[] = []
    const webhookIds: string[] = []
    let organizationId: string | null = null
    // the events after the pointer have expired
    let to = events.length === 0 ? head : from
    for (const event of events) {
      if (webhookIds.length + claimed.length >= deliveriesEnough) break
      to = event.sequence
      if (event.at <= horizon) continue
      const known = subscribers.get(event.type) ?? (await this.#subscribersOf(environmentId, event.type))
      subscribers.set(event.type, known)
      for (const subscriber of known) {
        if (event.sequence <= subscriber.after_sequence) continue
        const { id: webhookId, organization_id } = subscriber
        const claims = (id: string) => {
          const isClaimed = this.parts.dispatcher?.reserve(id, webhookId, organization_id) ?? false
          if (isClaimed) claimed.push(id)
          return isClaimed
        }
        const webhook = { ...subscriber, environment_id: environmentId }
        const made = await newDelivery(this.parts, event, webhook, claims)
        writes.push(...made.writes)
        if (!made.isClaimed) webhookIds.push(webhookId)
        organizationId = subscriber.organization_id
      }
    }
    writes.push(advancePointer(store, { environmentId, from, to }))
    return {
      writes,
      webhookIds,
      organizationId,
      isMore: events.length === eventsMax || to < (events.at(-1)?.sequence ?? to),
    }
  }

  #subscribersOf(environmentId: string, type: string): Promise<Subscriber[]> {
    const { store } = this.parts
    return store.all<Subscriber>(listSubscribers(store, { environmentId, type }))
  }
}
