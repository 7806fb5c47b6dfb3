/** `/swagger`: the API document in Swagger UI, in a closed network. */
import { expect, test } from 'bun:test'
import { testApp } from '../http/fixture.ts'

const { app } = testApp()
const get = (path: string, headers: Record<string, string> = {}) =>
  app.handle(new Request(`http://localhost${path}`, { headers }))
const page = await (await get('/swagger')).text()
const files = [...page.matchAll(/ (?:src|href)="([^"]+)"/g)].map(([, address]) => address as string)

test('the page loads Swagger UI from this server, and nothing from elsewhere', () => {
  expect(files).toEqual(['/swagger/swagger-ui.css', '/swagger/swagger-ui-bundle.js'])
  expect(page).not.toMatch(/https?:|\/\/unpkg/)
})

test('the policy allows only these scripts, and nothing from elsewhere', async () => {
  const policy = (await get('/swagger')).headers.get('content-security-policy') ?? ''
  const [, script] = /<script>([\s\S]*?)<\/script>/.exec(page)!
  const hash = new Bun.CryptoHasher('sha256').update(script!).digest('base64')
  expect(policy).toContain(`script-src 'self' 'sha256-${hash}';`)
  expect(policy).toStartWith("default-src 'none';")
  expect(policy).not.toMatch(/https?:|\*|unsafe-eval/)
})

test.each([
  ['/swagger', 'text/html'],
  ['/swagger/swagger-ui.css', 'text/css'],
  ['/swagger/swagger-ui-bundle.js', 'text/javascript'],
  ['/swagger/json', 'application/json'],
  ['/swagger/openapi-3.0.json', 'application/json'],
])('%s is %s, compressed for clients that support it', async (path, type) => {
  const answer = await get(path, { 'accept-encoding': 'br, gzip' })
  expect(answer.headers.get('content-type')).toStartWith(type)
  expect(answer.headers.get('content-encoding')).toBe('gzip')
  const text = new TextDecoder().decode(Bun.gunzipSync(new Uint8Array(await answer.arrayBuffer())))
  expect(text).toBe(await (await get(path)).text())
})

test('its document is /docs/json', async () => {
  expect(await (await get('/swagger/json')).text()).toBe(await (await get('/docs/json')).text())
})

const older = await (await get('/swagger/openapi-3.0.json')).json()

test('the document of the page has the same operations and schemas', async () => {
  const newer = await (await get('/docs/json')).json()
  const operationsOf = ({ paths }: { paths: Record<string, object> }) =>
    Object.entries(paths).map(([path, methods]) => [path, Object.keys(methods)])
  expect(operationsOf(older)).toEqual(operationsOf(newer))
  expect(Object.keys(older.components.schemas)).toEqual(Object.keys(newer.components.schemas))
})
