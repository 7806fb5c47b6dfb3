/**
 * Schedules deliveries round-robin by webhook. The store is the queue; memory holds only which webhooks may have due
 * deliveries, and what is in flight. A slow endpoint uses at most its share of slots and delays no other. Source:
 * contract 7, "At most 5 in flight per subscription and 200 per process, round-robin"; trust 2.2.
 */

import { listDueDeliveries, listInFlight, nextDueDelivery } from '../../../storage/events/deliveries.ts'
import type { Store } from '../../../storage/store.ts'
import type { DeliveryRow } from '../../../storage/tables.ts'
import type { Hints } from '../../platform/bus/hints.ts'
import { ApiError } from '../../platform/http/answers/errors.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { Poller } from '../../platform/time/poller.ts'
import type { Actors } from '../../runtime/actors.ts'
import { lookAgainMs, slotsOf, type WorkShare } from '../../runtime/work-share.ts'
import { deliveryAddress } from './actor.ts'
import { DueTimes } from './due-times.ts'
import { eachWaitingWebhook } from './waiting-webhooks.ts'

export interface DispatcherParts {
  store: Store
  clock: Clock
  /** A webhook's deliveries are made by the owner of its slot. */
  members: WorkShare
  /** Omitted: there is only one server. */
  hints?: Hints
  actors: Actors
  /** Makes one attempt and reports it. */
  post(id: string, claim: number, signal: AbortSignal): Promise<void>
  /** Events up to this time have expired. */
  eventsUntil(): number
  onError(error: unknown, what: string): void
}

const inFlightMax = 200
const inFlightOfWebhookMax = 5
/** Deliveries read ahead per webhook. */
const windowMax = 10
/** The interval at which all webhooks are checked, in case a hint was lost. */
const surveyMs = 60_000
/** The delay before a delivery that could not be claimed is tried again. */
const claimSoonMs = 500
const claimAgainMs = 5_000

/** The state of one webhook with deliveries in flight or due. */
interface WebhookQueue {
  /** Due deliveries, the longest due first. */
  window: string[]
  inFlight: number
  /** Deliveries may have become due since the last query. */
  hinted: boolean
}

export class Dispatcher {
  readonly #poller: Poller
  readonly #queues = new Map<string, WebhookQueue>()
  /** Webhooks in the order of their turns. */
  readonly #roundRobin = new Set<string>()
  readonly #dueTimes = new DueTimes()
  /** Claimed deliveries and their webhooks. */
  readonly #inFlight = new Map<string, string>()
  /** Deliveries that could not be claimed, with the time of the next try. */
  readonly #failing = new Map<string, number>()
  readonly #claims = new Set<Promise<void>>()
  readonly #posts = new Set<Promise<void>>()
  readonly #aborted = new AbortController()
  #surveyAt = Number.NEGATIVE_INFINITY
  #unsubscribe = () => {}

  constructor(private readonly parts: DispatcherParts) {
    this.#poller = new Poller(parts.clock, () => this.#look())
    parts.hints?.on('due', (webhookId) => {
      if (parts.members.owns(webhookId)) this.offer(webhookId, parts.clock.now())
    })
  }

  /** Continues the work of earlier processes. */
  start(): Promise<void> {
    const { actors, members } = this.parts
    const unfollow = actors.subscribe({ kind: 'delivery' }, ({ actor }) => {
      const { webhook_id, due_at } = actor.row as DeliveryRow
      if (due_at !== null) this.offer(webhook_id, due_at)
    })
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

  /** Claims nothing more, waits for attempts in flight, then aborts them; their leases lapse. */
  async stop(graceMs: number): Promise<void> {
    this.#unsubscribe()
    await this.#poller.stop()
    const timer = setTimeout(() => this.#aborted.abort(new Error('The server stops.')), graceMs)
    await Promise.all(this.#claims)
    await Promise.all(this.#posts)
    clearTimeout(timer)
  }

  /** A delivery of this webhook is or will be due. */
  offer(webhookId: string, dueAt: number): void {
    if (!this.parts.members.owns(webhookId)) {
      if (dueAt <= this.parts.clock.now()) this.parts.hints?.tell('due', webhookId)
      return
    }
    if (dueAt > this.parts.clock.now()) {
      this.#dueTimes.set(webhookId, dueAt)
      this.#poller.expect(dueAt)
      return
    }
    this.#hint(webhookId)
    this.#lookAgain()
  }

  /** The webhook was enabled, disabled or deleted: discards what was read. */
  changed(webhookId: string): void {
    const queue = this.#queues.get(webhookId)
    if (queue) queue.window = []
    this.offer(webhookId, this.parts.clock.now())
  }

  /**
   * Reserves a slot for a new delivery, which is then created as claimed: this saves a unit of work per delivery. False
   * if other deliveries of the webhook wait, or no slot is free. The caller then calls `begin` in the commit, or
   * `release`.
   */
  reserve(id: string, webhookId: string): boolean {
    const { members, clock } = this.parts
    if (!this.#poller.running || members.living.size > 1 || !members.owns(webhookId)) return false
    if (this.#inFlight.size + this.#roundRobin.size >= inFlightMax) return false
    const queue = this.#queues.get(webhookId)
    const waits = queue && (queue.hinted || queue.window.length > 0 || queue.inFlight >= inFlightOfWebhookMax)
    if (waits || this.#dueTimes.isDue(webhookId, clock.now())) return false
    this.#inFlight.set(id, webhookId)
    this.#queueOf(webhookId).inFlight += 1
    return true
  }

  /** The claim was committed. */
  begin(id: string, claim: number): void {
    const post = this.parts
      .post(id, claim, this.#aborted.signal)
      .catch((error) => {
        if (!this.#aborted.signal.aborted) this.parts.onError(error, `the delivery ${id}`)
      })
      .finally(() => {
        this.#posts.delete(post)
        this.release(id)
      })
    this.#posts.add(post)
  }

  /** Running attempts of this process. */
  get inFlight(): number {
    return this.#posts.size
  }

  #queueOf(webhookId: string): WebhookQueue {
    let queue = this.#queues.get(webhookId)
    if (!queue) {
      queue = { window: [], inFlight: 0, hinted: false }
      this.#queues.set(webhookId, queue)
    }
    return queue
  }

  #hint(webhookId: string): void {
    const queue = this.#queueOf(webhookId)
    queue.hinted = true
    if (queue.inFlight < inFlightOfWebhookMax) this.#roundRobin.add(webhookId)
  }

  #lookAgain(): void {
    if (this.#poller.running) void this.#poller.now()
  }

  /** Serves webhooks in turns while there is capacity. Returns the time of the next poll. */
  async #look(): Promise<number> {
    const { clock, onError } = this.parts
    try {
      if (clock.now() >= this.#surveyAt) await this.#survey()
      for (const webhookId of this.#dueTimes.take(clock.now())) this.#hint(webhookId)
      for (const webhookId of this.#roundRobin) {
        if (this.#inFlight.size >= inFlightMax || !this.#poller.running) break
        this.#roundRobin.delete(webhookId)
        await this.#serve(webhookId)
      }
    } catch (error) {
      onError(error, 'the dispatcher of deliveries')
      return clock.now() + claimAgainMs
    }
    return Math.min(this.#surveyAt, this.#dueTimes.from)
  }

  /** Claims one delivery of this webhook; if there may be more, queues it again behind the others. */
  async #serve(webhookId: string): Promise<void> {
    const queue = this.#queueOf(webhookId)
    if (!this.parts.members.owns(webhookId)) {
      // another server owns its slot now
      queue.window = []
      if (queue.inFlight === 0) this.#queues.delete(webhookId)
      return
    }
    if (queue.inFlight >= inFlightOfWebhookMax) return
    // the same time for both queries, so that no delivery falls in between
    const now = this.parts.clock.now()
    try {
      const id = queue.window.shift() ?? (await this.#refill(webhookId, queue, now))
      if (id !== undefined) this.#take(id, webhookId, queue)
      else if (!queue.hinted) await this.#rest(webhookId, queue, now)
      if ((id !== undefined || queue.hinted) && queue.inFlight < inFlightOfWebhookMax) this.#roundRobin.add(webhookId)
    } catch (error) {
      this.#dueTimes.set(webhookId, this.parts.clock.now() + claimAgainMs)
      throw error
    }
  }

  async #refill(webhookId: string, queue: WebhookQueue, now: number): Promise<string | undefined> {
    const { store, eventsUntil, members } = this.parts
    queue.hinted = false
    if (members.living.size > 1 && (await this.#isFullElsewhere(webhookId))) {
      this.#dueTimes.set(webhookId, now + claimSoonMs)
      this.#poller.expect(now + claimSoonMs)
      return undefined
    }
    // claimed deliveries may still be due in the store and must not hide later ones
    const limit = windowMax + queue.inFlight + this.#failing.size
    const due = await store.all(listDueDeliveries(store, { webhookId, now, eventsUntil: eventsUntil(), limit }))
    queue.window = due
      .map(({ id }) => id)
      .filter((id) => !this.#inFlight.has(id) && !((this.#failing.get(id) ?? now) > now))
    return queue.window.shift()
  }

  /**
   * Whether the deliveries that the previous owner of the webhook's slot has in flight leave no room for another one here.
   */
  async #isFullElsewhere(webhookId: string): Promise<boolean> {
    const { store } = this.parts
    const inFlight = await store.all(listInFlight(store, { webhookId }))
    const elsewhere = inFlight.filter(({ id }) => !this.#inFlight.has(id)).length
    return elsewhere > 0 && elsewhere + this.#queueOf(webhookId).inFlight >= inFlightOfWebhookMax
  }

  /** Nothing was due at `now`. */
  async #rest(webhookId: string, queue: WebhookQueue, now: number): Promise<void> {
    const { store, eventsUntil } = this.parts
    const next = await store.first(nextDueDelivery(store, { webhookId, now, eventsUntil: eventsUntil() }))
    if (next?.due_at != null) this.#dueTimes.set(webhookId, next.due_at)
    if (queue.inFlight === 0 && !queue.hinted) this.#queues.delete(webhookId)
  }

  #take(id: string, webhookId: string, queue: WebhookQueue): void {
    this.#inFlight.set(id, webhookId)
    queue.inFlight += 1
    const claim = this.#claim(id, webhookId).finally(() => this.#claims.delete(claim))
    this.#claims.add(claim)
  }

  async #claim(id: string, webhookId: string): Promise<void> {
    try {
      await this.parts.actors.send(deliveryAddress(id), { type: 'claimed' }, { orElse: { type: 'due' } })
      this.#failing.delete(id)
    } catch (error) {
      // moved on, disabled or gone; an unreadable delivery must not block the others
      const isConflict = error instanceof ApiError && (error.status === 409 || error.status === 404)
      if (!isConflict) this.parts.onError(error, `the claim of ${id}`)
      const retryAt = this.parts.clock.now() + (isConflict ? claimSoonMs : claimAgainMs)
      this.#failing.set(id, retryAt)
      this.#dueTimes.set(webhookId, retryAt)
      this.#poller.expect(retryAt)
      this.release(id)
    }
  }

  /** Frees the delivery's place: its attempt has ended, or it was not created. */
  release(id: string): void {
    const webhookId = this.#inFlight.get(id)
    if (webhookId === undefined) return
    this.#inFlight.delete(id)
    this.#queueOf(webhookId).inFlight -= 1
    this.#hint(webhookId)
    this.#lookAgain()
  }

  /** Queues all webhooks with waiting deliveries that are not queued yet. */
  async #survey(): Promise<void> {
    const { store, clock, members } = this.parts
    const now = clock.now()
    for (const [id, retryAt] of this.#failing) if (retryAt + surveyMs < now) this.#failing.delete(id)
    await eachWaitingWebhook(store, slotsOf(members), (id) => this.#dueTimes.has(id) || this.#hint(id))
    this.#surveyAt = now + lookAgainMs(members, surveyMs)
  }
}
