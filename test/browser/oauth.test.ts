/** The consent flow for a user: a real browser, a session, a real OpenID provider. Source: requirement 4.2. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { openOddProvider } from '../accounts/oauth/odd-provider.ts'
import { oddPresets, presetOf, presetsFile } from '../accounts/oauth/world.ts'
import { describeInBrowser, type OpenBrowser, openBrowser } from '../support/services/chromium.ts'
import { type IdentityProvider, openIdentityProvider } from '../support/services/identity-provider.ts'
import { openTroupe, ownerEmail, ownerPassword, type Troupe } from '../support/troupe.ts'

describeInBrowser('a user with a session', () => {
  const odd = openOddProvider()
  let browser: OpenBrowser
  let provider: IdentityProvider
  let presets: Awaited<ReturnType<typeof presetsFile>>
  let troupe: Troupe
  let url: string
  let query: string
  let path: string

  beforeAll(async () => {
    provider = await openIdentityProvider({})
    const { authorizationEndpoint, tokenEndpoint, issuer } = provider
    presets = await presetsFile([
      presetOf('acme', { authorizationEndpoint, tokenEndpoint, issuer, apiBaseUrl: `${odd.url}/api` }),
      ...oddPresets(odd),
    ])
    troupe = await openTroupe({
      environment: {
        TROUPE_RUNNER: 'none',
        TROUPE_PRESETS_FILE: presets.path,
        TROUPE_ALLOW_PRIVATE_ADDRESSES: 'true',
      },
    })
    // the address for providers if none is configured
    url = troupe.url.replace('127.0.0.1', 'localhost')
    provider.redirectTo([`${url}/api/oauth/callback/acme`])
    const { owner } = troupe
    const { clientId, clientSecret } = provider
    const registered = await owner.post('/api/v1/organizations/default/integrations', {
      presetKey: 'acme',
      clientId,
      clientSecret,
    })
    expect(registered.status).toBe(200)
    const { id: projectId } = (await owner.post('/api/v1/projects', { slug: 'shop', name: 'Shop' })).body.data
    const listed = await owner.get(`/api/v1/projects/${projectId}/environments`)
    const environmentId = listed.body.data.items[0].id
    query = `projectId=${projectId}&environmentId=${environmentId}&returnTo=${encodeURIComponent('/healthz?from=oauth')}`
    path = `/api/v1/projects/${projectId}/environments/${environmentId}/connections`
    browser = await openBrowser()
  })

  afterAll(async () => {
    await browser?.close()
    await troupe?.stop()
    await provider?.close()
    await presets?.remove()
    odd.stop()
  })

  async function signedIn() {
    const context = await browser.newContext()
    const answer = await context.request.post(`${url}/api/auth/sessions`, {
      data: { email: ownerEmail, password: ownerPassword },
    })
    expect(answer.status()).toBe(200)
    return { context, page: await context.newPage() }
  }

  test('connects an account, and returns to the page where it started', async () => {
    const { context, page } = await signedIn()
    await page.goto(`${url}/api/oauth/start/acme?${query}`)
    expect(page.url()).toStartWith(`${provider.issuer}/interaction/`)
    const [flow] = (await context.cookies(url)).filter(({ name }) => name.startsWith('troupe_oauth_'))
    expect(flow).toMatchObject({ httpOnly: true, sameSite: 'Lax', path: '/' })

    await page.fill('input[name=login]', 'ada')
    await page.fill('input[name=password]', 'any')
    await page.click('button[type=submit]')
    await page.waitForSelector('input[name=prompt][value=consent]', { state: 'attached' })
    await Promise.all([page.waitForURL(`${url}/healthz?**`), page.click('button[type=submit]')])

    const { searchParams } = new URL(page.url())
    expect([searchParams.get('from'), searchParams.get('oauth')]).toEqual(['oauth', 'success'])
    const { body } = await troupe.owner.get(`${path}/${searchParams.get('connectionId')}`)
    expect(body.data.oauth.account).toEqual({ id: 'ada', label: 'ada@example.com' })
    const left = (await context.cookies(url)).map(({ name }) => name).filter((name) => name.startsWith('troupe_'))
    expect(left.sort()).toEqual(['troupe_device', 'troupe_session'])

    // going back into the flow in the browser leads nowhere
    await page.goBack()
    expect((await troupe.owner.get(path)).body.data.items).toHaveLength(1)
  })

  test('who denies the consent sees that', async () => {
    const { page } = await signedIn()
    await page.goto(`${url}/api/oauth/start/acme?${query}`)
    await Promise.all([page.waitForURL(`${url}/healthz?**`), page.click('a[href$="/abort"]')])
    expect(new URL(page.url()).searchParams.get('code')).toBe('access_denied')
  })

  test('with two windows returns to each', async () => {
    const { context, page } = await signedIn()
    const other = await context.newPage()
    await page.goto(`${url}/api/oauth/start/acme?${query}`)
    await other.goto(`${url}/api/oauth/start/acme?${query}`)
    for (const window of [page, other]) {
      await Promise.all([window.waitForURL(`${url}/healthz?**`), window.click('a[href$="/abort"]')])
      expect(new URL(window.url()).searchParams.get('code')).toBe('access_denied')
    }
  })
})
