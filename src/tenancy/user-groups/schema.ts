/** User groups in the API document. Source: requirement 4.6; contract 1. */
import { type Static, Type } from '@sinclair/typebox'
import { OrganizationPath } from '../../platform/http/paths.ts'
import { Id, Name, Timestamp } from '../../platform/http/schema.ts'

export const UserGroup = Type.Object(
  { id: Id('ugr'), name: Type.String(), createdAt: Timestamp(), updatedAt: Timestamp() },
  { $id: 'UserGroup', description: 'Users who get access together.' },
)
export type UserGroup = Static<typeof UserGroup>

export const UserGroupMember = Type.Object(
  {
    userId: Id('usr'),
    email: Type.String(),
    name: Type.String(),
    createdAt: Timestamp('Since when the user is in the group.'),
  },
  { $id: 'UserGroupMember', description: 'A user in a group.' },
)
export type UserGroupMember = Static<typeof UserGroupMember>

export const UserGroupBody = Type.Object(
  { name: Name('Unique in the organization.') },
  { $id: 'UserGroupFields', description: 'What a user group is called.' },
)
export const UserGroupMemberBody = Type.Object(
  { userId: Id('usr', 'A member of the organization (`usr_…`).') },
  { $id: 'NewUserGroupMember', description: 'Who joins.' },
)

export const UserGroupPath = Type.Object({ ...OrganizationPath.properties, userGroupId: Id('ugr') })
export const UserGroupMemberPath = Type.Object({ ...UserGroupPath.properties, userId: Id('usr') })
