/** The routes that verify addresses and reset passwords. Source: contract 1, "Invitations", "Session". */
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { RequestId } from '../../platform/http/answers/request-id.ts'
import { doc } from '../../platform/http/doc.ts'
import type { IdentityNaming, PublicNaming } from '../../platform/http/guard/find.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { dataOf } from '../../platform/http/schema.ts'
import { originOf } from '../sessions/origin.ts'
import { PasswordReset, type PasswordResetParts } from './password-reset.ts'
import { Address, ResetBody, ResetOrder, ResetOrdered, TokenPath } from './schema.ts'
import { Verification, type VerificationParts } from './verification.ts'

interface AccountRoutesParts extends PasswordResetParts {
  guarded: Guarded
  mailLimiter: PasswordResetParts['mailLimiter'] & VerificationParts['mailLimiter']
  /** The client's address. */
  addressOf(request: Request): string | undefined
}

export function accountRoutes(parts: AccountRoutesParts) {
  const { guarded, addressOf } = parts
  const verification = new Verification(parts)
  const passwordReset = new PasswordReset(parts)
  const from = (request: Request, id: RequestId) => originOf(request, id, addressOf(request))

  return new Elysia({ name: 'accounts', prefix: '/api/auth', tags: ['Sessions'] })
    .use(guarded)
    .get('/verifications', async ({ identity }) => ({ data: await verification.get(identity) }), {
      signedIn: 'session',
      response: { 200: dataOf(Address) },
      detail: doc(
        'getAccountAddress',
        'Get the address of the account',
        'Whether it is verified, and whether the server can mail it.',
      ),
    })
    .post('/verifications', async ({ identity }) => ({ data: await verification.request(identity) }), {
      signedIn: 'session',
      resource: 'session',
      response: { 202: dataOf(Address) },
      errors: ['address_verified', 'rate_limited', 'mail_unconfigured'],
      detail: doc(
        'requestVerification',
        'Request a mail that verifies the address',
        "Sends a link to the address of the session's account, valid for a day. The answer does not wait " +
          'for the mail and reveals nothing about other accounts that claim the address.',
      ),
    })
    .put(
      '/verifications/:token',
      async ({ identity, params, request, requestId, requestIdFrom }) => ({
        data: await verification.verify(identity, params.token, from(request, { requestId, requestIdFrom })),
      }),
      {
        signedIn: 'session',
        resource: 'session',
        params: TokenPath,
        find: ({ identity, params }: IdentityNaming<typeof TokenPath>) => verification.find(identity, params.token),
        response: { 200: dataOf(Address) },
        errors: ['not_found', 'address_taken'],
        detail: doc(
          'verifyAddress',
          'Verify the address',
          'Requires the token in the mail and a session of the account that requested it. Works once. A token that is ' +
            "unknown, used, expired or another account's is 404; 409 `address_taken` if the address was verified for " +
            'another account.',
        ),
      },
    )
    .post(
      '/password-resets',
      async ({ body, request, requestId, requestIdFrom }) => ({
        data: await passwordReset.request(body.email, from(request, { requestId, requestIdFrom })),
      }),
      {
        publicAccess: true,
        body: ResetOrder,
        response: { 202: dataOf(ResetOrdered) },
        errors: ['rate_limited', 'store_unavailable', 'service_unavailable'],
        detail: doc(
          'requestPasswordReset',
          'Request a password reset',
          'The same answer, equally fast, for every address. Mails the verified address of an account, at most three times an ' +
            'hour; the link is valid for an hour. 429 after ten requests in 15 minutes from one client.',
        ),
      },
    )
    .put(
      '/password-resets/:token',
      ({ params, body, request, requestId, requestIdFrom }) =>
        passwordReset.reset(params.token, body, from(request, { requestId, requestIdFrom })),
      {
        publicAccess: true,
        params: TokenPath,
        find: ({ params }: PublicNaming<typeof TokenPath>) => passwordReset.find(params.token),
        body: ResetBody,
        response: { 204: Type.Void() },
        errors: ['not_found', 'store_unavailable', 'service_unavailable'],
        detail: doc(
          'resetPassword',
          'Reset a password',
          'Requires the token in the mail. Works once, and ends all sessions of the account; API keys continue. A token that is ' +
            'unknown, used or expired is 404.',
        ),
      },
    )
}
