/** The routes for signing in and out. Source: contract 1, "Session"; requirement 5. */
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { RequestId } from '../../platform/http/answers/request-id.ts'
import { doc } from '../../platform/http/doc.ts'
import type { IdentityNaming } from '../../platform/http/guard/find.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { pageQuery } from '../../platform/http/pagination.ts'
import { dataOf, pageOf } from '../../platform/http/schema.ts'
import type { KnownDevices } from '../authority/known-devices.ts'
import { originOf } from './origin.ts'
import { OwnSessions, type OwnSessionsParts } from './own-sessions.ts'
import { OwnSession, PasswordBody, Session, SessionPath, SignInBody } from './schema.ts'
import { Sessions, type SessionsParts } from './service.ts'

interface SessionRoutesParts extends SessionsParts, OwnSessionsParts {
  guarded: Guarded
  devices: KnownDevices
  /** The client's address. */
  addressOf(request: Request): string | undefined
}

export function sessionRoutes(parts: SessionRoutesParts) {
  const { guarded, addressOf, devices, sessions: credentials } = parts
  const sessions = new Sessions(parts)
  const own = new OwnSessions(parts)
  const from = (request: Request, id: RequestId) => originOf(request, id, addressOf(request))

  return new Elysia({ name: 'sessions', prefix: '/api/auth', tags: ['Sessions'] })
    .use(guarded)
    .post(
      '/sessions',
      async ({ body, request, requestId, requestIdFrom, set }) => {
        const deviceOf = (userId: string) => devices.idIn(request, userId)
        const origin = { ...from(request, { requestId, requestIdFrom }), deviceOf }
        const { session, cookie } = await sessions.signIn(body, origin, credentials.tokenIn(request))
        const device = devices.cookie(request, session.user.id)
        set.headers['set-cookie'] = device === undefined ? cookie : [cookie, device]
        return { data: session }
      },
      {
        publicAccess: true,
        body: SignInBody,
        response: { 200: dataOf(Session) },
        errors: ['invalid_credentials', 'rate_limited', 'store_unavailable', 'service_unavailable'],
        detail: doc(
          'createSession',
          'Sign in',
          'Sets the cookie `troupe_session` (`HttpOnly`, `SameSite=Lax`, `Secure` over https), which is valid for 12 ' +
            'hours after its last use and for a week at most; over https its name is `__Host-troupe_session`. 429 for ' +
            'more than 20 attempts a minute from one address, ten failures in 15 minutes for one account from one ' +
            'address, or 100 attempts in 15 minutes for one account from anywhere; a browser that has signed in to the ' +
            'account before (the cookie `troupe_device`) is counted separately. 503 while too many passwords are being checked. ' +
            'Several accounts may claim an address while none has verified it: each signs in with its own ' +
            'password, or within `organization`; up to five are tried.',
        ),
      },
    )
    .get('/sessions', ({ identity, query }) => own.list(identity, query), {
      signedIn: 'session',
      query: pageQuery,
      response: { 200: pageOf(OwnSession) },
      detail: doc('listSessions', 'List your sessions', 'Your live sessions in all organizations, newest first.'),
    })
    .delete(
      '/sessions',
      ({ identity, request, requestId, requestIdFrom, record }) =>
        own.endOthers(identity, from(request, { requestId, requestIdFrom }), record),
      {
        signedIn: 'session',
        resource: 'session',
        response: { 204: Type.Void() },
        detail: doc(
          'endOtherSessions',
          'End your other sessions',
          'Ends all but the current session, from their next request. API keys continue.',
        ),
      },
    )
    .delete(
      '/sessions/:sessionId',
      async ({ identity, params, request, requestId, requestIdFrom, record, set }) => {
        const wasOwn = await own.end(identity, params.sessionId, from(request, { requestId, requestIdFrom }), record)
        if (wasOwn) set.headers['set-cookie'] = credentials.cookie('', 0)
      },
      {
        signedIn: 'session',
        resource: 'session',
        params: SessionPath,
        find: ({ identity, params }: IdentityNaming<typeof SessionPath>) => own.find(identity, params.sessionId),
        response: { 204: Type.Void() },
        detail: doc(
          'endSession',
          'End one of your sessions',
          'From its next request. Ending the current session signs out. The session of another user is 404.',
        ),
      },
    )
    .get('/session', async ({ identity }) => ({ data: await sessions.get(identity) }), {
      signedIn: 'session',
      response: { 200: dataOf(Session) },
      detail: doc(
        'getSession',
        'Get the session',
        'The signed-in user, the organizations, and the CSRF token for changes. May renew the cookie.',
      ),
    })
    .delete(
      '/session',
      async ({ identity, request, requestId, requestIdFrom, record, set }) => {
        await sessions.signOut(identity, from(request, { requestId, requestIdFrom }), record)
        set.headers['set-cookie'] = credentials.cookie('', 0)
      },
      {
        signedIn: 'session',
        resource: 'session',
        response: { 204: Type.Void() },
        detail: doc('deleteSession', 'Sign out', 'Ends the session at once and clears the cookie.'),
      },
    )
    .post(
      '/password',
      ({ identity, body, request, requestId, requestIdFrom, record }) =>
        sessions.changePassword(identity, body, from(request, { requestId, requestIdFrom }), record),
      {
        signedIn: 'session',
        resource: 'session',
        body: PasswordBody,
        response: { 204: Type.Void() },
        errors: ['invalid_credentials', 'service_unavailable'],
        detail: doc(
          'changePassword',
          'Change the password',
          'Ends all other sessions of the user, and links that were mailed to set a new password; API keys continue. A ' +
            'wrong current password counts as a failed sign-in.',
        ),
      },
    )
}
