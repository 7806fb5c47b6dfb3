/**
 * Runs recoveries piece by piece: the deliveries of a piece and the progress commit together, so that a crash neither
 * loses nor duplicates any. Source: contract 7, "Decided since".
 */
import type { RecoveryContext } from '../../../../machines/webhook-recovery.ts'
import { DamagedRecord } from '../../../../storage/errors.ts'
import { listEventsAfter } from '../../../../storage/events/webhook-fan-out.ts'
import { nextPause } from '../../../../storage/events/webhook-pauses.ts'
import { listDeadLetters, listDelivered, listKindsOfWebhook } from '../../../../storage/events/webhook-recoveries.ts'
import { getWebhook } from '../../../../storage/events/webhooks.ts'
import type { Store, Write } from '../../../../storage/store.ts'
import type { WebhookRecoveryRow, WebhookRow } from '../../../../storage/tables.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { Actors } from '../../../runtime/actors.ts'
import { isOver } from '../../../runtime/refusals.ts'
import { deliveryAddress } from '../../deliveries/actor.ts'
import type { DeliveryTraces } from '../../deliveries/delivery-traces.ts'
import { newDelivery } from '../../deliveries/new-delivery.ts'
import { recoveryAddress, recoveryKind } from './actor.ts'

interface RecoveryWorkParts {
  store: Store
  clock: Clock
  actors: Actors
  /** Events up to this time have expired. */
  eventsUntil(): number
  /** Deliveries of the webhook were created. */
  made(webhookId: string): void
  /** null: traces are disabled. */
  traces?: DeliveryTraces | null
  onError(error: unknown, what: string): void
}

/** Dead letters, or events of the history, per piece. */
export const pieceMax = 20

interface Piece {
  retried: number
  made: number
  afterDelivery: string
  afterSequence: number
  isThrough: boolean
  writes: Write[]
}

export class RecoveryWork {
  /** The definition for the actor runtime. */
  readonly kind = recoveryKind((id, piece) => this.parts.store.background.turn(() => this.#recoverSome(id, piece)))

  constructor(private readonly parts: RecoveryWorkParts) {}

  async #recoverSome(id: string, piece: number): Promise<void> {
    const { store, actors, made } = this.parts
    const actor = await actors.read<WebhookRecoveryRow, RecoveryContext>(recoveryAddress(id))
    if (!actor || actor.context.pieces !== piece || !actors.hasRow(actor, 'advanced')) return
    const { row, context } = actor
    const webhook = await store.first<WebhookRow>(getWebhook(store, { id: row.webhook_id }))
    if (!webhook || webhook.enabled === 0) return this.#stop(id)
    const { writes, ...came } = await (context.left[0] === 'missed'
      ? this.#missed(row, context, webhook)
      : this.#deadLetters(row, context))
    try {
      await actors.send(recoveryAddress(id), { type: 'advanced', piece, ...came }, { writes: () => writes })
    } catch (error) {
      if (isOver(error)) return
      // disabled or deleted since it was read: the next piece finds out
      throw error
    }
    if (came.made > 0) made(row.webhook_id)
  }

  /** The earliest time of an event that is recovered: expired ones are not. */
  #since(row: WebhookRecoveryRow): number {
    return Math.max(row.since, this.parts.eventsUntil() + 1)
  }

  async #deadLetters(row: WebhookRecoveryRow, context: RecoveryContext): Promise<Piece> {
    const { store } = this.parts
    const { afterDelivery: after, afterSequence } = context
    const since = this.#since(row)
    const found = await store.all(
      listDeadLetters(store, { webhookId: row.webhook_id, after, before: row.up_to, limit: pieceMax }),
    )
    const wanted = found.filter(({ event_at }) => event_at >= since)
    const retried = await Promise.all(wanted.map(({ id }) => this.#retry(id)))
    return {
      retried: retried.filter(Boolean).length,
      made: 0,
      afterDelivery: found.at(-1)?.id ?? after,
      afterSequence,
      isThrough: found.length < pieceMax,
      writes: [],
    }
  }

  /** Retries the delivery; returns whether it was a dead letter. One that cannot be read is logged, and left. */
  async #retry(id: string): Promise<boolean> {
    try {
      await this.parts.actors.send(deliveryAddress(id), { type: 'retry' })
      return true
    } catch (error) {
      if (error instanceof DamagedRecord) this.parts.onError(error, `the delivery ${id}`)
      else if (!isOver(error)) throw error
      return false
    }
  }

  async #missed(row: WebhookRecoveryRow, context: RecoveryContext, webhook: WebhookRow): Promise<Piece> {
    const { store, clock, actors, traces = null } = this.parts
    const { webhook_id: webhookId, environment_id: environmentId } = row
    const { afterDelivery, afterSequence: done } = context
    const through = { retried: 0, made: 0, afterDelivery, afterSequence: done, isThrough: true, writes: [] }
    const pause = await store.first(nextPause(store, { webhookId, after: done }))
    if (!pause) return through
    const after = Math.max(done, pause.from_sequence)
    // the range extends beyond the beginning of the recovery if the webhook was disabled again meanwhile
    if (after >= row.head) return through

    const until = Math.min(pause.to_sequence, row.head)
    const found = await store.all(listEventsAfter(store, { environmentId, after, limit: pieceMax }))
    const events = found.filter(({ sequence }) => sequence <= until)
    const upTo = events.length < pieceMax ? until : (events.at(-1)?.sequence as number)
    const [kinds, delivered] = await Promise.all([
      store.all(listKindsOfWebhook(store, { webhookId })),
      store.all(listDelivered(store, { webhookId, after, upTo })),
    ])
    const wanted = new Set(kinds.map(({ type }) => type))
    const there = new Set(delivered.map(({ event_sequence }) => event_sequence))
    const since = this.#since(row)
    const writes: Write[] = []
    let made = 0
    for (const event of events) {
      if (event.at < since || !wanted.has(event.type) || there.has(event.sequence)) continue
      writes.push(...(await newDelivery({ actors, clock, traces }, event, webhook)).writes)
      made += 1
    }
    return { ...through, made, afterSequence: upTo, isThrough: false, writes }
  }

  async #stop(id: string): Promise<void> {
    const cause = {
      code: 'webhook_disabled',
      message: 'The webhook was disabled in the meantime; enable it and recover again.',
    }
    try {
      await this.parts.actors.send(recoveryAddress(id), { type: 'stopped', cause })
    } catch (error) {
      if (!isOver(error)) throw error
    }
  }
}
