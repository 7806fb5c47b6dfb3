/** The routes of members. Source: contract 1, "Membership", "Invitations". */
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { doc } from '../../platform/http/doc.ts'
import type { Naming } from '../../platform/http/guard/find.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { pageQuery } from '../../platform/http/pagination.ts'
import { OrganizationPath } from '../../platform/http/paths.ts'
import { dataOf, Id, pageOf } from '../../platform/http/schema.ts'
import { searchIn } from '../../platform/http/searched-page.ts'
import { Invited, Member, MemberBody, MemberPatch } from './schema.ts'
import type { Members } from './service.ts'
import type { MemberSessions } from './sessions.ts'

const MemberPath = Type.Object({ ...OrganizationPath.properties, userId: Id('usr') })

interface MemberRoutesParts {
  guarded: Guarded
  members: Members
  memberSessions: MemberSessions
}

export const memberRoutes = ({ guarded, members, memberSessions }: MemberRoutesParts) =>
  new Elysia({ name: 'organization-members', prefix: '/:organizationIdOrSlug/members', tags: ['Organizations'] })
    .use(guarded)
    .get('', ({ caller, query }) => members.list(caller, query), {
      permission: 'organizations:manage-members',
      params: OrganizationPath,
      query: Type.Object({ ...pageQuery.properties, search: searchIn('name or address') }),
      response: { 200: pageOf(Member) },
      detail: doc('listMembers', 'List members', 'Newest first. Invited people are not included.'),
    })
    .post('', ({ caller, body, record }) => members.invite(caller, body, record), {
      permission: 'organizations:manage-members',
      resource: 'member',
      params: OrganizationPath,
      body: MemberBody,
      response: { 201: dataOf(Invited) },
      errors: ['already_member', 'limit_exceeded', 'rate_limited', 'deletion_in_progress'],
      detail: doc(
        'addMember',
        'Invite a member',
        'By `userId` or by `email`, exactly one of them. The answer does not reveal whether the address has an account, ' +
          'and the person becomes a member only on acceptance. The token is mailed; if the server cannot send mail ' +
          '(`TROUPE_SMTP_URL`), it is shown once, to pass on. Inviting again replaces the invitation and sends ' +
          'another mail. Only owners can invite owners.',
      ),
    })
    .patch('/:userId', ({ caller, params, body, record }) => members.change(caller, params.userId, body, record), {
      permission: 'organizations:manage-members',
      resource: 'member',
      params: MemberPath,
      find: ({ caller, params }: Naming<typeof MemberPath>) => members.findToChange(caller, params.userId),
      body: MemberPatch,
      response: { 200: dataOf(Member) },
      errors: ['last_owner', 'concurrent_change', 'deletion_in_progress'],
      detail: doc(
        'changeMemberRole',
        "Change a member's role",
        'Applies to the next request of every credential of the member. Only owners can give or take the role `owner`, ' +
          'and one owner must remain.',
      ),
    })
    .delete('/:userId', ({ caller, params, record }) => members.remove(caller, params.userId, record), {
      permission: 'organizations:get',
      orPermissions: ['organizations:manage-members'],
      resource: 'member',
      params: MemberPath,
      find: ({ caller, params }: Naming<typeof MemberPath>) => members.findToRemove(caller, params.userId),
      response: { 204: Type.Void() },
      errors: ['last_owner', 'concurrent_change', 'deletion_in_progress'],
      detail: doc(
        'removeMember',
        'Remove a member, or leave',
        'Everyone may leave; removing another member requires `organizations:manage-members`, and removing an owner requires an ' +
          "owner. Group memberships and access grants end, and the member's API keys for the organization are revoked.",
      ),
    })
    .delete('/:userId/sessions', ({ caller, params, record }) => memberSessions.end(caller, params.userId, record), {
      permission: 'organizations:manage-members',
      resource: 'member',
      params: MemberPath,
      find: ({ caller, params }: Naming<typeof MemberPath>) => memberSessions.find(caller, params.userId),
      response: { 204: Type.Void() },
      errors: ['concurrent_change', 'deletion_in_progress'],
      detail: doc(
        'endMemberSessions',
        "End a member's sessions",
        'All current sessions of the member end for this organization, from their next request (401 ' +
          '`session_expired`), until the member signs in again. They continue in other organizations of the account. API ' +
          'keys continue too: revoke them, or remove the member. Only owners can end sessions of owners.',
      ),
    })
