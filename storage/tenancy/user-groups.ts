/** User groups and who is in them. Source: requirement 4.6. */
import { query, write } from '../statement.ts'
import type { UserGroupMemberRow, UserGroupRow } from '../tables.ts'

export const insertUserGroup = write((db, row: UserGroupRow) => db.insertInto('user_groups').values(row))

/** The group if it is the organization's: absent and foreign look the same. */
export const findUserGroup = query((db, values: { organizationId: string; id: string }) =>
  db
    .selectFrom('user_groups')
    .selectAll()
    .where('id', '=', values.id)
    .where('organization_id', '=', values.organizationId),
)

/** Newest first, from before an id. */
export const listUserGroups = query((db, values: { organizationId: string; before: string; limit: number }) =>
  db
    .selectFrom('user_groups')
    .selectAll()
    .where('organization_id', '=', values.organizationId)
    .where('id', '<', values.before)
    .orderBy('id', 'desc')
    .limit(values.limit),
)

export const renameUserGroup = write(
  (db, values: { organizationId: string; id: string; name: string; at: number }) =>
    db
      .updateTable('user_groups')
      .set({ name: values.name, updated_at: values.at })
      .where('id', '=', values.id)
      .where('organization_id', '=', values.organizationId),
  1,
)

/** Members and access grants of the group go with it. */
export const deleteUserGroup = write(
  (db, values: { organizationId: string; id: string }) =>
    db.deleteFrom('user_groups').where('id', '=', values.id).where('organization_id', '=', values.organizationId),
  1,
)

/** Whoever is in the group already stays as they are. Fails with `MissingReference` for somebody outside the organization. */
export const insertUserGroupMember = write((db, row: UserGroupMemberRow) =>
  db
    .insertInto('user_group_members')
    .values(row)
    .onConflict((conflict) => conflict.columns(['user_group_id', 'user_id']).doNothing()),
)

export const findUserGroupMember = query(
  (db, values: { organizationId: string; userGroupId: string; userId: string }) =>
    db
      .selectFrom('user_group_members')
      .innerJoin('users', 'users.id', 'user_group_members.user_id')
      .select(['user_group_members.user_id', 'user_group_members.created_at', 'users.email', 'users.name'])
      .where('user_group_members.user_group_id', '=', values.userGroupId)
      .where('user_group_members.organization_id', '=', values.organizationId)
      .where('user_group_members.user_id', '=', values.userId),
)

/** Newest first, from before a member. */
export const listUserGroupMembers = query(
  (db, values: { userGroupId: string; beforeAt: number; beforeId: string; limit: number }) =>
    db
      .selectFrom('user_group_members')
      .innerJoin('users', 'users.id', 'user_group_members.user_id')
      .select(['user_group_members.user_id', 'user_group_members.created_at', 'users.email', 'users.name'])
      .where('user_group_members.user_group_id', '=', values.userGroupId)
      .where(({ eb, refTuple, tuple }) =>
        eb(
          refTuple('user_group_members.created_at', 'user_group_members.user_id'),
          '<',
          tuple(values.beforeAt, values.beforeId),
        ),
      )
      .orderBy('user_group_members.created_at', 'desc')
      .orderBy('user_group_members.user_id', 'desc')
      .limit(values.limit),
)

export const deleteUserGroupMember = write(
  (db, values: { organizationId: string; userGroupId: string; userId: string }) =>
    db
      .deleteFrom('user_group_members')
      .where('user_group_id', '=', values.userGroupId)
      .where('organization_id', '=', values.organizationId)
      .where('user_id', '=', values.userId),
  1,
)
