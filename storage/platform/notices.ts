/**
 * Notices: mails to members of an organization. A notice is written with the event that it reports, then addressed to
 * its recipients, in the same unit of work. Source: contract 6 and 7, "Decided since".
 */
import { type RawBuilder, sql } from 'kysely'
import { activeOrganization } from '../active-parents.ts'
import { insertFrom, rowsOf } from '../rows.ts'
import { write } from '../statement.ts'
import type { Store } from '../store.ts'
import type { NoticeRow } from '../tables.ts'

const notices = rowsOf('notices', 'id')

/** Writes a notice about the organization; writes nothing if it was deleted or is being deleted. */
export const insertOrganizationNotice = write((db, row: NoticeRow) =>
  insertFrom(db, 'notices', row, activeOrganization(db, row)),
)

/** The limit of an organization's notices since a time, so that repeated enabling cannot flood a mailbox. */
interface NoticeBounds {
  since: number
  ofOrganizationMax: number
}

/**
 * Writes a notice about a webhook that the same unit of work has disabled, if the audit log has the event `auditId`.
 * Writes nothing if there was a notice about the webhook after `since`, or the organization has reached the limit.
 */
export const insertWebhookNotice = write(
  (db, { since, ofOrganizationMax, auditId, ...row }: NoticeRow & NoticeBounds & { auditId: string }) =>
    insertFrom(
      db,
      'notices',
      row,
      db
        .selectFrom('audit_events')
        .where('organization_id', '=', row.organization_id)
        .where('id', '=', auditId)
        .where(
          sql<boolean>`(select count(*) from notices where organization_id = ${row.organization_id}
            and created_at > ${since} and kind = ${row.kind}) < ${ofOrganizationMax}`,
        )
        .where(
          sql<boolean>`not exists (select 1 from notices where organization_id = ${row.organization_id}
            and created_at > ${since} and subject_id = ${row.subject_id})`,
        ),
    ),
)

/**
 * Writes a notice about an alert rule; writes nothing if the organization is not active, or has reached the limit of
 * notices about alerts.
 */
export const insertAlertNotice = write((db, { since, ofOrganizationMax, ...row }: NoticeRow & NoticeBounds) =>
  insertFrom(
    db,
    'notices',
    row,
    activeOrganization(db, row).where(
      sql<boolean>`(select count(*) from notices where organization_id = ${row.organization_id}
        and created_at > ${since} and kind in ('alert.firing', 'alert.resolved')) < ${ofOrganizationMax}`,
    ),
  ),
)

/** The maximum number of recipients of a notice; the longest-standing members come first. */
const recipientsMax = 20

/**
 * Comes after the statement that writes a notice: addresses the notice, if it was written, to members with these roles
 * and a verified address.
 */
const addressTo = (roles: RawBuilder<boolean>) =>
  write((db: Store['db'], values: { noticeId: string }) =>
    db
      .insertInto('notice_mails')
      .columns(['id', 'notice_id', 'organization_id', 'user_id', 'mail_due_at', 'mail_attempts'])
      .expression(
        db
          .selectFrom('notices')
          .innerJoin('memberships', 'memberships.organization_id', 'notices.organization_id')
          .innerJoin('users', 'users.id', 'memberships.user_id')
          .select(({ lit }) => [
            sql<string>`notices.id || ':' || memberships.user_id`.as('id'),
            'notices.id as notice_id',
            'notices.organization_id',
            'memberships.user_id',
            'notices.created_at as mail_due_at',
            lit(0).as('mail_attempts'),
          ])
          .where('notices.id', '=', values.noticeId)
          // A literal: a partial index is used only if the query's text implies the index's condition.
          .where(roles)
          .where('users.email_verified_at', 'is not', null)
          .orderBy('memberships.created_at')
          .orderBy('memberships.user_id')
          .limit(recipientsMax),
      ),
  )

const managers = sql<boolean>`memberships.role in ('owner', 'admin')`
export const addressManagers = addressTo(managers)
export const addressOwners = addressTo(sql<boolean>`${managers} and memberships.role = 'owner'`)

/** Notices from before this time, oldest first. */
export const listOldNotices = notices.only('id').before('created_at')

/** Deletes a notice with its mails. */
export const deleteNotice = notices.remove()
