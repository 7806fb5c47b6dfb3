/** Provider responses to a code, and the account they name. Source: requirement 4.2; contract 4, "OAuth"; trust 2.4. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { idToken, refusal, tokens } from './odd-provider.ts'
import { openWorld, outcomeOf, publicUrl, redirectUri, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.stop())
beforeEach(() => world.odd.reset())

const html = (status: number) =>
  new Response('<html><script>alert(1)</script></html>', { status, headers: { 'content-type': 'text/html' } })

/** The number of Connections. */
const connections = () => world.rows('select id from connections').length

test("the code is exchanged with the verifier, the redirect URI and the organization's client", async () => {
  const begun = await world.begin('odd')
  await world.arrive('odd', begun, { code: 'a code/with+signs', state: begun.state })
  const [{ form, authorization }] = world.odd.tokenRequests as [(typeof world.odd.tokenRequests)[number]]
  const { code_verifier: verifier, ...rest } = form
  expect(rest).toEqual({
    grant_type: 'authorization_code',
    code: 'a code/with+signs',
    redirect_uri: redirectUri('odd'),
  })
  const challenge = new Bun.CryptoHasher('sha256').update(verifier!).digest('base64url')
  expect(new URL(begun.location).searchParams.get('code_challenge')).toBe(challenge)
  expect(authorization).toBe(`Basic ${btoa(`${world.acme.clientId}:${world.acme.clientSecret}`)}`)
})

const answers: [string, () => Response, string][] = [
  ['invalid_grant', () => refusal('invalid_grant'), 'exchange_failed'],
  ['invalid_client', () => refusal('invalid_client', 401), 'exchange_failed'],
  ['an error of its own', () => refusal('<script>', 400), 'exchange_failed'],
  ['403 without words', () => new Response(null, { status: 403 }), 'exchange_failed'],
  ['429', () => new Response(null, { status: 429, headers: { 'retry-after': '30' } }), 'provider_unavailable'],
  ['500', () => new Response('oops', { status: 500 }), 'provider_unavailable'],
  ['503 of HTML', () => html(503), 'provider_unavailable'],
  ['HTML with 200', () => html(200), 'exchange_failed'],
  ['nothing with 204', () => new Response(null, { status: 204 }), 'exchange_failed'],
  ['a list', () => Response.json([]), 'exchange_failed'],
  ['null', () => Response.json(null), 'exchange_failed'],
  ['bytes that are not text', () => new Response(new Uint8Array([0xff, 0xfe])), 'exchange_failed'],
  ['more than 64 KiB', () => tokens({ padding: 'x'.repeat(70_000) }), 'exchange_failed'],
  ['a redirect', () => Response.redirect('http://127.0.0.1:1/', 307), 'exchange_failed'],
  ['no access token', () => tokens({ access_token: undefined }), 'exchange_failed'],
  ['an empty access token', () => tokens({ access_token: '' }), 'exchange_failed'],
  ['an access token with a line break', () => tokens({ access_token: 'a\r\nX-Other: b' }), 'exchange_failed'],
  ['an access token that is not text', () => tokens({ access_token: 1 }), 'exchange_failed'],
  ['a refresh token with a line break', () => tokens({ refresh_token: 'a\nb' }), 'exchange_failed'],
  ['tokens of another type', () => tokens({ token_type: 'mac' }), 'exchange_failed'],
]
test.each(answers)('%s creates no Connection', async (_, answer, code) => {
  world.odd.tokenAnswers = [answer]
  const before = connections()
  const end = await world.connectOddly('odd', { returnTo: '/done' })
  expect(outcomeOf(end)).toEqual({ at: `${publicUrl}/done`, oauth: 'error', code })
  expect(world.odd.tokenRequests).toHaveLength(1)
  expect(connections()).toBe(before)
})

describe('a Connection', () => {
  const made = async (answer: () => Response, presetKey = 'odd') => {
    world.odd.tokenAnswers = [answer]
    const end = await world.connectOddly(presetKey)
    expect(outcomeOf(end)).toMatchObject({ oauth: 'success' })
    const id = end.searchParams.get('connectionId')!
    const [grant] = world.rows<{ expires_at: number | null; renewable: number }>(
      'select expires_at, renewable from oauth_grants where connection_id = ? order by id desc',
      id,
    )
    world.clock.advance(1000)
    return { ...(await world.connection(id)), grant }
  }

  test.each([
    ['as granted', { scope: 'openid' }, ['openid']],
    ['granted beyond the requested ones', { scope: 'openid email admin' }, ['openid', 'email', 'admin']],
    ['separated by commas', { scope: 'repo,user' }, ['repo', 'user']],
    ['as requested, when the response names none', {}, ['openid', 'email', 'offline_access']],
    ['as requested, when those of the response are not text', { scope: 5 }, ['openid', 'email', 'offline_access']],
    ['without invalid names', { scope: 'openid "x" <b>' }, ['openid', '<b>']],
  ])('has the scopes %s', async (_, more, scopes) => {
    expect((await made(() => tokens(more))).oauth.scopes).toEqual(scopes)
  })

  test.each([
    ['a number', 60, 60],
    ['digits', '60', 60],
    ['a fraction', 60.9, 60],
    ['more digits than any lifetime has', '99999999999', 315_360_000],
    ['a number beyond all', 1e300, 315_360_000],
    // what is no time: soon, because the token can be refreshed
    ['a negative number', -1, 300],
    ['words', 'soon', 300],
    ['a negative number as text', '-1', 300],
    ['a list', [3600], 300],
    ['a flag', true, 300],
  ])('has a token with the right expiry when expires_in is %s', async (_, expires_in, seconds) => {
    const now = world.clock.now()
    expect((await made(() => tokens({ expires_in }))).grant.expires_at).toBe(now + seconds * 1000)
  })

  test.each([[undefined], [null]])('has a token without expiry when expires_in is %p', async (expires_in) => {
    expect((await made(() => tokens({ expires_in }))).grant.expires_at).toBeNull()
  })

  test.each([[-1], ['soon']])(
    'has a token without expiry when expires_in is %p and it cannot be refreshed',
    async (expires_in) => {
      expect((await made(() => tokens({ expires_in, refresh_token: undefined }))).grant.expires_at).toBeNull()
    },
  )

  test('can have no refresh token', async () => {
    expect((await made(() => tokens({ refresh_token: undefined }))).grant.renewable).toBe(0)
  })

  test('accepts a response without a token type, and a type in capitals', async () => {
    await made(() => tokens({ token_type: undefined }))
    await made(() => tokens({ token_type: 'BEARER' }))
  })

  test('has the account named by the userinfo endpoint', async () => {
    world.odd.userinfo = () => Response.json({ sub: '42', email: 'Ada\u0000@example.com', name: 'Ada' })
    expect((await made(() => tokens())).oauth.account).toEqual({ id: '42', label: 'Ada@example.com' })
  })

  test.each([
    [
      { sub: 'x', name: 'Ada' },
      { id: 'x', label: 'Ada' },
    ],
    [{ sub: 'y' }, { id: 'y', label: 'y' }],
    [{ email: 'only@example.com' }, { id: 'only@example.com', label: 'only@example.com' }],
  ])('has the account of the userinfo %j', async (userinfo, account) => {
    world.odd.userinfo = () => Response.json(userinfo)
    expect((await made(() => tokens())).oauth.account).toEqual(account)
  })

  test('has the account of the id token, for a preset with an issuer', async () => {
    const claims = { iss: world.odd.url, aud: world.acme.clientId, exp: world.clock.now() / 1000 + 60, sub: 'by-id' }
    expect((await made(() => tokens({ id_token: idToken(claims) }), 'strict')).oauth.account.id).toBe('by-id')
    const several = { ...claims, aud: ['other', world.acme.clientId], azp: world.acme.clientId }
    expect((await made(() => tokens({ id_token: idToken(several) }), 'strict')).oauth.account.id).toBe('by-id')
  })
})

describe('an identity is not trusted', () => {
  const claims = (more: object) => ({
    iss: world.odd.url,
    aud: world.acme.clientId,
    exp: world.clock.now() / 1000 + 60,
    sub: 'by-id',
    ...more,
  })
  const failing = async (id_token: unknown) => {
    world.odd.tokenAnswers = [() => tokens({ id_token })]
    expect(outcomeOf(await world.connectOddly('strict'))).toMatchObject({ oauth: 'error', code: 'exchange_failed' })
  }

  test.each([
    ['another issuer', { iss: 'https://evil.example.com' }],
    ['no issuer', { iss: undefined }],
    ['another audience', { aud: 'somebody-else' }],
    ['no audience', { aud: undefined }],
    ['several audiences and no authorized party', { aud: ['other', 'troupe-client'] }],
    ['another authorized party', { azp: 'somebody-else' }],
    ['an expiry in the past', { exp: 1000 }],
    ['no end', { exp: undefined }],
    ['no subject', { sub: undefined }],
    ['a subject that is too long', { sub: 'x'.repeat(256) }],
  ])('with %s', (_, more) => failing(idToken(claims(more))))

  test.each([['no token'], ['a.b'], ['a.b.c'], ['eyJhbGciOiJub25lIn0.bnVsbA.']])('with the id token %p', (text) =>
    failing(text),
  )

  test.each([[undefined], [null], [5], [{}]])('with the id token %p, and without a userinfo endpoint', failing)

  test.each([
    ['no subject', () => Response.json({ name: 'Ada' }), 'exchange_failed'],
    ['a subject that is not text', () => Response.json({ sub: 5 }), 'exchange_failed'],
    ['HTML', () => html(200), 'exchange_failed'],
    ['401', () => new Response(null, { status: 401 }), 'exchange_failed'],
    ['500', () => new Response(null, { status: 500 }), 'provider_unavailable'],
  ])('with %s from the userinfo endpoint', async (_, userinfo, code) => {
    world.odd.userinfo = userinfo
    expect(outcomeOf(await world.connectOddly())).toMatchObject({ oauth: 'error', code })
  })

  test('with a response of another issuer than the one that was asked', async () => {
    const begun = await world.begin('strict')
    const query = { code: 'a-code', state: begun.state, iss: 'https://evil.example.com' }
    const { headers } = await world.arrive('strict', begun, query)
    expect(headers.get('location')).toContain('code=exchange_failed')
    expect(world.odd.tokenRequests).toEqual([])
  })
})

test('tokens, codes, states, verifiers and secrets appear nowhere unsealed', async () => {
  world.odd.tokenAnswers = [() => tokens({ access_token: 'secret-access-9', refresh_token: 'secret-refresh-9' })]
  const begun = await world.begin('odd', { returnTo: '/done' })
  const reply = await world.arrive('odd', begun, { code: 'secret-code-9', state: begun.state })
  world.odd.tokenAnswers = [() => refusal('invalid_grant')]
  const again = await world.begin('odd', { returnTo: '/done' })
  await world.arrive('odd', again, { code: 'secret-code-10', state: again.state })
  const [first] = world.odd.tokenRequests as [(typeof world.odd.tokenRequests)[number]]
  const secrets = [
    'secret-access-9',
    'secret-refresh-9',
    'secret-code-9',
    'secret-code-10',
    'words of',
    begun.state,
    again.state,
    first.form.code_verifier!,
    world.acme.clientSecret,
  ]
  const tables = world.rows<{ name: string }>("select name from sqlite_schema where type = 'table'")
  const stored = JSON.stringify(tables.map(({ name }) => world.rows(`select * from "${name}"`)))
  const id = new URL(reply.headers.get('location')!).searchParams.get('connectionId')!
  const shown = JSON.stringify([...reply.headers, await world.connection(id)])
  const logged = JSON.stringify(world.lines)
  expect(logged).toContain('a consent flow has failed')
  for (const secret of secrets) {
    expect(stored).not.toContain(secret)
    expect(shown).not.toContain(secret)
    expect(logged).not.toContain(secret)
  }
})
