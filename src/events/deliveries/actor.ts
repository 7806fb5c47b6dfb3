/** The delivery as a kind of actor: its row, its attempts, and their consequences for the webhook. */
import {
  type AttemptErrorClass,
  createDeliveryMachine,
  type DeliveryContext,
  type DeliveryEvent,
  type DeliveryLimits,
} from '../../../machines/delivery.ts'
import type { Cause } from '../../../machines/words.ts'
import {
  claimDelivery,
  findPlaceOfDelivery,
  getDelivery,
  insertDelivery,
  updateDelivery,
} from '../../../storage/events/deliveries.ts'
import { beginPause } from '../../../storage/events/webhook-pauses.ts'
import {
  auditFailing,
  auditGone,
  disableFailing,
  disableGone,
  insertFailure,
  noteFailure,
  noteSuccess,
  pruneFailures,
} from '../../../storage/events/webhooks.ts'
import { newId } from '../../../storage/ids.ts'
import type { Store, Write } from '../../../storage/store.ts'
import type { DeliveryRow } from '../../../storage/tables.ts'
import { timestampOrNull } from '../../platform/http/timestamp.ts'
import type { Notices } from '../../platform/mail/notices.ts'
import { defineActor } from '../../runtime/define-actor.ts'
import type { Actor, Address, Change, Move } from '../../runtime/kind.ts'
import { recordEvent } from '../history/record.ts'
import type { DeliveryTraces } from './delivery-traces.ts'
import type { EndedAttempt, KeptAttempt } from './kept-attempt.ts'

/** The columns of a new delivery besides its snapshot. */
export type DeliverySeed = Pick<
  DeliveryRow,
  | 'id'
  | 'organization_id'
  | 'project_id'
  | 'environment_id'
  | 'webhook_id'
  | 'event_id'
  | 'event_type'
  | 'event_sequence'
  | 'event_at'
  | 'replay_of'
  | 'trace'
>

export type DeliveryActor = Actor<DeliveryRow, DeliveryContext>
type DeliveryChange = Change<DeliveryRow, DeliveryContext, DeliveryEvent>

export const deliveryAddress = (id: string): Address => ({ kind: 'delivery', id })

interface DeliveryKindParts {
  limits: DeliveryLimits
  /** A webhook is disabled if all attempts failed for this time, at least ten of them. */
  failingMs: number
  /** Mails members when a webhook is disabled; null if no mail server is configured. */
  notices: Pick<Notices, 'ofDisabledWebhook'> | null
  /** A claim was committed: starts its attempt. */
  post(id: string, claim: number): void
  /** Whether this server is making an attempt of the delivery. */
  isUnderWay(id: string): boolean
  /** Deliveries of events up to this time have expired. */
  eventsUntil(): number
  /** null: traces are disabled. */
  traces?: Pick<DeliveryTraces, 'writes'> | null
}

/** The attempts that a delivery shows. */
const attemptsKept = 20

const sentences: Partial<Record<AttemptErrorClass, string>> = {
  secret_unreadable: 'The signing secret cannot be decrypted, and nothing was sent: rotate it.',
  lease_expired: 'The attempt did not report in time; the endpoint may have received it.',
}

/** The outcome of an attempt, if the event ends one. A lapsed lease has no report. */
function outcomeOf({ event }: Pick<Move<DeliveryEvent>, 'event'>, claimedAt: number) {
  const type: string = event.type
  if (type === 'leaseExpired')
    return { status: null, errorClass: 'lease_expired' as const, durationMs: Math.max(0, event.at - claimedAt) }
  if (event.type === 'acknowledged') return { status: event.status, errorClass: null, durationMs: event.durationMs }
  if (event.type === 'refused')
    return {
      status: event.status,
      errorClass: event.errorClass,
      durationMs: event.durationMs,
      ...(event.response !== undefined && { response: event.response }),
    }
  return undefined
}

/** The attempts that the moves have ended. */
function attemptsEnded(moves: DeliveryChange['moves']): EndedAttempt[] {
  return moves.flatMap((move) => {
    const { attempts, claims: claim, claimedAt } = move.context
    const outcome = outcomeOf(move, claimedAt ?? move.event.at)
    return outcome ? [{ claim, number: attempts, ...outcome, at: claimedAt ?? move.event.at }] : []
  })
}

function reasonOf(event: DeliveryEvent): Cause | null {
  const outcome = outcomeOf({ event }, event.at)
  if (!outcome?.errorClass) return null
  const { errorClass: code, status } = outcome
  const message =
    sentences[code] ?? (status === null ? 'The endpoint did not answer.' : `The endpoint answered ${status}.`)
  return { code, message }
}

/** The consequences of the attempts for the webhook, in order. */
const consequences = (
  store: Store,
  row: DeliveryRow,
  { moves, at }: DeliveryChange,
  { failingMs, notices }: Pick<DeliveryKindParts, 'failingMs' | 'notices'>,
): Write[] =>
  moves.flatMap((move) => {
    const outcome = outcomeOf(move, at)
    if (!outcome) return []
    const { organization_id: organizationId, webhook_id: webhookId } = row
    if (outcome.errorClass === null) return [noteSuccess(store, { webhookId })]
    const reason = outcome.status === 410 ? 'endpoint_gone' : 'failing'
    const since = move.event.at - failingMs
    const line = { webhookId, id: newId('aud', at), requestId: newId('req', at), at }
    const { claims, claimedAt } = move.context
    const attemptedAt = claimedAt ?? move.event.at
    const failure = { webhook_id: webhookId, at: move.event.at, delivery_id: row.id, attempt: claims }
    return [
      noteFailure(store, { webhookId, at: move.event.at }),
      insertFailure(store, failure),
      pruneFailures(store, { webhookId }),
      // the audit line comes first: it is written only if the webhook is enabled, and later statements depend on it
      ...(outcome.status === 410
        ? [auditGone(store, { ...line, attemptedAt }), disableGone(store, { webhookId, attemptedAt, at })]
        : [auditFailing(store, { ...line, since }), disableFailing(store, { webhookId, since, at })]),
      beginPause(store, { webhookId }),
      ...recordEnd(store, row, reason, line),
      ...(notices?.ofDisabledWebhook({ organizationId, webhookId, reason, auditId: line.id, at }) ?? []),
    ]
  })

/** An event for the webhooks that subscribe to it, if the unit of work disabled this one. */
const recordEnd = (store: Store, row: DeliveryRow, reason: string, { id, at }: { id: string; at: number }): Write[] =>
  recordEvent(store, {
    organizationId: row.organization_id,
    projectId: row.project_id,
    environmentId: row.environment_id,
    type: 'webhook.disabled',
    subject: { type: 'webhook', id: row.webhook_id },
    actor: { type: 'system', id: 'webhooks' },
    data: { webhookId: row.webhook_id, reason },
    at,
    ifAudited: id,
  })

const isClaim = ({ event }: Move<DeliveryEvent>) => event.type === 'claimed' || event.type === 'due'

export function deliveryKind(parts: DeliveryKindParts) {
  const { limits, failingMs, notices, post, isUnderWay, eventsUntil, traces } = parts
  return defineActor<DeliveryRow, DeliveryContext, DeliveryEvent, DeliverySeed>({
    machine: createDeliveryMachine(limits),
    table: {
      get: getDelivery,
      insert: insertDelivery,
      update: (store, row, { moves }) => (moves.some(isClaim) ? claimDelivery : updateDelivery)(store, row),
    },
    columns: ({ attempts, nextAttemptAt, pendingSince, deliveredAt }, { before, moves }) => ({
      attempts,
      due_at: nextAttemptAt ?? pendingSince,
      delivered_at: deliveredAt,
      ...(before && { attempt_history: kept(before.row.attempt_history, attemptsEnded(moves)) }),
    }),
    seeded: (seed) => ({ ...seed, attempt_history: '[]' }),
    moved: (row, change, store) => [
      ...consequences(store, row, change, { failingMs, notices }),
      ...(traces?.writes(row, attemptsEnded(change.moves)) ?? []),
    ],
    measure: (id) => (isUnderWay(id) ? { underWay: true } : undefined),
    describe: ({ attempts }, event) => ({ attempt: attempts, reason: reasonOf(event) }),
    effects: {
      postToEndpoint: { hint: ({ claim }: { claim: number }, { address }) => post(address.id, claim) },
      noteSuccess: 'inCommit',
      noteFailure: 'inCommit',
      disableSubscription: 'inCommit',
    },
    view: {
      permission: 'webhooks:list',
      place: (store, key) => findPlaceOfDelivery(store, { ...key, eventsUntil: eventsUntil() }),
      show: ({ attempts, claims, claimedAt, pendingSince, nextAttemptAt, deliveredAt }) => ({
        attempts,
        claims,
        claimedAt: timestampOrNull(claimedAt),
        pendingSince: timestampOrNull(pendingSince),
        nextAttemptAt: timestampOrNull(nextAttemptAt),
        deliveredAt: timestampOrNull(deliveredAt),
      }),
    },
  })
}

const kept = (history: string, ended: readonly EndedAttempt[]): string =>
  ended.length === 0
    ? history
    : JSON.stringify(
        [...(JSON.parse(history) as KeptAttempt[]), ...ended.map(({ claim: _, ...attempt }) => attempt)].slice(
          -attemptsKept,
        ),
      )
