/**
 * A real OpenID provider on a loopback port: `oidc-provider`, with one client that authenticates by HTTP Basic and uses
 * PKCE, tokens that can be refreshed once each, and its own sign-in and consent pages.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { AdapterPayload, Configuration } from 'oidc-provider'

interface IdentityProviderOptions {
  /** The client's redirect URIs, if they are known already. */
  redirectUris?: string[]
  clientId?: string
  clientSecret?: string
  accessTokenSeconds?: number
}

export interface IdentityProvider {
  issuer: string
  authorizationEndpoint: string
  tokenEndpoint: string
  userinfoEndpoint: string
  clientId: string
  clientSecret: string
  /** The grant types of the token requests so far, refused ones with their error: `refresh_token: invalid_grant`. */
  tokenRequests: string[]
  /** Whether every request so far, at any path, had one of these `Authorization` headers. */
  authorizations: Set<string>
  /** Signs in and consents (or, with `deny`, does not), like a browser; returns the URL of the redirect back. */
  consent(authorizationUrl: string, choice?: { login?: string; deny?: true }): Promise<string>
  /** Allows these redirect URIs, and no others. */
  redirectTo(redirectUris: string[]): void
  /** Revokes every consent. */
  forgetConsents(): void
  /** Whether the access token is still valid. */
  accepts(accessToken: string): boolean
  close(): Promise<void>
}

/** The records of one provider. */
class Records {
  readonly all = new Map<string, AdapterPayload>()

  adapter = (model: string) => {
    const keyOf = (id: string) => `${model}:${id}`
    const { all } = this
    const findBy = (property: string, value: string) =>
      [...all].find(([key, payload]) => key.startsWith(`${model}:`) && payload[property] === value)?.[1]
    return {
      upsert: async (id: string, payload: AdapterPayload) => void all.set(keyOf(id), payload),
      find: async (id: string) => all.get(keyOf(id)),
      findByUid: async (uid: string) => findBy('uid', uid),
      findByUserCode: async (userCode: string) => findBy('userCode', userCode),
      consume: async (id: string) =>
        void Object.assign(all.get(keyOf(id))!, { consumed: Math.floor(Date.now() / 1000) }),
      destroy: async (id: string) => void all.delete(keyOf(id)),
      revokeByGrantId: async (grantId: string) => {
        for (const [key, payload] of all) if (payload.grantId === grantId) all.delete(key)
      },
    }
  }
}

const clientOf = (clientId: string, clientSecret: string, redirectUris: string[]): AdapterPayload => ({
  client_id: clientId,
  client_secret: clientSecret,
  redirect_uris: redirectUris,
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'client_secret_basic',
})

const configurationOf = (records: Records, accessTokenSeconds: number): Configuration => ({
  adapter: records.adapter as unknown as NonNullable<Configuration['adapter']>,
  pkce: { required: () => true },
  scopes: ['openid', 'offline_access', 'email', 'profile'],
  claims: { openid: ['sub'], email: ['email'], profile: ['name'] },
  conformIdTokenClaims: false,
  findAccount: async (_context, id) => ({
    accountId: id,
    claims: async () => ({ sub: id, email: `${id}@example.com`, name: id }),
  }),
  issueRefreshToken: async () => true,
  rotateRefreshToken: true,
  ttl: {
    AccessToken: accessTokenSeconds,
    AuthorizationCode: 60,
    RefreshToken: 86_400,
    Grant: 86_400,
    Session: 86_400,
    Interaction: 600,
    IdToken: 3600,
  },
  features: { devInteractions: { enabled: true } },
  cookies: { keys: ['a key of this test'] },
})

/** Starts a provider with its own client. */
export async function openIdentityProvider(options: IdentityProviderOptions): Promise<IdentityProvider> {
  const {
    clientId = 'troupe-client',
    clientSecret = 'the-client-secret-of-this-test',
    accessTokenSeconds = 3600,
  } = options
  let handle: (request: IncomingMessage, response: ServerResponse) => void = (_, response) => response.end()
  const authorizations = new Set<string>()
  const server = createServer((request, response) => {
    if (request.headers.authorization) authorizations.add(request.headers.authorization)
    handle(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  const records = new Records()
  const redirectTo = (redirectUris: string[]) =>
    void records.all.set(`Client:${clientId}`, clientOf(clientId, clientSecret, redirectUris))
  redirectTo(options.redirectUris ?? [])
  const provider = await quietly(async () => {
    const { Provider } = await import('oidc-provider')
    return new Provider(issuer, configurationOf(records, accessTokenSeconds))
  })
  const tokenRequests: string[] = []
  const grantType = (context: { oidc: { params?: Record<string, unknown> | undefined } }) =>
    String(context.oidc.params?.grant_type)
  provider.on('grant.success', (context) => void tokenRequests.push(grantType(context)))
  provider.on('grant.error', (context, { error }) => void tokenRequests.push(`${grantType(context)}: ${error}`))
  handle = provider.callback()

  return {
    issuer,
    authorizationEndpoint: `${issuer}/auth`,
    tokenEndpoint: `${issuer}/token`,
    userinfoEndpoint: `${issuer}/me`,
    clientId,
    clientSecret,
    tokenRequests,
    authorizations,
    consent: (authorizationUrl, choice) => consent(issuer, authorizationUrl, choice),
    forgetConsents() {
      for (const key of records.all.keys()) if (/^(Grant|RefreshToken|AccessToken):/.test(key)) records.all.delete(key)
    },
    redirectTo,
    accepts: (accessToken) => records.all.has(`AccessToken:${accessToken}`),
    close: async () => {
      server.closeAllConnections()
      await new Promise<void>((resolve) => void server.close(() => resolve()))
    },
  }
}

/** Suppresses its known warnings about Bun and missing production settings. */
async function quietly<Made>(make: () => Promise<Made>): Promise<Made> {
  const { info, warn } = console
  console.info = () => {}
  console.warn = () => {}
  try {
    return await make()
  } finally {
    Object.assign(console, { info, warn })
  }
}

const hopsMax = 20

/** Follows the provider's pages with a cookie jar, until they redirect elsewhere. */
async function consent(
  issuer: string,
  authorizationUrl: string,
  { login = 'ada', deny }: { login?: string; deny?: true } = {},
): Promise<string> {
  const jar = new Map<string, string>()
  let request: { url: string; form?: Record<string, string> } = { url: authorizationUrl }
  for (let hop = 0; hop < hopsMax; hop += 1) {
    const answer = await fetch(request.url, {
      redirect: 'manual',
      method: request.form ? 'POST' : 'GET',
      headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(request.form && { body: new URLSearchParams(request.form) }),
    })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '') jar.delete(name)
      else jar.set(name, value)
    }
    const location = answer.headers.get('location')
    const page = await answer.text()
    if (location !== null) {
      const url = new URL(location, request.url).href
      if (!url.startsWith(`${issuer}/`)) return url
      request = { url }
      continue
    }
    const [, action] = /<form[^>]* action="([^"]+)"/.exec(page) ?? []
    const [, abort] = /href="([^"]+\/abort)"/.exec(page) ?? []
    const [, prompt] = /name="prompt" value="(\w+)"/.exec(page) ?? []
    if (!action || !prompt) throw new Error(`The provider answered ${answer.status}: ${page.slice(0, 2000)}`)
    if (deny && abort) request = { url: new URL(abort, issuer).href }
    else request = { url: new URL(action, issuer).href, form: { prompt, login, password: 'any' } }
  }
  throw new Error('The provider does not come to an end.')
}
