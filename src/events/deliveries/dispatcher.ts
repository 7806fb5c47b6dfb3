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
import { lookAgainMs, type WorkShare } from '../../runtime/work-share.ts'
import { deliveryAddress } from './actor.ts'
import { DueTimes } from './due-times.ts'
import { Places } from './places.ts'
import { Turns } from './turns.ts'
import { eachWaitingWebhook } from './waiting-webhooks.ts'
import { hasRoom, newQueue, roomIn, type WebhookQueue } from './webhook-queue.ts'

interface DispatcherParts {
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

/** Deliveries read ahead per webhook. */
const windowMax = 10
/** The interval at which all webhooks are checked, in case a hint was lost. */
const surveyMs = 60_000
/** The delay before a delivery that could not be claimed is tried again. */
const claimSoonMs = 500
const claimAgainMs = 5_000

export class Dispatcher {
  readonly #poller: Poller
  readonly #queues = new Map<string, WebhookQueue>()
  readonly #turns = new Turns()
  readonly #dueTimes = new DueTimes()
  /** The places of claimed deliveries. */
  readonly #places: Places
  /** Deliveries that could not be claimed, with the time of the next try. */
  readonly #failing = new Map<string, number>()
  readonly #claims = new Set<Promise<void>>()
  readonly #posts = new Set<Promise<void>>()
  readonly #aborted = new AbortController()
  #surveyAt = Number.NEGATIVE_INFINITY
  #unsubscribe = () => {}
  /** Whether an attempt of the delivery runs in this process. */
  readonly isUnderWay = (id: string): boolean => this.#places.hasBegun(id)

  constructor(private readonly parts: DispatcherParts) {
    this.#poller = new Poller(parts.clock, () => this.#look())
    this.#places = new Places(parts.clock)
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

  /** The webhook was enabled, disabled or deleted: discards the deliveries that were read. */
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
  reserve(id: string, webhookId: string, organizationId: string): boolean {
    const { members, clock } = this.parts
    if (!this.#poller.running || members.living.size > 1 || !members.owns(webhookId)) return false
    if (this.#places.free <= this.#turns.size || !this.#places.isOpenTo(organizationId)) return false
    const queue = this.#queues.get(webhookId)
    const waits = queue && (queue.hinted || queue.window.length > 0 || !hasRoom(queue))
    if (waits || this.#dueTimes.isDue(webhookId, clock.now())) return false
    this.#places.take(id, { webhookId, organizationId })
    this.#queueOf(webhookId).inFlight += 1
    return true
  }

  /** The claim was committed. */
  begin(id: string, claim: number): void {
    this.#places.begin(id)
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
      queue = newQueue()
      this.#queues.set(webhookId, queue)
    }
    return queue
  }

  #hint(webhookId: string): void {
    const queue = this.#queueOf(webhookId)
    queue.hinted = true
    if (hasRoom(queue)) this.#turns.add(webhookId)
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
      const isOpen = () => this.#places.free > 0 && this.#poller.running
      for (const webhookId of this.#turns.next(isOpen)) await this.#serve(webhookId)
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
    if (!hasRoom(queue)) return
    // the same time for both queries, so that no delivery falls in between
    const now = this.parts.clock.now()
    try {
      const id = queue.window.shift() ?? (await this.#refill(webhookId, queue, now))
      if (id !== undefined && !this.#mayTake(queue)) {
        queue.window.unshift(id)
        return this.#turns.holdBack(webhookId)
      }
      if (id !== undefined) this.#take(id, webhookId, queue)
      else if (!queue.hinted) await this.#rest(webhookId, queue, now)
      if ((id !== undefined || queue.hinted) && hasRoom(queue)) this.#turns.add(webhookId)
    } catch (error) {
      this.#dueTimes.set(webhookId, this.parts.clock.now() + claimAgainMs)
      throw error
    }
  }

  /** If not, it is held back until a place is freed. */
  #mayTake({ organizationId }: WebhookQueue): boolean {
    return organizationId === undefined || this.#places.isOpenTo(organizationId)
  }

  async #refill(webhookId: string, queue: WebhookQueue, now: number): Promise<string | undefined> {
    const { store, eventsUntil, members } = this.parts
    queue.hinted = false
    const elsewhere = members.living.size > 1 ? await this.#elsewhere(webhookId) : 0
    if (elsewhere > 0 && !hasRoom(queue, elsewhere)) {
      this.#dueTimes.set(webhookId, now + claimSoonMs)
      this.#poller.expect(now + claimSoonMs)
      return undefined
    }
    // claimed deliveries may still be due in the store and must not hide later ones
    const limit = windowMax + queue.inFlight + this.#failing.size
    const due = await store.all(listDueDeliveries(store, { webhookId, now, eventsUntil: eventsUntil(), limit }))
    queue.organizationId = due[0]?.organization_id
    queue.window = due
      .map(({ id }) => id)
      .filter((id) => !this.#places.has(id) && !((this.#failing.get(id) ?? now) > now))
    // before any more, those elsewhere are counted again
    if (elsewhere > 0) queue.window.splice(roomIn(queue, elsewhere))
    return hasRoom(queue) ? queue.window.shift() : undefined // new deliveries may have taken the places meanwhile
  }

  /** How many deliveries the previous owner of the webhook's slot still has in flight. */
  async #elsewhere(webhookId: string): Promise<number> {
    const { store } = this.parts
    const inFlight = await store.all(listInFlight(store, { webhookId }))
    return inFlight.filter(({ id }) => !this.#places.has(id)).length
  }

  /** Nothing was due at `now`. */
  async #rest(webhookId: string, queue: WebhookQueue, now: number): Promise<void> {
    const { store, eventsUntil } = this.parts
    const next = await store.first(nextDueDelivery(store, { webhookId, now, eventsUntil: eventsUntil() }))
    if (next?.due_at != null) this.#dueTimes.set(webhookId, next.due_at)
    if (queue.inFlight === 0 && !queue.hinted) this.#queues.delete(webhookId)
  }

  #take(id: string, webhookId: string, queue: WebhookQueue): void {
    this.#places.take(id, { webhookId, organizationId: queue.organizationId as string })
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
    const webhookId = this.#places.leave(id)
    if (webhookId === undefined) return
    this.#queueOf(webhookId).inFlight -= 1
    this.#turns.readmit((id) => this.#mayTake(this.#queueOf(id)))
    this.#hint(webhookId)
    this.#lookAgain()
  }

  /** Queues all webhooks with waiting deliveries that are not queued yet. */
  async #survey(): Promise<void> {
    const { store, clock, members } = this.parts
    const now = clock.now()
    for (const [id, retryAt] of this.#failing) if (retryAt + surveyMs < now) this.#failing.delete(id)
    await eachWaitingWebhook(store, (id) => members.owns(id) && !this.#dueTimes.has(id) && this.#hint(id))
    this.#surveyAt = now + lookAgainMs(members, surveyMs)
  }
}
