/** The schemas of user groups. Source: requirement 4.6; contract 1. */
import { type Static, Type } from '@sinclair/typebox'
import { OrganizationPath } from '../../platform/http/paths.ts'
import { Id, Name, Timestamp } from '../../platform/http/schema.ts'

export const UserGroup = Type.Object(
  { id: Id('ugr'), name: Type.String(), createdAt: Timestamp(), updatedAt: Timestamp() },
  { $id: 'UserGroup', description: 'Members who get access together.' },
)
export type UserGroup = Static<typeof UserGroup>

export const UserGroupMember = Type.Object(
  {
    userId: Id('usr'),
    email: Type.String(),
    name: Type.String(),
    createdAt: Timestamp('When the user was added to the group.'),
  },
  { $id: 'UserGroupMember', description: 'A user in a group.' },
)
export type UserGroupMember = Static<typeof UserGroupMember>

export const UserGroupBody = Type.Object(
  { name: Name('Unique in the organization.') },
  { $id: 'UserGroupFields', description: 'The fields of a user group.' },
)
export const UserGroupMemberBody = Type.Object(
  { userId: Id('usr', 'A member of the organization (`usr_…`).') },
  { $id: 'NewUserGroupMember', description: 'The member to add.' },
)

export const UserGroupPath = Type.Object({ ...OrganizationPath.properties, userGroupId: Id('ugr') })
export const UserGroupMemberPath = Type.Object({ ...UserGroupPath.properties, userId: Id('usr') })
