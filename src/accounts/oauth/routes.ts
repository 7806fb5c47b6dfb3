/** The flow of a browser through a provider's consent page. Source: requirement 4.2; contract 4, "OAuth". */
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { notFound } from '../../platform/http/answers/errors.ts'
import { doc } from '../../platform/http/doc.ts'
import type { Naming } from '../../platform/http/guard/find.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import type { ResponseHeaders } from '../../platform/http/guard/parts.ts'
import { FlowEnd, type FlowEndParts } from './callback.ts'
import type { OAuth } from './oauth.ts'
import { outcomeCodes } from './return-to.ts'
import { CallbackQuery, PresetPath, StartQuery } from './schema.ts'
import { type FlowStartParts, startFlow } from './start.ts'

type OfOAuth = 'clients' | 'provider' | 'flows' | 'consoleOrigin'

interface OAuthRoutesParts extends Omit<FlowStartParts & FlowEndParts, OfOAuth> {
  guarded: Guarded
  oauth: Pick<OAuth, OfOAuth>
  /** The client's address. */
  addressOf(request: Request): string | undefined
}
/** There is no 2xx; tools of others insist on one, or on this. */
const responses = {
  default: {
    description: 'Any other answer is an error.',
    content: { 'application/json': { schema: { $ref: '#/components/schemas/PublicApiError' } } },
  },
}

/** Beside the cookie of a session that is renewed at the same moment. */
function redirect(headers: ResponseHeaders, { location, cookie }: { location: string; cookie?: string }): void {
  const others = headers['set-cookie']
  const cookies = [...(others === undefined ? [] : [others].flat()), ...(cookie === undefined ? [] : [cookie])]
  Object.assign(headers, {
    location,
    'cache-control': 'no-store',
    // the code and the state are secrets
    'referrer-policy': 'no-referrer',
    ...(cookies.length > 0 && { 'set-cookie': cookies }),
  })
}

export function oauthRoutes({ guarded, addressOf, oauth, ...others }: OAuthRoutesParts) {
  const { clients, provider, flows, consoleOrigin } = oauth
  const parts = { ...others, clients, provider, flows, consoleOrigin }
  const end = new FlowEnd(parts)
  const find = ({ params }: Pick<Naming<typeof PresetPath>, 'params'>) => {
    if (!others.presets.find(params.presetKey)) throw notFound()
  }

  return new Elysia({ name: 'oauth', prefix: '/api/oauth', tags: ['OAuth'] })
    .use(guarded)
    .get(
      '/start/:presetKey',
      async ({ caller, params, query, set }) => {
        redirect(set.headers as ResponseHeaders, await startFlow(parts, caller, params.presetKey, query))
        set.status = 302
      },
      {
        permission: 'connections:start-oauth',
        placeInQuery: true,
        params: PresetPath,
        find,
        query: StartQuery,
        response: { 302: Type.Void({ description: "To the provider's authorization endpoint; sets a cookie." }) },
        errors: ['integration_not_found', 'integration_not_verified', 'invalid_return_to'],
        detail: doc(
          'startOAuth',
          'Start a consent flow',
          'For a browser with a session, or a program with an API key, which follows the redirects itself, keeps the ' +
            "cookie and sends its key only to Troupe. The flow pins the current version of the organization's client. " +
            'It must return within ten minutes, once, with the same credential.',
          { responses },
        ),
      },
    )
    .get(
      '/callback/:presetKey',
      async ({ identity, params, query, request, requestId, requestIdFrom, set }) => {
        const address = addressOf(request)
        const arrival = { presetKey: params.presetKey, query, request, identity, requestId, requestIdFrom, address }
        redirect(set.headers as ResponseHeaders, await end.arrive(arrival))
        set.status = 302
      },
      {
        signedIn: true,
        params: PresetPath,
        find,
        query: CallbackQuery,
        // providers add what they like: scope, session_state, authuser, prompt, hd
        anyQuery: true,
        response: { 302: Type.Void({ description: "To `returnTo` with the outcome, or to the console's root." }) },
        errors: ['permission_denied'],
        detail: doc(
          'completeOAuth',
          'Complete a consent flow',
          'The redirect URI of the provider. Requires the credential that started the flow, its cookie and its state; ' +
            'without them it redirects to the root of the console. Otherwise it redirects to `returnTo` with ' +
            '`oauth=success&connectionId=…` or `oauth=error&code=…`: ' +
            `${outcomeCodes.map((code) => `\`${code}\``).join(', ')}. Other parameters of the provider are ignored. The ` +
            "caller's permission `connections:start-oauth` is checked again. An account has one Connection in an " +
            'Environment: another consent creates its next version and activates it.',
          { responses },
        ),
      },
    )
}
