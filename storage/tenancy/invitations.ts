/** Invitations to organizations. Source: contract 1, "Invitations". */
import { sql } from 'kysely'
import { textsOf } from '../by-engine.ts'
import { rowsOf } from '../rows.ts'
import { query, write } from '../statement.ts'
import type { MembershipRow } from '../tables.ts'

const invitations = rowsOf('invitations', 'id')

export const insertInvitation = invitations.insert()

/** Deletes the organization's invitation to this address, if there is one. */
export const deleteInvitationOf = invitations.remove('organization_id', 'email')

/** Deletes the organization's invitation to this account, if there is one. */
export const deleteInvitationOfUser = invitations.remove('organization_id', 'user_id')

/** Deletes an unexpired invitation; `StaleWrite` if there is none. */
export const withdrawInvitation = write(
  (db, values: { organizationId: string; id: string; now: number }) =>
    db
      .deleteFrom('invitations')
      .where('organization_id', '=', values.organizationId)
      .where('id', '=', values.id)
      .where('expires_at', '>', values.now),
  1,
)

/** An unexpired invitation of the organization. */
export const findInvitationOf = query((db, values: { organizationId: string; id: string; now: number }) =>
  db
    .selectFrom('invitations')
    .select('id')
    .where('organization_id', '=', values.organizationId)
    .where('id', '=', values.id)
    .where('expires_at', '>', values.now),
)

/**
 * Unexpired invitations whose inviter may still give their role, newest first, ids below `before`. `gifts` is a
 * JSON array: a role of an inviter and a role that it may give, separated by a space.
 */
export const listInvitations = query(
  (db, values: { organizationId: string; before: string; now: number; gifts: string; limit: number }) =>
    db
      .selectFrom('invitations')
      .innerJoin('memberships', (join) =>
        join
          .onRef('memberships.organization_id', '=', 'invitations.organization_id')
          .onRef('memberships.user_id', '=', 'invitations.invited_by'),
      )
      .select([
        'invitations.id',
        'invitations.email',
        'invitations.user_id',
        'invitations.role',
        'invitations.invited_by',
        'invitations.created_at',
        'invitations.expires_at',
      ])
      .where('invitations.organization_id', '=', values.organizationId)
      .where('invitations.id', '<', values.before)
      .where('invitations.expires_at', '>', values.now)
      .where(sql<string>`memberships.role || ' ' || invitations.role`, 'in', textsOf(values.gifts))
      .orderBy('invitations.id', 'desc')
      .limit(values.limit),
)

/** The unexpired invitation with this token, with the current role of its inviter; its organization must be active. */
export const findInvitation = query((db, values: { tokenHash: string; now: number }) =>
  db
    .selectFrom('invitations')
    .innerJoin('organizations', 'organizations.id', 'invitations.organization_id')
    .innerJoin('memberships', (join) =>
      join
        .onRef('memberships.organization_id', '=', 'invitations.organization_id')
        .onRef('memberships.user_id', '=', 'invitations.invited_by'),
    )
    .select([
      'invitations.id',
      'invitations.organization_id',
      'invitations.email',
      'invitations.user_id',
      'invitations.mailed',
      'invitations.role',
      'invitations.invited_by',
      'memberships.role as inviter_role',
    ])
    .where('invitations.token_hash', '=', values.tokenHash)
    .where('invitations.expires_at', '>', values.now)
    .where('organizations.status', '=', 'active'),
)

/** Consumes the invitation; `StaleWrite` if it is already consumed or the inviter's role has changed. */
export const spendInvitation = write(
  (db, values: { id: string; organizationId: string; invitedBy: string; inviterRole: MembershipRow['role'] }) =>
    db
      .deleteFrom('invitations')
      .where('id', '=', values.id)
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom('memberships')
            .select('role')
            .where('organization_id', '=', values.organizationId)
            .where('user_id', '=', values.invitedBy)
            .where('role', '=', values.inviterRole),
        ),
      ),
  1,
)

export const listExpiredInvitations = invitations.only('id').due('expires_at')

export const deleteInvitation = invitations.remove()
