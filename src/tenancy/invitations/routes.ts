/** The routes of invitations; they are created by adding members. Source: contract 1, "Invitations". */
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Cursors } from '../../platform/http/cursor.ts'
import { doc } from '../../platform/http/doc.ts'
import type { Naming } from '../../platform/http/guard/find.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { belowId, pageQuery, readPage } from '../../platform/http/pagination.ts'
import { OrganizationPath } from '../../platform/http/paths.ts'
import { dataOf, pageOf } from '../../platform/http/schema.ts'
import { originOf } from '../sessions/origin.ts'
import { Session } from '../sessions/schema.ts'
import { Invitations, type InvitationsParts } from './invitations.ts'
import { Joining } from './joining.ts'
import { type NewAccountParts, NewAccounts } from './new-account.ts'
import { Invitation, InvitationPath, JoiningBody, NewAccountBody, presentInvitation } from './schema.ts'

interface InvitationRoutesParts extends InvitationsParts, NewAccountParts {
  guarded: Guarded
  cursors: Cursors
  /** The client's address. */
  addressOf(request: Request): string | undefined
}

export function invitationRoutes(parts: InvitationRoutesParts) {
  const { guarded, cursors, addressOf, sessions } = parts
  const invitations = new Invitations(parts)
  const newAccounts = new NewAccounts(parts)
  const joining = new Joining(parts)
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
        detail: doc(
          'listInvitations',
          'List invitations',
          'Invitations that can still be accepted, newest first. Tokens were mailed, or shown at creation.',
          { tags: ['Organizations'] },
        ),
      },
    )
    .delete(
      '/api/v1/organizations/:organizationIdOrSlug/invitations/:invitationId',
      ({ caller, params, record }) => invitations.withdraw(caller.organizationId, params.invitationId, record),
      {
        permission: 'organizations:manage-members',
        resource: 'invitation',
        params: InvitationPath,
        find,
        response: { 204: Type.Void() },
        errors: ['deletion_in_progress'],
        detail: doc('deleteInvitation', 'Withdraw an invitation', 'Its token is no longer valid.', {
          tags: ['Organizations'],
        }),
      },
    )
    .post(
      '/api/auth/invitations',
      async ({ body, request, requestId, requestIdFrom, set }) => {
        const origin = originOf(request, { requestId, requestIdFrom }, addressOf(request))
        const { session, cookie } = await newAccounts.accept(body, origin, sessions.tokenIn(request))
        set.headers['set-cookie'] = cookie
        return { data: session }
      },
      {
        publicAccess: true,
        body: NewAccountBody,
        response: { 200: dataOf(Session) },
        errors: ['invalid_credentials', 'account_exists', 'limit_exceeded', 'store_unavailable', 'service_unavailable'],
        detail: doc(
          'acceptInvitation',
          'Accept an invitation with a new account',
          'Creates the user, makes it a member and signs in: sets the cookie `troupe_session` like `createSession`. ' +
            'Works once. The address of the new account is verified if the token was mailed. An invitation ' +
            'that is unknown, used, withdrawn, replaced or expired, or whose inviter may no longer invite, is 401 ' +
            '`invalid_credentials`. One for an account, or mailed to the verified address of one, is 409 ' +
            '`account_exists`: sign in and accept it with `joinOrganization`.',
          { tags: ['Sessions'] },
        ),
      },
    )
    .post(
      '/api/auth/invitations/accept',
      async ({ identity, body, request, requestId, requestIdFrom }) => ({
        data: await joining.accept(
          identity,
          body.token,
          originOf(request, { requestId, requestIdFrom }, addressOf(request)),
        ),
      }),
      {
        signedIn: 'session',
        resource: 'invitation',
        body: JoiningBody,
        response: { 200: dataOf(Session) },
        errors: ['invalid_credentials', 'already_member', 'limit_exceeded'],
        detail: doc(
          'joinOrganization',
          'Accept an invitation with the signed-in account',
          "Makes the session's user a member. Works once; an invitation of an account works for that account only. A " +
            "token that was mailed to the account's own address verifies the address. Refused like `acceptInvitation`.",
          { tags: ['Sessions'] },
        ),
      },
    )
}
