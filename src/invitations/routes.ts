/** Invitations over HTTP; they are made where members are added. Source: contract 1, "Invitations". */
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Cursors } from '../http/cursor.ts'
import type { Naming } from '../http/find.ts'
import type { Guarded } from '../http/guarded.ts'
import { belowId, pageQuery, readPage } from '../http/pagination.ts'
import { OrganizationPath } from '../http/paths.ts'
import { dataOf, pageOf } from '../http/schema.ts'
import { Session } from '../sessions/schema.ts'
import { Acceptance, type AcceptanceParts } from './acceptance.ts'
import { Invitations } from './invitations.ts'
import { AcceptanceBody, Invitation, InvitationPath, presentInvitation } from './schema.ts'

export interface InvitationRoutesParts extends AcceptanceParts {
  guarded: Guarded
  cursors: Cursors
  /** The client's address. */
  addressOf(request: Request): string | undefined
}

export function invitationRoutes(parts: InvitationRoutesParts) {
  const { guarded, cursors, addressOf, sessions } = parts
  const invitations = new Invitations(parts)
  const acceptance = new Acceptance(parts)
  const find = ({ caller, params }: Naming<typeof InvitationPath>) =>
    invitations.assertThere(caller.organizationId, params.invitationId)

  return new Elysia({ name: 'invitations' })
    .use(guarded)
    .get(
      '/api/v1/organizations/:organizationIdOrSlug/invitations',
      ({ caller: { organizationId }, query }) =>
        readPage(
          { cursors, scope: { list: 'invitations', organizationId } },
          query,
          (after, limit) => invitations.list(organizationId, belowId(after), limit),
          ({ id }) => [id],
          presentInvitation,
        ),
      {
        permission: 'organizations:manage-members',
        params: OrganizationPath,
        query: pageQuery,
        response: { 200: pageOf(Invitation) },
        detail: {
          operationId: 'listInvitations',
          summary: 'List invitations',
          description: 'Those that can still be accepted, newest first. Their tokens were shown when they were made.',
          tags: ['Organizations'],
        },
      },
    )
    .delete(
      '/api/v1/organizations/:organizationIdOrSlug/invitations/:invitationId',
      ({ caller, params, keep }) => invitations.withdraw(caller.organizationId, params.invitationId, keep),
      {
        permission: 'organizations:manage-members',
        resource: 'invitation',
        params: InvitationPath,
        find,
        response: { 204: Type.Void() },
        errors: ['deletion_in_progress'],
        detail: {
          operationId: 'deleteInvitation',
          summary: 'Withdraw an invitation',
          description: 'Its token opens nothing any more.',
          tags: ['Organizations'],
        },
      },
    )
    .post(
      '/api/auth/invitations',
      async ({ body, request, requestId, requestIdFrom, set }) => {
        const origin = { address: addressOf(request), requestId, requestIdFrom }
        const { session, cookie } = await acceptance.accept(body, origin, sessions.tokenIn(request))
        set.headers['set-cookie'] = cookie
        return { data: session }
      },
      {
        publicAccess: true,
        body: AcceptanceBody,
        response: { 200: dataOf(Session) },
        errors: ['invalid_credentials', 'rate_limited', 'store_unavailable', 'service_unavailable'],
        detail: {
          operationId: 'acceptInvitation',
          summary: 'Accept an invitation',
          description:
            'Creates the user, makes it a member, and signs in: sets the cookie `troupe_session` as `createSession` ' +
            'does. Works once. When there is a user with the address by now, the password must be that of the user, and ' +
            'the name is not used. An invitation that is unknown, used, withdrawn, replaced or expired, or whose maker ' +
            'may no longer invite, is 401 `invalid_credentials`.',
          tags: ['Sessions'],
        },
      },
    )
}
