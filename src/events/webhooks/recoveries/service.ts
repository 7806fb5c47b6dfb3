/** Starts, reads and cancels recoveries; `recovery-work.ts` does their work. Source: contract 7, "Decided since". */
import { recoverables } from '../../../../machines/webhook-recovery.ts'
import { getHead } from '../../../../storage/events/webhook-fan-out.ts'
import { findRecovery, listRecoveries } from '../../../../storage/events/webhook-recoveries.ts'
import { newId } from '../../../../storage/ids.ts'
import type { Store } from '../../../../storage/store.ts'
import type { WebhookRecoveryRow } from '../../../../storage/tables.ts'
import { ApiError, invalid, orNotFound } from '../../../platform/http/answers/errors.ts'
import { refusing } from '../../../platform/http/changes/commit.ts'
import type { RequestRecord } from '../../../platform/http/changes/request-record.ts'
import type { Cursors } from '../../../platform/http/cursor.ts'
import type { Caller } from '../../../platform/http/guard/caller.ts'
import { belowId, type PageRequest, readPage } from '../../../platform/http/pagination.ts'
import { timestamp } from '../../../platform/http/timestamp.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { Actors } from '../../../runtime/actors.ts'
import { assertEnabled, type WebhookPlace, type Webhooks } from '../service.ts'
import { type RecoverySeed, recoveryAddress } from './actor.ts'
import { type NewRecovery, presentRecovery, type Recovery, type RecoveryPath } from './schema.ts'

export interface RecoveryParts {
  store: Store
  clock: Pick<Clock, 'now'>
  actors: Actors
  cursors: Cursors
  webhooks: Webhooks
}

const inProgress = () =>
  new ApiError(
    409,
    'recovery_in_progress',
    'A recovery of the webhook is already running; wait until it ends, or cancel it.',
  )

/** Throws `validation_failed` (422) for a time in the future: such a recovery would find nothing. */
function assertPast(since: string, now: number): void {
  if (Date.parse(since) <= now) return
  throw invalid([{ path: '/body/since', message: `Must not be in the future; it is ${timestamp(now)} now.` }])
}

export class Recoveries {
  constructor(private readonly parts: RecoveryParts) {}

  /**
   * Throws `notFound`, `validation_failed` (422) for a time in the future, `invalid_transition` (409) for a disabled webhook,
   * `recovery_in_progress` (409).
   */
  async begin(
    caller: Caller,
    place: WebhookPlace,
    { since, states }: NewRecovery,
    record: RequestRecord,
  ): Promise<Recovery> {
    const { store, clock, actors, webhooks } = this.parts
    const webhook = await webhooks.find(caller, place)
    const now = clock.now()
    assertPast(since, now)
    assertEnabled(webhook)
    const head = await store.first(getHead(store, { environmentId: webhook.environment_id }))
    const seed: RecoverySeed = {
      id: newId('whr', now),
      organization_id: webhook.organization_id,
      project_id: webhook.project_id,
      environment_id: webhook.environment_id,
      webhook_id: webhook.id,
      since: Date.parse(since),
      up_to: newId('dlv', now + 1),
      head: head?.sequence ?? 0,
    }
    const wanted = recoverables.filter((each) => (states ?? recoverables).includes(each))
    const { actor } = await actors
      .create<WebhookRecoveryRow>(
        recoveryAddress(seed.id),
        { input: { states: wanted, afterSequence: 0 }, seed, named: 'create' },
        { by: caller.principal, writes: ({ actor: { row } }) => record({ data: presentRecovery(row) }) },
      )
      .catch(refusing({ unique: inProgress }))
    return presentRecovery(actor.row)
  }

  /** Newest first. Throws `notFound`, `invalid_cursor` (422). */
  async list(caller: Caller, place: WebhookPlace, request: PageRequest) {
    const { store, cursors, webhooks } = this.parts
    const { environmentId, webhookId } = place
    await webhooks.find(caller, place)
    const scope = { list: 'recoveries', organizationId: caller.organizationId, filters: { environmentId, webhookId } }
    return readPage(
      { cursors, scope },
      request,
      (last, limit) =>
        store.all<WebhookRecoveryRow>(listRecoveries(store, { webhookId, before: belowId(last), limit })),
      ({ id }) => [id],
      presentRecovery,
    )
  }

  /** Throws `notFound`. */
  async get(caller: Caller, path: RecoveryPath): Promise<Recovery> {
    return presentRecovery(await this.find(caller, path))
  }

  /** Retried deliveries stay queued. Throws `notFound`, `invalid_transition` (409) for one that has ended. */
  async cancel(caller: Caller, path: RecoveryPath, record: RequestRecord): Promise<Recovery> {
    const { id } = await this.find(caller, path)
    const { actor } = await this.parts.actors.send<WebhookRecoveryRow>(
      recoveryAddress(id),
      { type: 'cancel' },
      { by: caller.principal, writes: ({ actor: { row } }) => record({ data: presentRecovery(row) }) },
    )
    return presentRecovery(actor.row)
  }

  /** The recovery's row. Throws `notFound`. */
  async find(caller: Caller, path: RecoveryPath): Promise<WebhookRecoveryRow> {
    const { store, webhooks } = this.parts
    const { environmentId, webhookId, recoveryId: id } = path
    await webhooks.find(caller, path)
    const key = { organizationId: caller.organizationId, environmentId, webhookId, id }
    return orNotFound(await store.first<WebhookRecoveryRow>(findRecovery(store, key)))
  }
}
