/** Contract 9, `/docs`: the API reference, in a closed network, usable without scripts. */
import { expect, test } from 'bun:test'
import { testApp } from '../http/fixture.ts'

const { app } = testApp()
const get = (path: string, headers: Record<string, string> = {}) =>
  app.handle(new Request(`http://localhost${path}`, { headers }))
const page = await (await get('/docs')).text()
const addresses = [...page.matchAll(/ (?:src|href)="([^"#]+)"/g)].map(([, address]) => address as string)
const files = [...new Set(addresses)].filter((address) => address.includes('?v='))

test('the page loads only its own style and script', () => {
  expect(files.map((address) => address.replace(/\?v=\w+$/, '?v=…'))).toEqual([
    '/docs/style.css?v=…',
    '/docs/search.js?v=…',
  ])
  expect(addresses.filter((address) => !address.startsWith('/'))).toEqual([])
  expect(page).not.toMatch(/ style="| on\w+="|<style|<script>/)
})

test('the policy forbids loading anything from elsewhere', async () => {
  const policy = (await get('/docs')).headers.get('content-security-policy') ?? ''
  expect(policy).toStartWith("default-src 'none'; script-src 'self'; style-src 'self';")
  expect(policy).not.toMatch(/https?:|\*|unsafe/)
  expect(policy).toContain("frame-ancestors 'none'")
})

test('the assets are small, typed, and cached forever', async () => {
  const types = ['text/css', 'text/javascript']
  for (const [index, file] of files.entries()) {
    const answer = await get(file)
    expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(answer.headers.get('content-type')).toStartWith(types[index] as string)
    expect((await answer.text()).length).toBeLessThan(20_000)
  }
})

test.each(['/docs', '/docs/json', ...files])('%s is compressed for clients that support it', async (path) => {
  const answer = await get(path, { 'accept-encoding': 'br, gzip' })
  expect(answer.headers.get('content-encoding')).toBe('gzip')
  expect(answer.headers.get('vary')).toBe('accept-encoding')
  const text = new TextDecoder().decode(Bun.gunzipSync(new Uint8Array(await answer.arrayBuffer())))
  expect(text).toBe(await (await get(path)).text())
})

test('every operation and every schema of the document is on the page, and every link works', async () => {
  const document = await (await get('/docs/json')).json()
  const ids = new Set([...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))
  const operations = Object.values<Record<string, { operationId: string }>>(document.paths).flatMap((methods) =>
    Object.entries(methods).filter(([method]) => method !== 'head'),
  )
  expect(operations.map(([, { operationId }]) => operationId).filter((id) => !ids.has(id))).toEqual([])
  expect(Object.keys(document.components.schemas).filter((name) => !ids.has(`schema-${name}`))).toEqual([])
  const targets = [...page.matchAll(/ href="#([^"]+)"/g)].map(([, id]) => id)
  expect(targets.filter((id) => !ids.has(id))).toEqual([])
  expect(ids.size).toBe([...page.matchAll(/ id="/g)].length)
})

test('text of the document is rendered as text', async () => {
  const { markdown } = await import('../../../src/platform/docs/page/text.ts')
  expect(markdown('a <script>alert(1)</script>\n\n<img src=x onerror=y>')).not.toMatch(/<(script|img)/)
})

test('the root links to the docs', async () => {
  expect(await (await get('/')).json()).toEqual({
    name: 'Troupe',
    version: '1.2.3',
    documentation: '/docs',
    apiDocument: '/docs/json',
  })
})

test('browsers find an icon', async () => {
  const answer = await get('/favicon.ico')
  expect(answer.headers.get('content-type')).toBe('image/x-icon')
  expect([...new Uint8Array(await answer.arrayBuffer()).slice(0, 6)]).toEqual([0, 0, 1, 0, 1, 0])
})
