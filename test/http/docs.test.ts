/** Contract 9, `/docs`: the reader works in a closed network, so it loads nothing from elsewhere. */
import { expect, test } from 'bun:test'
import { testApp } from './fixture.ts'

const { app } = testApp()
const get = (path: string, headers: Record<string, string> = {}) =>
  app.handle(new Request(`http://localhost${path}`, { headers }))
const page = await (await get('/docs')).text()
const [script = ''] = /\/docs\/reader\.js\?v=\w+/.exec(page) ?? []

test('the page names no address but our own', () => {
  expect(page).not.toMatch(/(https?:)?\/\/[a-z0-9]/i)
  const addresses = [...page.matchAll(/(?:src|href|data-url)="([^"]*)"/g)].map(([, address]) => address)
  expect(addresses).toEqual(['/docs/json', script])
})

test('the page switches off whatever its makers would load', () => {
  const [, settings = ''] = /data-configuration='([^']*)'/.exec(page) ?? []
  expect(JSON.parse(settings)).toMatchObject({
    withDefaultFonts: false,
    telemetry: false,
    hideClientButton: true,
    agent: { disabled: true },
  })
})

test('the browser is told to load nothing from elsewhere', async () => {
  const policy = (await get('/docs')).headers.get('content-security-policy') ?? ''
  expect(policy).toStartWith("default-src 'self'; script-src 'self';")
  expect(policy).not.toMatch(/https?:|\*|unsafe-eval/)
  expect(policy).toContain("frame-ancestors 'none'")
})

test('the script is ours, complete, and kept for ever', async () => {
  const answer = await get(script)
  expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  expect(answer.headers.get('content-type')).toStartWith('text/javascript')
  expect((await answer.text()).includes('createApiReference')).toBe(true)
})

test('the script is compressed for those who can read it', async () => {
  const answer = await get(script, { 'accept-encoding': 'br, gzip' })
  expect(answer.headers.get('content-encoding')).toBe('gzip')
  expect(answer.headers.get('vary')).toBe('accept-encoding')
  const compressed = new Uint8Array(await answer.arrayBuffer())
  expect(compressed.length).toBeLessThan(1_500_000)
  expect(new TextDecoder().decode(Bun.gunzipSync(compressed)).includes('createApiReference')).toBe(true)
})

test('the root points to the docs', async () => {
  expect(await (await get('/')).json()).toEqual({
    name: 'Troupe',
    version: '1.2.3',
    documentation: '/docs',
    apiDocument: '/docs/json',
  })
})
