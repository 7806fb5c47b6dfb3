/** Contract 9, `GET /` → the console: served completely by this process, restricted by its policy, and small. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { addresses } from '../../src/console/serve.ts'
import { openTroupe, type Troupe } from '../support/troupe.ts'

let troupe: Troupe
beforeAll(async () => {
  troupe = await openTroupe({
    environment: { TROUPE_EMBED_ANCESTORS: 'https://app.example, http://docs.example:8080' },
  })
})
afterAll(() => troupe?.stop())

const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const get = (path: string, headers: Record<string, string> = html) => fetch(troupe.url + path, { headers })

/** Addresses in a page. */
const named = (page: string) => [...page.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address]) => address!)
/** Static imports of a script; lazily loaded pages are not included. */
const needed = (script: string) =>
  [...script.matchAll(/(?:from|import)\s*["'](\/assets\/[^"']+\.js)["']/g)].map(([, address]) => address!)

/** Everything that is loaded before the first render: address → compressed bytes and text. */
async function firstLoad(): Promise<Map<string, { bytes: number; text: string }>> {
  const loaded = new Map<string, { bytes: number; text: string }>()
  const waiting = ['/']
  for (let address = waiting.pop(); address !== undefined; address = waiting.pop()) {
    if (loaded.has(address)) continue
    const answer = await get(address, { ...html, 'accept-encoding': 'identity' })
    expect(answer.status).toBe(200)
    const text = await answer.text()
    loaded.set(address, { bytes: Bun.gzipSync(Buffer.from(text)).length, text })
    waiting.push(...(address === '/' ? named(text) : address.endsWith('.js') ? needed(text) : []))
  }
  return loaded
}

test.each([
  '/',
  '/o/default',
  '/o/default/p/prj_1/e/env_1/webhooks',
  '/invitation?token=x',
  '/forgot-password',
  '/password-reset?token=x',
  '/verification?token=x',
  '/billing/success',
  '/pricing',
])('%s is the console for a browser', async (path) => {
  const answer = await get(path)
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toBe('text/html;charset=utf-8')
  expect(await answer.text()).toContain('<div id="console">')
})

test('/ is an overview of links for a program', async () => {
  const answer = await get('/', { accept: 'application/json' })
  expect(await answer.json()).toMatchObject({ name: 'Troupe', documentation: '/docs', apiDocument: '/docs/json' })
  expect(answer.headers.get('vary')).toContain('accept')
})

test.each(['/nowhere', '/api/v1/nowhere', '/assets/nothing.js', '/assets/../package.json'])(
  '%s is 404, in the error shape',
  async (path) => {
    const answer = await get(path)
    expect(answer.status).toBe(404)
    expect(await answer.json()).toMatchObject({ error: { code: 'not_found' } })
  },
)

test('the page may run and load only its own files', async () => {
  const { headers } = await get('/')
  const policy = headers.get('content-security-policy') ?? ''
  expect(policy).toStartWith("default-src 'self'; script-src 'self'; style-src 'self';")
  expect(policy).toContain("frame-ancestors 'none'")
  expect(policy).not.toMatch(/unsafe|https?:|\*/)
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('referrer-policy')).toBe('no-referrer')
  expect(headers.get('cache-control')).toBe('no-cache')
})

test('the page of an embedded chart may be framed by pages that the operator names, and is equally restricted', async () => {
  const answer = await get('/embed/actors/run/run_1?ticket=x')
  expect([answer.status, answer.headers.get('set-cookie')]).toEqual([200, null])
  const policy = answer.headers.get('content-security-policy') ?? ''
  const console = (await get('/')).headers.get('content-security-policy') ?? ''
  const ancestors = "frame-ancestors 'self' https://app.example http://docs.example:8080"
  expect(policy).toBe(console.replace("frame-ancestors 'none'", ancestors))
  const page = await answer.text()
  expect(page).toContain('<div id="chart">')
  expect(page).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\son\w+=|\sstyle=|https?:/)
  for (const address of named(page)) expect((await get(address)).status).toBe(200)
})

test('the page has no inline script or style, and no external address', async () => {
  const page = await (await get('/')).text()
  expect(page).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\son\w+=|\sstyle=|https?:/)
  for (const address of named(page)) expect(address).toMatch(/^\/assets\/[\w.-]+-[0-9a-z]{8}\.(?:js|css|svg)$/)
})

test('files are cached forever, and compressed for clients that support it', async () => {
  const page = await (await get('/')).text()
  for (const address of named(page)) {
    const answer = await get(address, { 'accept-encoding': 'gzip' })
    expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(answer.headers.get('content-encoding')).toBe('gzip')
    expect(answer.headers.get('vary')).toContain('accept-encoding')
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
  }
})

test('the first load is under 300 KB, without the charts and without anything of the server', async () => {
  const loaded = await firstLoad()
  const bytes = [...loaded.values()].reduce((sum, file) => sum + file.bytes, 0)
  expect(bytes).toBeLessThan(300_000)
  const scripts = [...loaded].filter(([address]) => address.endsWith('.js')).map(([, { text }]) => text)
  expect(scripts.length).toBeGreaterThan(0)
  for (const text of scripts) expect(text).not.toMatch(/react-flow__|elkjs|uPlot|TROUPE_|kysely|typebox/i)
})

test('the console with hot reload has every address of the console, and passes all others on', async () => {
  const child = Bun.spawn([process.execPath, new URL('../../src/console/develop.ts', import.meta.url).pathname], {
    env: { ...process.env, PORT: '0', TROUPE_URL: troupe.url },
    stdout: 'pipe',
  })
  try {
    let said = ''
    for await (const piece of child.stdout) {
      said += new TextDecoder().decode(piece)
      if (said.includes('its API')) break
    }
    const origin = new URL(/is at (\S+),/.exec(said)![1]!).origin
    for (const path of addresses) {
      const answer = await fetch(origin + path.replace('*', 'default'), { headers: html })
      expect([path, await answer.text()]).toEqual([path, expect.stringContaining('_bun')])
    }
    expect(await (await fetch(`${origin}/healthz`)).json()).toMatchObject({ status: 'alive' })
  } finally {
    child.kill()
    await child.exited
  }
})
