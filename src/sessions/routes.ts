/** Signing in and out over HTTP. Source: contract 1, "Session"; requirement 5. */
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Guarded } from '../http/guarded.ts'
import { dataOf } from '../http/schema.ts'
import { PasswordBody, Session, SignInBody } from './schema.ts'
import { Sessions, type SessionsParts } from './service.ts'

export interface SessionRoutesParts extends SessionsParts {
  guarded: Guarded
  /** The client's address. */
  addressOf(request: Request): string | undefined
}

const tags = ['Sessions']

export function sessionRoutes(parts: SessionRoutesParts) {
  const { guarded, addressOf, sessions: credentials } = parts
  const sessions = new Sessions(parts)

  return new Elysia({ name: 'sessions', prefix: '/api/auth' })
    .use(guarded)
    .post(
      '/sessions',
      async ({ body, request, requestId, requestIdFrom, set }) => {
        const origin = { address: addressOf(request), requestId, requestIdFrom }
        const { session, cookie } = await sessions.signIn(body, origin, credentials.tokenIn(request))
        set.headers['set-cookie'] = cookie
        return { data: session }
      },
      {
        publicAccess: true,
        body: SignInBody,
        response: { 200: dataOf(Session) },
        errors: ['invalid_credentials', 'rate_limited', 'store_unavailable', 'service_unavailable'],
        detail: {
          operationId: 'createSession',
          summary: 'Sign in',
          description:
            'Sets the cookie `troupe_session` (`HttpOnly`, `SameSite=Lax`, `Secure` over https), which lives for 12 ' +
            'hours after its last use and for a week at most. Ten failures in 15 minutes for one account from one ' +
            'address: 429.',
          tags,
        },
      },
    )
    .get('/session', async ({ identity }) => ({ data: await sessions.get(identity) }), {
      signedIn: 'session',
      response: { 200: dataOf(Session) },
      detail: {
        operationId: 'getSession',
        summary: 'Get the session',
        description: 'Who is signed in, where, and the token that changes carry. May set the cookie again.',
        tags,
      },
    })
    .delete(
      '/session',
      async ({ identity, request, requestId, requestIdFrom, keep, set }) => {
        await sessions.signOut(identity, { address: addressOf(request), requestId, requestIdFrom }, keep)
        set.headers['set-cookie'] = credentials.cookie('', 0)
      },
      {
        signedIn: 'session',
        resource: 'session',
        response: { 204: Type.Void() },
        detail: {
          operationId: 'deleteSession',
          summary: 'Sign out',
          description: 'Ends the session at once and takes the cookie back.',
          tags,
        },
      },
    )
    .post(
      '/password',
      ({ identity, body, request, requestId, requestIdFrom, keep }) =>
        sessions.changePassword(identity, body, { address: addressOf(request), requestId, requestIdFrom }, keep),
      {
        signedIn: 'session',
        resource: 'session',
        body: PasswordBody,
        response: { 204: Type.Void() },
        errors: ['invalid_credentials'],
        detail: {
          operationId: 'changePassword',
          summary: 'Change the password',
          description:
            'Ends all other sessions of the user; API keys go on. A wrong current password counts as a failed sign-in.',
          tags,
        },
      },
    )
}
