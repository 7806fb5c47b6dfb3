/**
 * `oauth2-mock-server`, a third-party provider that can be made to fail: its own id tokens, signed and
 * altered, and its own responses. Source: requirement 4.2; contract 4, "OAuth".
 */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { Events, type MutableToken, OAuth2Server } from 'oauth2-mock-server'
import { openWorld as openTenancy } from '../../support/world/world.ts'
import { begunBy, outcomeOf, presetOf, presetsFile, publicUrl } from './world.ts'

const provider = new OAuth2Server()
const clientId = 'troupe-client'
/** A proxy for its token endpoint, which cannot recognize the invalid codes used to probe registrations. */
let isProbe = true
const door = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: async (request) =>
    isProbe
      ? Response.json({ error: 'invalid_grant' }, { status: 400 })
      : fetch(`${provider.issuer.url}/token`, { method: 'POST', headers: request.headers, body: await request.text() }),
})
let tenancy: Awaited<ReturnType<typeof openTenancy>>
let presets: Awaited<ReturnType<typeof presetsFile>>
let start: string
let connections: string

beforeAll(async () => {
  await provider.issuer.keys.generate('RS256')
  await provider.start(0, '127.0.0.1')
  const issuer = provider.issuer.url!
  presets = await presetsFile([
    presetOf('mock', {
      authorizationEndpoint: `${issuer}/authorize`,
      tokenEndpoint: `http://127.0.0.1:${door.port}/token`,
      issuer,
      apiBaseUrl: `${issuer}/api`,
    }),
  ])
  tenancy = await openTenancy({
    environment: {
      TROUPE_RUNNER: 'none',
      TROUPE_PUBLIC_URL: publicUrl,
      TROUPE_PRESETS_FILE: presets.path,
      TROUPE_ALLOW_PRIVATE_ADDRESSES: 'true',
    },
  })
  const { id, path, environments } = await tenancy.project()
  const [environmentId] = environments
  start = `/api/oauth/start/mock?projectId=${id}&environmentId=${environmentId}&returnTo=/done`
  connections = `${path}/environments/${environmentId}/connections`
  const { status } = await tenancy.owner.post(`/api/v1/organizations/${tenancy.ours}/integrations`, {
    presetKey: 'mock',
    clientId,
    clientSecret: 'a secret',
  })
  expect(status).toBe(200)
  isProbe = false
})
afterAll(async () => {
  await tenancy?.stop()
  await provider.stop()
  door.stop(true)
  await presets?.remove()
})

function answerOnce(statusCode: number, body: Record<string, unknown> | '') {
  provider.service.once(Events.BeforeResponse, (answer) => {
    answer.statusCode = statusCode
    answer.body = body
  })
}

/** The claims of its tokens, added to or replacing its own. */
function setClaims(claims: object) {
  const alter = ({ payload }: MutableToken) => void Object.assign(payload, claims)
  provider.service.on(Events.BeforeTokenSigning, alter)
  return () => provider.service.off(Events.BeforeTokenSigning, alter)
}

/** Runs the flow from the start, through the provider's own redirect, to the final URL of the browser. */
async function connect(): Promise<Record<string, string>> {
  const { owner } = tenancy
  const begun = begunBy(await owner.get(start))
  const consent = await fetch(begun.location, { redirect: 'manual' })
  const back = new URL(consent.headers.get('location')!)
  const query = Object.fromEntries(back.searchParams)
  const { headers } = await owner.get('/api/oauth/callback/mock', { query, headers: { cookie: begun.cookie } })
  return outcomeOf(new URL(headers.get('location')!))
}

const count = async () => (await tenancy.owner.get(connections)).body.data.items.length
const ada = { sub: 'ada', email: 'ada@example.com', aud: clientId }

test('its consent creates a Connection for the account in its id token', async () => {
  const end = setClaims(ada)
  const { oauth, connectionId } = await connect()
  end()
  expect(oauth).toBe('success')
  const { body } = await tenancy.owner.get(`${connections}/${connectionId}`)
  expect(body.data).toMatchObject({
    kind: 'http',
    status: 'active',
    oauth: { presetKey: 'mock', account: { id: 'ada', label: 'ada@example.com' } },
  })
})

test.each([
  ['for another audience', { ...ada, aud: 'somebody-else' }],
  ['for several audiences without this client', { ...ada, aud: ['one', 'two'] }],
  ['of another issuer', { ...ada, iss: 'https://elsewhere.example' }],
  ['that has expired', { ...ada, exp: 1 }],
  ['of nobody', { aud: clientId, sub: undefined }],
])('an id token %s creates no Connection', async (_, claims) => {
  const before = await count()
  const end = setClaims(claims)
  expect(await connect()).toEqual({ at: `${publicUrl}/done`, oauth: 'error', code: 'exchange_failed' })
  end()
  expect(await count()).toBe(before)
})

test.each([
  [429, { error: 'slow_down' }, 'provider_unavailable'],
  [500, { error: 'server_error' }, 'provider_unavailable'],
  [503, '', 'provider_unavailable'],
  [400, { error: 'invalid_grant' }, 'exchange_failed'],
  [200, { access_token: 'only' }, 'exchange_failed'],
] as const)('its response %i %p creates no Connection', async (status, body, code) => {
  const before = await count()
  answerOnce(status, body)
  expect(await connect()).toEqual({ at: `${publicUrl}/done`, oauth: 'error', code })
  expect(await count()).toBe(before)
})
