/**
 * Makes one attempt: posts the stored event, freshly signed, to the webhook's current endpoint, and reports the
 * outcome. If the process dies, the lease lapses. Source: contract 7; trust 2.1, 2.2.
 */
import { getEventBody } from '../../../storage/events/deliveries.ts'
import { getWebhook } from '../../../storage/events/webhooks.ts'
import type { Store } from '../../../storage/store.ts'
import type { DeliveryRow, WebhookRow } from '../../../storage/tables.ts'
import type { Logger } from '../../platform/operating/logger.ts'
import type { OutboundClient } from '../../platform/outbound/client.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { pause } from '../../platform/time/pause.ts'
import { tracePairs } from '../../platform/tracing/trace-context.ts'
import type { Actors } from '../../runtime/actors.ts'
import { isConcurrentChange, isOver, isStoreAway } from '../../runtime/refusals.ts'
import type { SigningSecrets } from '../webhooks/signing-secrets.ts'
import { type DeliveryActor, deliveryAddress } from './actor.ts'
import { contextOfAttempt } from './delivery-traces.ts'
import { isTaken, type Outcome, outcomeOfAnswer, outcomeOfError } from './outcome.ts'

export interface DeliverySenderParts {
  store: Store
  clock: Clock
  logger: Logger
  actors: Actors
  outbound: OutboundClient
  secrets: SigningSecrets
  /** Timeout of a whole attempt. */
  timeoutMs: number
  /** The time in which a report is accepted. */
  leaseMs: number
  /** The outcome of an attempt disabled this webhook. */
  disabled(webhookId: string): void
}

/** The body of an answer is read only if the webhook captures responses. */
const unread = { bodyBytesMax: 0, bodyOf: () => false }
const refusalsRead = { bodyBytesMax: 1_024, bodyOf: (status: number) => !isTaken(status) }
/** The delay of retries of a report that could not be stored. */
const reportAgainMs = 1_000

export class DeliverySender {
  constructor(private readonly parts: DeliverySenderParts) {}

  /** Makes the attempt of this claim and reports it. Throws the signal's reason once aborted. */
  async post(id: string, claim: number, signal: AbortSignal): Promise<void> {
    const { store, actors, clock } = this.parts
    const actor = (await actors.read(deliveryAddress(id))) as DeliveryActor | undefined
    if (actor?.context.claims !== claim) return
    const { row } = actor
    const webhook = await store.first<WebhookRow>(getWebhook(store, { id: row.webhook_id }))
    const event = await store.first(
      getEventBody(store, { environmentId: row.environment_id, sequence: row.event_sequence }),
    )
    // deleted or expired since the claim; the delivery is removed too
    if (!webhook || !event) return

    const begunAt = clock.now()
    const outcome = await this.#send(webhook, actor, event.body, begunAt, signal)
    if (!outcome) return
    await this.#report(id, { ...outcome, claim }, begunAt + this.parts.leaseMs, signal)
    if (outcome.type === 'refused') await this.#tellWhenDisabled(webhook)
  }

  /** undefined if the webhook was deleted since it was read: nothing is sent without a signature. */
  async #send(
    webhook: WebhookRow,
    actor: DeliveryActor,
    body: string,
    at: number,
    signal: AbortSignal,
  ): Promise<Outcome | undefined> {
    const { outbound, secrets, timeoutMs, clock } = this.parts
    const { row, context } = actor
    const trace = contextOfAttempt(row.trace, context.claims)
    try {
      const signed = await secrets.headers(webhook, { id: row.event_id, at, body })
      if (!signed) return undefined
      const answer = await outbound.request({
        url: webhook.endpoint_url,
        method: 'POST',
        headers: { ...headersOf(row, context.attempts), ...(trace && tracePairs(trace)), ...signed },
        body,
        timeoutMs,
        redirects: 'answer',
        ...(webhook.capture_responses ? refusalsRead : unread),
        signal,
      })
      return outcomeOfAnswer(answer, clock.now())
    } catch (error) {
      return outcomeOfError(error)
    }
  }

  async #report(id: string, report: Outcome & { claim: number }, until: number, signal: AbortSignal): Promise<void> {
    const { actors, clock } = this.parts
    for (;;) {
      try {
        await actors.send(deliveryAddress(id), report)
        return
      } catch (error) {
        if (isOver(error)) return
        const isUnstored = isStoreAway(error) || isConcurrentChange(error)
        if (!isUnstored || clock.now() + reportAgainMs >= until || signal.aborted) throw error
        await pause(clock, reportAgainMs, signal)
      }
    }
  }

  /** Logs it for the operator; its owner sees it at the webhook. */
  async #tellWhenDisabled({ id, enabled }: WebhookRow): Promise<void> {
    const { store, logger, disabled } = this.parts
    const now = await store.first<WebhookRow>(getWebhook(store, { id }))
    if (!enabled || !now || now.enabled) return
    logger.warn({ webhookId: id, reason: now.disabled_reason }, 'a webhook was disabled')
    disabled(id)
  }
}

/** Unsigned headers with the delivery's id and attempt. */
const headersOf = (row: DeliveryRow, attempts: number) => ({
  'content-type': 'application/json',
  'user-agent': 'Troupe-Webhooks/1',
  'x-delivery-id': row.id,
  'x-delivery-attempt': String(attempts),
  ...(row.replay_of !== null && { 'x-replay-of': row.replay_of }),
})
