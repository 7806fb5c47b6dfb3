/** `troupe logs`, `webhooks listen` and `import`: commands for one Environment. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Troupe } from '@troupe/sdk'
import { say, script } from '@troupe/sdk/testing'
import { openShop } from '../sdk/shop.ts'
import { mistyped } from '../support/mistyped.ts'
import { eventually } from '../support/process.ts'
import { openTroupe, type Troupe as Server } from '../support/troupe.ts'
import { endCommands, type Home, openHome } from './command.ts'

let server: Server
let home: Home
let troupe: Troupe

beforeAll(async () => {
  server = await openTroupe()
  home = await openHome({ TROUPE_URL: server.url, TROUPE_API_KEY: server.key })
  troupe = new Troupe({ baseUrl: server.url, apiKey: server.key })
  await openShop(troupe)
})
afterAll(async () => {
  await endCommands()
  await server?.stop()
  await home?.remove()
})

const place = 'shop/development'
const runOnce = async () => {
  const run = await troupe.runs.start({ agent: `${place}/clerk`, query: script(say('Hello.')) })
  await run.output()
  return run.id
}

describe('logs', () => {
  test('shows the last events of the given types, and follows', async () => {
    const id = await runOnce()
    const past = await home.run('logs', place, '--type', 'run.completed', '--limit', '1', '--json')
    expect(past.lines()).toEqual([
      expect.objectContaining({ type: 'run.completed', subject: { type: 'agentRun', id } }),
    ])
    const going = home.start(['logs', place, '-f', '--limit', '0', '--type', 'run.completed'])
    const seen = going.says(/run\.completed +(run_\w+)/)
    let isSeen = false
    void seen.then(() => {
      isSeen = true
    })
    // runs that end before the first poll count as past
    const ids: string[] = []
    while (!isSeen) ids.push(await runOnce())
    expect(ids).toContain((await seen)[1] as string)
    going.process.kill('SIGINT')
    expect((await going.ended).code).toBe(130)
  })

  test('follows on once a server that was away is back', async () => {
    let polls = 0
    const proxy = Bun.serve({
      port: 0,
      async fetch(request) {
        const { pathname, search } = new URL(request.url)
        if (pathname.endsWith('/events')) polls += 1
        if (polls > 1 && polls < 6) return new Response('<h1>Bad gateway</h1>', { status: 502 })
        return fetch(`${server.url}${pathname}${search}`, { headers: request.headers })
      },
    })
    const going = home.start(['logs', place, '-f', '--limit', '0', '--url', proxy.url.origin])
    await eventually('a poll that fails', () => polls > 1)
    const id = await runOnce()
    await going.says(new RegExp(`run\\.completed +${id}`))
    going.process.kill('SIGINT')
    expect((await going.ended).code).toBe(130)
    await proxy.stop(true)
  })

  test('shows the log of a run, or only its last lines, and follows it to its end', async () => {
    const id = await runOnce()
    const all = (await home.run('logs', id, '--limit', '100', '--json')).lines() as { message: string }[]
    expect(all[0]).toMatchObject({ source: 'server', message: 'start: new → queued' })
    expect(all.at(-1)?.message).toContain('→ completed')
    expect((await home.run('logs', id, '--limit', '2', '--json')).lines()).toEqual(all.slice(-2))
    const { id: going } = await troupe.runs.start({ agent: `${place}/clerk`, query: '/sleep 500' })
    const { code, stdout } = await home.run('logs', going, '--follow')
    expect([code, stdout.trim().split('\n').at(-1)]).toEqual([0, expect.stringContaining('→ completed')])
    const { items } = await troupe.runs.listLogs({ agentRunId: going, limit: 100 })
    expect(stdout.trim().split('\n')).toHaveLength(items.length)
    expect((await home.run('logs', mistyped(id))).code).toBe(5)
  })

  test.each([
    [['logs', 'shop'], 2, /PROJECT\/KIND/],
    [['logs', 'nothing/development'], 5, /no Project nothing/],
    [['logs', 'shop/staging'], 5, /no Environment staging.*\n.*development, preview, production/],
    [['run', 'shop/production/clerk', 'Hello'], 6, /no active Deployment.*\n.*troupe apply/],
    [['logs', 'shop/development', '--type', 'run.finished'], 2, /no event type run\.finished\. .*run\.completed/],
    [['logs', 'run_01jd3e5vhbf7t8r2q9x4mzk6ga', '--type', 'run.failed'], 2, /has no types/],
    [
      ['webhooks', 'listen', 'shop/development', '--to', 'http://localhost', '--events', 'run.finished'],
      2,
      /no event type run\.finished/,
    ],
  ])('%p exits with %d', async (words, exit, message) => {
    const { code, stderr } = await home.run(...words)
    expect(code).toBe(exit)
    expect(stderr).toMatch(message)
  })
})

describe('webhooks listen', () => {
  test('posts signed events to a local program, and continues when it refuses', async () => {
    const taken: { id: string; type: string }[] = []
    const { promise: secret, resolve } = Promise.withResolvers<string>()
    const receiver = Bun.serve({
      port: 0,
      fetch: async (request) => {
        const event = await Troupe.webhooks.verify(await request.text(), request.headers, await secret)
        taken.push(event as (typeof taken)[number])
        return new Response('', { status: taken.length === 1 ? 500 : 204 })
      },
    })
    const to = `http://localhost:${receiver.port}/hooks`
    const going = home.start(['webhooks', 'listen', place, '--to', to, '--events', 'run.completed'])
    resolve((await going.says(/whsec_\S+/))[0])
    await runOnce()
    await going.says(/run\.completed +evt_\w+ +500/)
    await runOnce()
    await going.says(/run\.completed +evt_\w+ +204/)
    await receiver.stop(true)
    await runOnce()
    await going.says(/run\.completed +evt_\w+ +ECONNREFUSED[^?\n]*\n/)
    going.process.kill('SIGINT')
    expect((await going.ended).code).toBe(130)
    expect(taken.map(({ type }) => type)).toEqual(['run.completed', 'run.completed'])
  })

  test('requires a valid address and secret', async () => {
    expect((await home.run('webhooks', 'listen', place, '--to', 'localhost:80')).code).toBe(2)
    expect((await home.run('webhooks', 'listen', place, '--to', 'http://localhost', '--secret', 'x!')).code).toBe(2)
  })
})

describe('import openapi', () => {
  const words = ['--project', 'shop', '--definition', 'pets', '--binding', 'pets']
  const write = async (name: string, text: string) => {
    await writeFile(join(home.folder, name), text)
    return name
  }
  const yaml = `
openapi: 3.1.0
info: { title: Pets, version: '1' }
servers: [{ url: 'https://pets.example.com' }]
paths:
  /pets:
    get: { operationId: listPets, summary: Lists pets, responses: { '200': { description: All of them } } }
  /pets/{id}:
    get:
      operationId: getPet
      summary: One pet
      parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
      responses: { '200': { description: It } }
`

  test('publishes the selected operations of a YAML document', async () => {
    const file = await write('pets.yaml', yaml)
    const only = await home.run('import', 'openapi', file, ...words, '--operations', 'getPet', '--json')
    expect(only.code).toBe(0)
    expect(only.json<{ source: { operations: { name: string }[] } }>().source.operations).toHaveLength(1)
    const published = await home.run('import', 'openapi', file, ...words, '--publish')
    expect(published).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Published 2 operations as revision 1 of pets'),
    })
    const one = await home.run('import', 'openapi', file, ...words, '--operations', 'getPet', '--publish')
    expect(one.stdout).toContain('Published 1 operation as revision 2 of pets')
  })

  test('imports the first hundred of a document that is too large for a request, and says so', async () => {
    const paths = Object.fromEntries(
      Array.from({ length: 2_000 }, (_, index) => [
        `/pets/${index}`,
        {
          get: {
            operationId: `pet${index}`,
            responses: { 200: { description: 'x', 'x-many': Array(60).fill('long') } },
          },
        },
      ]),
    )
    const file = await write('many.json', JSON.stringify({ openapi: '3.0.3', info: {}, paths }))
    const { code, stderr, json } = await home.run('import', 'openapi', file, ...words, '--json')
    expect([code, json<{ source: { operations: object[] } }>().source.operations.length]).toEqual([0, 100])
    expect(stderr).toContain('has 2000 operations: the first 100 are imported')
  })

  test.each([
    [
      'anchors that expand exponentially',
      `a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c]\n`,
      /alias/i,
    ],
    ['depth', `a: ${'['.repeat(200)}${']'.repeat(200)}`, /levels deep/],
    ['broken', 'a: [1, 2', /neither valid JSON nor valid YAML/],
    ['a duplicate key', 'a: 1\na: 2\n', /"a" twice in one object, again in line 2/],
    ['a list', '- 1\n', /not an object/],
  ])('rejects %s', async (name, text, message) => {
    const { code, stderr } = await home.run('import', 'openapi', await write(`${name}.yaml`, text), ...words)
    expect(code).toBe(2)
    expect(stderr).toMatch(message)
  })

  test('leaves no Definition of a document that the server refuses, and one of another', async () => {
    const { id: projectId } = (await troupe.projects.list({ slug: 'shop' })).items[0] as { id: string }
    const named = async (name: string) => (await troupe.definitions.list({ projectId, name })).items.length
    const into = ['--project', 'shop', '--binding', 'pets', '--definition']
    const old = await write('old.yaml', 'swagger: "2.0"\npaths: {}\n')
    const refused = await home.run('import', 'openapi', old, ...into, 'old-pets')
    expect(refused.code).toBe(6)
    expect(refused.stderr).toContain('This one is Swagger 2.0')
    expect(refused.stderr).not.toContain('Created')
    expect(await named('old-pets')).toBe(0)
    const shown = await home.run('import', 'openapi', await write('new.yaml', yaml), ...into, 'new-pets')
    expect(shown).toMatchObject({ code: 0, stderr: expect.stringContaining('Created the Definition new-pets') })
    expect(await named('new-pets')).toBe(1)
  })

  test('reports missing arguments', async () => {
    expect((await home.run('import', 'openapi', 'nothing.yaml', ...words)).stderr).toContain(
      'There is no file nothing.yaml',
    )
    expect((await home.run('import', 'openapi', 'http://127.0.0.1:9/x.json', ...words)).code).toBe(2)
    expect((await home.run('import', 'mcp', place, 'nothing', '--definition', 'x', '--binding', 'x')).code).toBe(5)
  })
})
