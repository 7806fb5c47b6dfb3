/** The routes of user groups. Source: requirement 4.6. */
import { Elysia } from 'elysia'
import { doc } from '../../platform/http/doc.ts'
import type { Naming } from '../../platform/http/guard/find.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { pageQuery } from '../../platform/http/pagination.ts'
import { OrganizationPath } from '../../platform/http/paths.ts'
import { dataOf, pageOf } from '../../platform/http/schema.ts'
import { UserGroupMembers } from './members.ts'
import {
  UserGroup,
  UserGroupBody,
  UserGroupMember,
  UserGroupMemberBody,
  UserGroupMemberPath,
  UserGroupPath,
} from './schema.ts'
import { UserGroups, type UserGroupsParts } from './service.ts'

const permission = 'organizations:manage-user-groups'

export function userGroupRoutes(parts: UserGroupsParts & { guarded: Guarded }) {
  const groups = new UserGroups(parts)
  const members = new UserGroupMembers(parts)
  const find = ({ caller, params }: Naming<typeof UserGroupPath>) => groups.get(caller, params.userGroupId)
  const findMember = ({ caller, params }: Naming<typeof UserGroupMemberPath>) =>
    members.get(caller, params.userGroupId, params.userId)
  return new Elysia({
    name: 'user-groups',
    prefix: '/api/v1/organizations/:organizationIdOrSlug/user-groups',
    tags: ['Organizations'],
  })
    .use(parts.guarded)
    .get('', ({ caller, query }) => groups.list(caller, query), {
      permission,
      params: OrganizationPath,
      query: pageQuery,
      response: { 200: pageOf(UserGroup) },
      detail: doc('listUserGroups', 'List user groups', 'Newest first.'),
    })
    .post('', ({ caller, body, record }) => groups.create(caller, body.name, record), {
      permission,
      resource: 'userGroup',
      params: OrganizationPath,
      body: UserGroupBody,
      response: { 200: dataOf(UserGroup) },
      errors: [['name_taken', 422], 'limit_exceeded'],
      detail: doc(
        'createUserGroup',
        'Create a user group',
        'Created without members; access grants of Projects can refer to it.',
      ),
    })
    .get('/:userGroupId', ({ caller, params }) => groups.get(caller, params.userGroupId), {
      permission,
      params: UserGroupPath,
      find,
      response: { 200: dataOf(UserGroup) },
      detail: doc('getUserGroup', 'Get a user group', 'By its id.'),
    })
    .patch(
      '/:userGroupId',
      ({ caller, params, body, record }) => groups.rename(caller, params.userGroupId, body.name, record),
      {
        permission,
        resource: 'userGroup',
        params: UserGroupPath,
        find,
        body: UserGroupBody,
        response: { 200: dataOf(UserGroup) },
        errors: [['name_taken', 422]],
        detail: doc('updateUserGroup', 'Rename a user group', 'Changes its name.'),
      },
    )
    .delete('/:userGroupId', ({ caller, params, record }) => groups.remove(caller, params.userGroupId, record), {
      permission,
      resource: 'userGroup',
      params: UserGroupPath,
      find,
      response: { 200: dataOf(UserGroup) },
      detail: doc(
        'deleteUserGroup',
        'Delete a user group',
        'Returns the deleted group. Its access grants end with it, from the next request of its members.',
      ),
    })
    .get('/:userGroupId/members', ({ caller, params, query }) => members.list(caller, params.userGroupId, query), {
      permission,
      params: UserGroupPath,
      find,
      query: pageQuery,
      response: { 200: pageOf(UserGroupMember) },
      detail: doc('listUserGroupMembers', "List a user group's members", 'Newest first.'),
    })
    .post(
      '/:userGroupId/members',
      ({ caller, params, body, record }) => members.add(caller, params.userGroupId, body.userId, record),
      {
        permission,
        resource: 'userGroupMember',
        params: UserGroupPath,
        find,
        body: UserGroupMemberBody,
        response: { 200: dataOf(UserGroupMember) },
        detail: doc(
          'addUserGroupMember',
          'Add a member to a user group',
          'Adds a member of the organization; adding a member again changes nothing.',
        ),
      },
    )
    .delete(
      '/:userGroupId/members/:userId',
      ({ caller, params, record }) => members.remove(caller, params.userGroupId, params.userId, record),
      {
        permission,
        resource: 'userGroupMember',
        params: UserGroupMemberPath,
        find: findMember,
        response: { 200: dataOf(UserGroupMember) },
        detail: doc(
          'removeUserGroupMember',
          'Remove a member from a user group',
          'Returns the removed member, who stays a member of the organization.',
        ),
      },
    )
}
