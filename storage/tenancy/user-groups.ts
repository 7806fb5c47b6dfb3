/** User groups and their members. Source: requirement 4.6. */
import { rowsOf } from '../rows.ts'
import { query, write } from '../statement.ts'

const userGroups = rowsOf('user_groups', 'id')
const userGroupMembers = rowsOf('user_group_members', 'user_group_id', 'user_id')

export const insertUserGroup = userGroups.insert()

/** The organization's group with this id; undefined if it does not exist or belongs to another organization. */
export const findUserGroup = userGroups.find('id', 'organization_id')

/** Newest first, ids below `before`. */
export const listUserGroups = userGroups.newest('id', 'organization_id')

export const renameUserGroup = write(
  (db, values: { organizationId: string; id: string; name: string; at: number }) =>
    db
      .updateTable('user_groups')
      .set({ name: values.name, updated_at: values.at })
      .where('id', '=', values.id)
      .where('organization_id', '=', values.organizationId),
  1,
)

/** Deletes the group with its members and access grants. */
export const deleteUserGroup = userGroups.removeOne('id', 'organization_id')

/** Adds a user to the group; keeps an existing row. `MissingReference` if the user is not in the organization. */
export const insertUserGroupMember = userGroupMembers.insertOrKeep('user_group_id', 'user_id')

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

/** Newest first, before the position (`beforeAt`, `beforeId`). */
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

export const deleteUserGroupMember = userGroupMembers.removeOne('user_group_id', 'organization_id', 'user_id')
