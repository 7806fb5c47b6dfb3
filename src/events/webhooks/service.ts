/**
 * Creates, changes and deletes webhooks, and rotates their signing secrets. Source: requirement 4.13, 6; contract 7.
 */
import { StaleWrite } from '../../../storage/errors.ts'
import { countDeadLetters } from '../../../storage/events/dead-letters.ts'
import {
  insertPointer,
  skipMissed,
  subscribe,
  unsubscribe,
  unsubscribeFromAll,
} from '../../../storage/events/webhook-fan-out.ts'
import { beginPause, endPause } from '../../../storage/events/webhook-pauses.ts'
import {
  advanceSecret,
  countOldSecrets,
  deleteSecrets,
  expireSecret,
  insertSecret,
} from '../../../storage/events/webhook-secrets.ts'
import {
  countWebhooks,
  findWebhook,
  insertWebhook,
  listWebhooks,
  markWebhookDeleted,
  updateWebhook,
  type WebhookKey,
} from '../../../storage/events/webhooks.ts'
import { newId } from '../../../storage/ids.ts'
import type { Store, Write } from '../../../storage/store.ts'
import type { WebhookRow } from '../../../storage/tables.ts'
import { ApiError, limitExceeded, notFound, orNotFound } from '../../platform/http/answers/errors.ts'
import { commitOr } from '../../platform/http/changes/commit.ts'
import type { RequestRecord } from '../../platform/http/changes/request-record.ts'
import type { Cursors } from '../../platform/http/cursor.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import { belowId, type PageRequest, readPage } from '../../platform/http/pagination.ts'
import type { OutboundPolicy } from '../../platform/outbound/policy.ts'
import { requireUrlAllowed } from '../../platform/outbound/setting.ts'
import type { Vault } from '../../platform/secrets/vault.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { dayMs } from '../../platform/time/durations.ts'
import { eventKinds } from '../kinds/kinds.ts'
import { deadLettersMax } from './bounds.ts'
import { type NewWebhook, presentWebhook, type Webhook, type WebhookChanges, type WebhookWithSecret } from './schema.ts'
import { newSigningSecret, SigningSecrets } from './signing-secrets.ts'

export interface WebhookParts {
  store: Store
  clock: Pick<Clock, 'now'>
  cursors: Cursors
  vault: Vault
  outboundPolicy: OutboundPolicy
  /** Notified when a webhook is enabled, disabled or deleted. */
  deliveryWork: { changed(webhookId: string): void; eventsUntil(): number }
}

interface WebhooksPlace {
  projectId: string
  environmentId: string
}
export interface WebhookPlace extends WebhooksPlace {
  webhookId: string
}

/** The most webhooks of one Environment. */
export const webhooksMax = 20
/** How long an earlier secret signs together with the current one, and the most earlier secrets. */
const overlapMs = dayMs
const oldSecretsMax = 5
const webhookKey = ({ organizationId }: Caller, { environmentId, webhookId }: WebhookPlace): WebhookKey => ({
  organizationId,
  environmentId,
  id: webhookId,
})

export class Webhooks {
  readonly #secrets: SigningSecrets

  constructor(private readonly parts: WebhookParts) {
    this.#secrets = new SigningSecrets(parts)
  }

  /** Newest first. Throws `invalid_cursor` (422). */
  async list({ organizationId }: Caller, { environmentId }: WebhooksPlace, request: PageRequest) {
    const { store, cursors } = this.parts
    const { data, pagination } = await readPage(
      { cursors, scope: { list: 'webhooks', organizationId, filters: { environmentId } } },
      request,
      (last, limit) => {
        const before = belowId(last)
        return store.all<WebhookRow>(listWebhooks(store, { organizationId, environmentId, before, limit }))
      },
      ({ id }) => [id],
      (row) => row,
    )
    return { data: { items: await Promise.all(data.items.map((row) => this.#shown(row))) }, pagination }
  }

  /** Throws `notFound`. */
  async get(caller: Caller, place: WebhookPlace): Promise<Webhook> {
    return this.#shown(await this.find(caller, place))
  }

  async #shown(row: WebhookRow): Promise<Webhook> {
    const { store, deliveryWork } = this.parts
    const counted = await store.first(
      countDeadLetters(store, {
        organizationId: row.organization_id,
        projectId: row.project_id,
        environmentId: row.environment_id,
        webhookId: row.id,
        eventsUntil: deliveryWork.eventsUntil(),
        limit: deadLettersMax,
      }),
    )
    return presentWebhook(row, Number(counted?.count ?? 0))
  }

  /** The webhook's row. Throws `notFound`. */
  async find(caller: Caller, place: WebhookPlace): Promise<WebhookRow> {
    const { store } = this.parts
    return orNotFound(await store.first<WebhookRow>(findWebhook(store, webhookKey(caller, place))))
  }

  /** Returns the signing secret too. Throws `url_not_allowed`, `limit_exceeded` (422), `notFound`. */
  async create(
    caller: Caller,
    place: WebhooksPlace,
    body: NewWebhook,
    record: RequestRecord,
  ): Promise<WebhookWithSecret> {
    const { store, clock, outboundPolicy } = this.parts
    const { environmentId } = place
    requireUrlAllowed('/body/endpointUrl', body.endpointUrl, outboundPolicy)
    const now = clock.now()
    const row: WebhookRow = {
      id: newId('whk', now),
      organization_id: caller.organizationId,
      project_id: place.projectId,
      environment_id: environmentId,
      endpoint_url: body.endpointUrl,
      event_types: JSON.stringify(body.eventTypes),
      enabled: body.enabled === false ? 0 : 1,
      disabled_reason: null,
      failing_since: null,
      secret_version: 1,
      created_at: now,
      updated_at: now,
      deleted_at: null,
      capture_responses: body.captureResponses ? 1 : 0,
    }
    const signingSecret = newSigningSecret()
    const secret = await this.#secrets.row(row, row.secret_version, signingSecret, now)
    const data = presentWebhook(row, 0)
    const full = async () => {
      const counted = await store.first(countWebhooks(store, { environmentId }))
      // otherwise the Environment was deleted since it was read
      return (counted?.count ?? 0) >= webhooksMax ? tooMany() : notFound()
    }
    await commitOr(store, { stale: full }, [
      insertWebhook(store, { ...row, webhooksMax }),
      insertPointer(store, { environmentId }),
      ...body.eventTypes.map((type) => subscribe(store, { environmentId, webhookId: row.id, type })),
      ...(row.enabled ? [] : [beginPause(store, { webhookId: row.id })]),
      insertSecret(store, secret),
      ...record({ data }),
    ])
    return { ...data, signingSecret }
  }

  /** Changes the given fields. Throws `url_not_allowed` (422), `notFound`. */
  async change(caller: Caller, place: WebhookPlace, changes: WebhookChanges, record: RequestRecord): Promise<Webhook> {
    const { store, clock, outboundPolicy, deliveryWork } = this.parts
    const before = await this.find(caller, place)
    const { id } = before
    const { endpointUrl, eventTypes, enabled, captureResponses } = changes
    if (endpointUrl !== undefined) requireUrlAllowed('/body/endpointUrl', endpointUrl, outboundPolicy)
    const update = updateWebhook(store, {
      ...webhookKey(caller, place),
      endpointUrl: endpointUrl ?? null,
      eventTypes: eventTypes ? JSON.stringify(eventTypes) : null,
      enabled: enabled === undefined ? null : enabled ? 1 : 0,
      captureResponses: captureResponses === undefined ? null : captureResponses ? 1 : 0,
      at: clock.now(),
    })
    const pause = enabled === false ? [beginPause(store, { webhookId: id })] : []
    const writes = Object.keys(changes).length === 0 ? [] : [...this.#subscriptions(place, changes), update, ...pause]
    await this.#commit([...writes, ...record({ data: { id } }, await this.#shown(before))])
    deliveryWork.changed(id)
    return this.get(caller, place)
  }

  /** Deletes its deliveries too. Throws `notFound`. */
  async remove(caller: Caller, place: WebhookPlace, record: RequestRecord): Promise<Webhook> {
    const { store, clock, deliveryWork } = this.parts
    const data = await this.get(caller, place)
    await this.#commit([
      markWebhookDeleted(store, { ...webhookKey(caller, place), at: clock.now() }),
      unsubscribeFromAll(store, place),
      deleteSecrets(store, place),
      ...record({ data }),
    ])
    deliveryWork.changed(data.id)
    return data
  }

  /** Adds a secret; the previous one also signs for a day. Throws `notFound`, `secret_rotation_limit` (400). */
  async rotate(caller: Caller, place: WebhookPlace, record: RequestRecord): Promise<WebhookWithSecret> {
    const { store, clock } = this.parts
    const key = webhookKey(caller, place)
    for (;;) {
      const row = await this.find(caller, place)
      const at = clock.now()
      const [was, version] = [row.secret_version, row.secret_version + 1]
      const signingSecret = newSigningSecret()
      const secret = await this.#secrets.row(row, version, signingSecret, at)
      const data = await this.#shown({ ...row, secret_version: version, updated_at: at })
      try {
        await store.commit([
          advanceSecret(store, { ...key, version, was, oldMax: oldSecretsMax, at }),
          expireSecret(store, { webhookId: row.id, version: was, expiresAt: at + overlapMs }),
          insertSecret(store, secret),
          ...record({ data }),
        ])
        return { ...data, signingSecret }
      } catch (error) {
        if (!(error instanceof StaleWrite)) throw error
        const old = await store.first(countOldSecrets(store, { webhookId: row.id, now: at }))
        if ((old?.count ?? 0) >= oldSecretsMax) throw rotationLimit()
        // another rotation was first, which is possible only a few times because the number is bounded
      }
    }
  }

  /** Comes before the update, which depends on whether the webhook was disabled. */
  #subscriptions({ environmentId, webhookId }: WebhookPlace, { eventTypes, enabled }: WebhookChanges): Write[] {
    const { store } = this.parts
    const chosen = eventTypes && new Set<string>(eventTypes)
    return [
      ...(enabled
        ? [skipMissed(store, { environmentId, webhookId }), endPause(store, { environmentId, webhookId })]
        : []),
      ...(chosen
        ? eventKinds.map((type) =>
            (chosen.has(type) ? subscribe : unsubscribe)(store, { environmentId, webhookId, type }),
          )
        : []),
    ]
  }

  async #commit(writes: Write[]): Promise<void> {
    await commitOr(this.parts.store, { stale: notFound }, writes)
  }
}

/** Nothing is sent to a disabled webhook. Throws `invalid_transition` (409). */
export function assertEnabled({ enabled }: WebhookRow): void {
  if (enabled === 1) return
  const message = 'The webhook is disabled; enable it first.'
  throw new ApiError(409, 'invalid_transition', message, { details: { currentState: 'disabled' } })
}

const tooMany = () => limitExceeded(`An Environment has at most ${webhooksMax} webhooks; delete one first.`)
const rotationLimit = () =>
  new ApiError(
    400,
    'secret_rotation_limit',
    `${oldSecretsMax} earlier secrets are still valid; rotate again when the oldest has expired.`,
  )
