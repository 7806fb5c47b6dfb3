/** Members over HTTP. Source: contract 1, "Membership", "Invitations". */
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { doc } from '../../platform/http/doc.ts'
import type { Naming } from '../../platform/http/guard/find.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { pageQuery } from '../../platform/http/pagination.ts'
import { OrganizationPath } from '../../platform/http/paths.ts'
import { dataOf, Id, pageOf } from '../../platform/http/schema.ts'
import { Invited, Member, MemberBody, MemberPatch } from './schema.ts'
import type { Members } from './service.ts'
import type { MemberSessions } from './sessions.ts'

const MemberPath = Type.Object({ ...OrganizationPath.properties, userId: Id('usr') })

export interface MemberRoutesParts {
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
      query: pageQuery,
      response: { 200: pageOf(Member) },
      detail: doc('listMembers', 'List members', 'Newest first. Who is only invited is not among them.'),
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
        'By `userId` or by `email`, exactly one of them. The answer is the same whether the address has an account or ' +
          'not, and nobody is a member before they accept. The token goes by mail; while the server sends none ' +
          '(`TROUPE_SMTP_URL`), it is shown this once, to be handed on. Inviting again replaces the invitation, and sends ' +
          'another mail. Only owners make owners.',
      ),
    })
    .patch(
      '/:userId',
      ({ caller, params, body, record }) => members.changeRole(caller, params.userId, body.role, record),
      {
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
          'It counts on the next request of every credential of the member. Only owners give or take the role `owner`, ' +
            'and one owner stays.',
        ),
      },
    )
    .delete('/:userId', ({ caller, params, record }) => members.remove(caller, params.userId, record), {
      permission: 'organizations:get',
      resource: 'member',
      params: MemberPath,
      find: ({ caller, params }: Naming<typeof MemberPath>) => members.findToRemove(caller, params.userId),
      response: { 204: Type.Void() },
      errors: ['last_owner', 'concurrent_change', 'deletion_in_progress'],
      detail: doc(
        'removeMember',
        'Remove a member, or leave',
        'Everybody may leave; removing somebody else takes `organizations:manage-members`, and removing an owner an ' +
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
        'All sessions that the member has now are over for this organization, from their next request on (401 ' +
          '`session_expired`), until the member signs in anew. In other organizations of the account they go on. API ' +
          "keys go on too: revoke them, or remove the member. Ending an owner's takes an owner.",
      ),
    })
