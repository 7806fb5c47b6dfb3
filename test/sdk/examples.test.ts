/** The programs in `examples/`, started like users start them, against a server. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join, resolve } from 'node:path'
import { startTestServer, type TestServer } from '@troupe/sdk/testing'

const root = resolve(import.meta.dir, '../..')
let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server?.stop())

async function run(name: string, ...words: string[]) {
  const child = Bun.spawn([process.execPath, join(root, 'examples', name), ...words], {
    stdout: 'pipe',
    stderr: 'pipe',
    env: { ...process.env, TROUPE_URL: server.baseUrl, TROUPE_KEY: server.apiKey },
  })
  const [output, errors, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { code, output: output + errors }
}

test('the first run is a short program', async () => {
  const lines = (await Bun.file(join(root, 'examples/first-run.ts')).text()).trimEnd().split('\n')
  expect(lines.length).toBeLessThan(25)
})

test.each([...new Bun.Glob('*.ts').scanSync(join(root, 'examples'))])('%s uses the server by the SDK', async (name) => {
  expect(await Bun.file(join(root, 'examples', name)).text()).not.toMatch(/\bfetch\(|openapi-fetch/)
})

test('the first run is started, followed and read', async () => {
  const { code, output } = await run('first-run.ts')
  expect({ code, output }).toMatchObject({ code: 0 })
  const lines = output.trimEnd().split('\n')
  expect(lines[0]).toMatch(/^run_/)
  expect(lines).toContain('  · → queued')
  expect(lines).toContain('    tool calculator')
  expect(lines.at(-1)).toBe('Six times seven is forty-two.')
})

test('a failed first run prints its reason in one line, with code 1', async () => {
  const { code, output } = await run('first-run.ts', '/fail The vendor is away.')
  expect(code).toBe(1)
  expect(output.trimEnd().split('\n').at(-1)).toContain('The vendor is away.')
})

test('the delivery path leads from source to a run of the active Deployment', async () => {
  const { code, output } = await run('delivery-path.ts')
  expect({ code, output }).toMatchObject({ code: 0 })
  for (const line of [
    'deployment     ready',
    'activation     generation 1',
    'tool find_order: {"number":"A-17"}',
    'completed → completed',
  ]) {
    expect(output).toContain(line)
  }
})

test('a job and a workflow wait for decisions', async () => {
  const { code, output } = await run('approvals.ts')
  expect({ code, output }).toMatchObject({ code: 0 })
  for (const line of [
    'asked     refunds.pay {"order":"A-17","amount":12.5}',
    'decided   approved: A-17 came back yesterday.',
    'run       completed: Paid back.',
    'step      find succeeded',
    'step      pay failed',
    'workflow  failed',
  ]) {
    expect(output).toContain(line)
  }
})

test("OpenAI's client uses an Agent as its model", async () => {
  const { code, output } = await run('openai.ts')
  expect({ code, output }).toEqual({
    code: 0,
    output: 'Six times seven is forty-two.\nAnd eight times seven is fifty-six.\n',
  })
})

test('the chat page is short', async () => {
  const files = ['index.html', 'page.tsx', 'server.ts'].map((name) =>
    Bun.file(join(root, 'examples/chat', name)).text(),
  )
  const lines = (await Promise.all(files)).flatMap((text) => text.trimEnd().split('\n'))
  expect(lines.length).toBeLessThan(100)
})

test('the configuration of MCP clients names the server in their format', async () => {
  const { mcpServers } = await Bun.file(join(root, 'examples/mcp.json')).json()
  const { type, url, headers } = mcpServers.troupe
  expect(type).toBe('http')
  const answer = await fetch(url.replace('http://127.0.0.1:3000', server.baseUrl), {
    method: 'POST',
    headers: {
      authorization: headers.Authorization.replace(/\$\{TROUPE_KEY\}/, server.apiKey),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  })
  expect(await answer.text()).toContain('agt_system_assistant')
})
