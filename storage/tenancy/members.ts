/** Members of an organization and their roles. Source: contract 1, "Membership", "Invitations". */
import { type Kysely, sql } from 'kysely'
import { query, write } from '../statement.ts'
import type { MembershipRow, Tables } from '../tables.ts'

type Role = MembershipRow['role']

const members = (db: Kysely<Tables>, organizationId: string) =>
  db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select(['memberships.user_id', 'memberships.role', 'memberships.created_at'])
    .select(['users.email', 'users.email_verified_at', 'users.name'])
    .where('memberships.organization_id', '=', organizationId)

export const findMember = query((db, values: { organizationId: string; userId: string }) =>
  members(db, values.organizationId).where('memberships.user_id', '=', values.userId),
)

/** Newest first, before the position (`beforeAt`, `beforeId`). */
export const listMembers = query(
  (db, values: { organizationId: string; beforeAt: number; beforeId: string; limit: number }) =>
    members(db, values.organizationId)
      .where(({ eb, refTuple, tuple }) =>
        eb(refTuple('memberships.created_at', 'memberships.user_id'), '<', tuple(values.beforeAt, values.beforeId)),
      )
      .orderBy('memberships.created_at', 'desc')
      .orderBy('memberships.user_id', 'desc')
      .limit(values.limit),
)

const owner = sql.lit('owner' as const)

/** The organization's other owners. */
const otherOwners = (db: Kysely<Tables>, values: { organizationId: string; userId: string }) =>
  db
    .selectFrom('memberships as others')
    .select('others.user_id')
    .where('others.organization_id', '=', values.organizationId)
    // A literal: a partial index serves a query only if the text implies the index's condition.
    .where('others.role', '=', owner)
    .where('others.user_id', '<>', values.userId)

/**
 * Changes the member's role from `from` to `to`; `StaleWrite` if it is no longer `from`, or the organization would lose
 * its last owner.
 */
export const changeRole = write(
  (db, values: { organizationId: string; userId: string; from: Role; to: Role }) =>
    db
      .updateTable('memberships')
      .set({ role: values.to })
      .where('organization_id', '=', values.organizationId)
      .where('user_id', '=', values.userId)
      .where('role', '=', values.from)
      .where(({ eb, or, val, exists }) =>
        or([eb(val(values.to), '=', owner), eb('role', '<>', owner), exists(otherOwners(db, values))]),
      ),
  1,
)

/**
 * Removes a member with this role; `StaleWrite` if the role has changed, or the organization would lose its last owner.
 */
export const deleteMember = write(
  (db, values: { organizationId: string; userId: string; role: Role }) =>
    db
      .deleteFrom('memberships')
      .where('organization_id', '=', values.organizationId)
      .where('user_id', '=', values.userId)
      .where('role', '=', values.role)
      .where(({ eb, or, exists }) => or([eb('role', '<>', owner), exists(otherOwners(db, values))])),
  1,
)

/**
 * Ends, for this organization, the member's sessions of now, also those that began while the clock was ahead;
 * `StaleWrite` if the role has changed.
 */
export const endSessionsOfMember = write(
  (db, values: { organizationId: string; userId: string; role: Role; at: number }) =>
    db
      .updateTable('memberships')
      .set(({ selectFrom, fn, val }) => ({
        sessions_ended_at: fn.coalesce(
          selectFrom('sessions')
            .where('user_id', '=', values.userId)
            .where('created_at', '>', values.at)
            .select(({ fn: of }) => of.max('created_at').as('last')),
          val(values.at),
        ),
      }))
      .where('organization_id', '=', values.organizationId)
      .where('user_id', '=', values.userId)
      .where('role', '=', values.role),
  1,
)

/** Revokes all of the user's keys for the organization. */
export const revokeKeysOfMember = write((db, values: { organizationId: string; userId: string }) =>
  db
    .updateTable('api_keys')
    .set({ status: 'revoked' })
    .where('created_by', '=', values.userId)
    .where('organization_id', '=', values.organizationId)
    .where('status', '=', 'active'),
)
