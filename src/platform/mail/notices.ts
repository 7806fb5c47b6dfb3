/**
 * Mails to members of an organization about events. A notice and its recipients commit with the event; the lane of notices
 * sends it afterwards. Source: contract 6 and 7, "Decided since".
 */
import { newId } from '../../../storage/ids.ts'
import {
  addressManagers,
  addressOwners,
  deleteNotice,
  insertAlertNotice,
  insertOrganizationNotice,
  insertWebhookNotice,
  listOldNotices,
} from '../../../storage/platform/notices.ts'
import type { BackgroundStore, Store, Write } from '../../../storage/store.ts'
import { forEach, inBatches } from '../operating/batches.ts'
import { dayMs } from '../time/durations.ts'

/** Longer than mails are retried, and than the limits below look back. */
const keptMs = 2 * dayMs
/** The limit per organization; each webhook has one notice a day. */
const ofWebhooksADayMax = 10
const ofAlertsADayMax = 100

export class Notices {
  constructor(
    private readonly store: Store,
    /** Mails may be due. */
    private readonly wake: () => void,
  ) {}

  /** For the owners: most or all of the budget is used. `data` is that of the event. */
  ofBudget(kind: 'budget.warning' | 'budget.exhausted', organizationId: string, data: string, at: number): Write[] {
    const id = newId('ntc', at)
    return this.#addressed([
      insertOrganizationNotice(this.store, {
        id,
        kind,
        organization_id: organizationId,
        subject_id: organizationId,
        data,
        created_at: at,
      }),
      addressOwners(this.store, { noticeId: id }),
    ])
  }

  /** For owners and admins: the unit of work disabled the webhook, if it wrote this audit line. */
  ofDisabledWebhook({ organizationId, webhookId, reason, auditId, at }: DisabledWebhook): Write[] {
    const id = newId('ntc', at)
    return this.#addressed([
      insertWebhookNotice(this.store, {
        id,
        kind: 'webhook.disabled',
        organization_id: organizationId,
        subject_id: webhookId,
        auditId,
        data: JSON.stringify({ reason }),
        created_at: at,
        since: at - dayMs,
        ofOrganizationMax: ofWebhooksADayMax,
      }),
      addressManagers(this.store, { noticeId: id }),
    ])
  }

  /** Mails owners and admins that an alert rule fires or is resolved; at most a fixed number a day. */
  ofAlert({ kind, organizationId, alertRuleId, data, at }: AlertNotice): Write[] {
    const id = newId('ntc', at)
    return this.#addressed([
      insertAlertNotice(this.store, {
        id,
        kind,
        organization_id: organizationId,
        subject_id: alertRuleId,
        data: JSON.stringify(data),
        created_at: at,
        since: at - dayMs,
        ofOrganizationMax: ofAlertsADayMax,
      }),
      addressManagers(this.store, { noticeId: id }),
    ])
  }

  #addressed([notice, address]: [Write, Write]): Write[] {
    return [notice, { ...address, committed: this.wake }]
  }
}

interface AlertNotice {
  kind: 'alert.firing' | 'alert.resolved'
  organizationId: string
  alertRuleId: string
  /** The data of the event. */
  data: object
  /** Epoch milliseconds. */
  at: number
}

interface DisabledWebhook {
  organizationId: string
  webhookId: string
  reason: 'endpoint_gone' | 'failing'
  auditId: string
  /** Epoch milliseconds. */
  at: number
}

/** Deletes up to `limit` notices that were sent or given up long ago; returns how many. Called periodically. */
export const pruneNotices = (store: BackgroundStore, now: number, limit: number): Promise<number> =>
  inBatches(limit, async (some) =>
    forEach(await store.all(listOldNotices(store, { before: now - keptMs, limit: some })), (notice) =>
      store.commit([deleteNotice(store, notice)]),
    ),
  )
