import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { echoOperation } from '../../support/world/places.ts'
import { brokenOff } from '../../support/world/replies.ts'
import { expectHidden, servingIn } from './serving.ts'
import { httpOperation, openWorld, type World } from './world.ts'

let world: World
let serving: ReturnType<typeof servingIn>
beforeAll(async () => {
  world = await openWorld()
  serving = servingIn(world)
})
afterAll(() => world?.stop())
beforeEach(() => {
  world.shop.asked.length = 0
  world.shop.answer = () => Response.json({ ok: true })
})

describe('an echo operation', () => {
  test('returns its input', async () => {
    const { use } = await serving([echoOperation()])
    expect(await use({ a: [1, { b: null }] })).toEqual({ output: { a: [1, { b: null }] }, error: null })
  })

  test('is not executed with an invalid input', async () => {
    const inputSchema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }
    const { use } = await serving([echoOperation('echo', { inputSchema })])
    expect((await use({ n: 'x' })).error).toMatchObject({ code: 'tool_error' })
    expect(await use({ n: 1 })).toMatchObject({ output: { n: 1 } })
  })

  test('fails with an invalid output', async () => {
    const outputSchema = { type: 'object', required: ['id'] }
    const { use } = await serving([echoOperation('echo', { outputSchema })])
    const { error } = await use({ other: 1 })
    expect(error?.code).toBe('tool_error')
    expect(error?.message).toContain('The answer of shop.echo is not valid')
  })
})

describe('an HTTP operation', () => {
  test('requests what the handler says from the Connection, with the values of the input and of variables', async () => {
    const handler = {
      method: 'POST',
      path: '/orders/{{input.id}}',
      query: { full: '{{input.full}}', region: '{{variables.REGION}}', none: '{{input.none}}' },
      headers: { 'X-Trace': 'order {{input.id}}' },
      body: { count: '{{input.count}}', note: 'For {{variables.REGION}}' },
    }
    const { use } = await serving([httpOperation('order', handler, { effect: 'write' })], async (place, agentId) => {
      await world.connection(place, agentId, { headers: { 'X-Client': 'troupe' } })
      await world.variable(place, 'REGION', 'north & south')
    })
    world.shop.answer = () => Response.json({ number: 'A-17' }, { status: 201 })
    expect(await use({ id: 'a/b', full: true, count: 3 })).toEqual({ output: { number: 'A-17' }, error: null })
    const [asked] = world.shop.asked
    expect(asked).toMatchObject({ method: 'POST', path: '/v1/orders/a%2Fb?full=true&region=north%20%26%20south' })
    expect(asked!.headers).toMatchObject({
      'x-trace': 'order a/b',
      'x-client': 'troupe',
      'content-type': 'application/json',
      host: `127.0.0.1:${world.shop.port}`,
    })
    expect(JSON.parse(asked!.text)).toEqual({ count: 3, note: 'For north & south' })
    expect(asked!.headers['idempotency-key']).toMatch(/^opi_[0-9a-z]{26}$/)
  })

  test.each([
    ['bearer', {}, 'to-ken-0123', 'authorization', 'Bearer to-ken-0123'],
    ['basic', {}, 'user:pass-0123', 'authorization', `Basic ${btoa('user:pass-0123')}`],
    ['header', { headerName: 'X-Api-Key' }, 'api-key-0123', 'x-api-key', 'api-key-0123'],
  ])('authenticates by %s, and returns no secret', async (auth, more, secret, header, value) => {
    const { use } = await serving([httpOperation('find', { path: '/find' })], async (place, agentId) => {
      const credential = await world.credential('custom', secret)
      await world.connection(place, agentId, { auth, ...more }, { providerCredentialId: credential.id })
    })
    world.shop.answer = ({ headers }) => Response.json({ sent: headers[header] })
    const { output } = await use()
    expect(world.shop.asked[0]!.headers[header]).toBe(value)
    expect(JSON.stringify(output)).not.toContain(secret.split(':').at(-1)!)
    world.shop.answer = ({ headers }) => new Response(`You sent ${headers[header]}.`, { status: 401 })
    const { error } = await use()
    expect(error?.message).toStartWith('shop.find answered 401: You sent ')
    expect(error?.message).not.toContain(secret.split(':').at(-1)!)
  })

  test('sends a form and repeated parameters, and returns binary content as bytes', async () => {
    const handler = {
      method: 'POST',
      query: { tag: '{{input.tags}}' },
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: { note: '{{input.note}}', to: '{{input.tags}}' },
    }
    const { use } = await serving([httpOperation('form', handler)], async (place, agentId) => {
      await world.connection(place, agentId)
    })
    world.shop.answer = () => new Response(new Uint8Array([0x89, 0x50]), { headers: { 'content-type': 'image/png' } })
    expect(await use({ tags: ['a b', 'c'], note: '1&2' })).toEqual({
      output: { mediaType: 'image/png', bytes: 'iVA=' },
      error: null,
    })
    const [asked] = world.shop.asked
    expect(asked).toMatchObject({ path: '/v1/?tag=a%20b&tag=c', text: 'note=1%262&to=a+b&to=c' })
    expect(asked!.headers['content-type']).toBe('application/x-www-form-urlencoded')
  })

  test("prefers the Agent's own variable to the general one", async () => {
    const { use } = await serving([httpOperation('find', { path: '/{{variables.WHERE}}' })], async (place, agentId) => {
      await world.connection(place, agentId)
      await world.variable(place, 'WHERE', 'all')
      await world.variable(place, 'WHERE', 'own', { agentId, bindingKey: 'where' })
    })
    await use()
    expect(world.shop.asked[0]!.path).toBe('/v1/own')
  })

  test.each([
    ['text', () => new Response('plain', { headers: { 'content-type': 'text/plain' } }), 'plain'],
    ['nothing', () => new Response(null, { status: 204 }), null],
  ])('returns %s unchanged', async (_what, answer, expected) => {
    const { use } = await serving([httpOperation('find', {})])
    world.shop.answer = answer
    expect(await use()).toEqual({ output: expected, error: null })
  })

  test.each([
    ['404', () => new Response('No such order', { status: 404 }), 'shop.find answered 404: No such order'],
    ['500 without a body', () => new Response(null, { status: 500 }), 'shop.find answered 500.'],
    ['a redirect', () => Response.redirect('http://127.0.0.1:1/', 302), 'redirect'],
    ['more than 1 MiB', () => new Response('x'.repeat(1024 * 1024 + 1)), 'more than 1048576 bytes'],
    ['an invalid output', () => Response.json({ ok: 'maybe' }), 'The answer of shop.find is not valid'],
  ])('that answers %s is a tool_error, which the model gets', async (_what, answer, message) => {
    const outputSchema = { type: 'object', properties: { ok: { type: 'boolean' } } }
    const { use } = await serving([httpOperation('find', {}, { outputSchema })])
    world.shop.answer = answer
    const { error } = await use()
    expect(error?.code).toBe('tool_error')
    expect(error?.message).toContain(message)
  })

  test('has a timeout', async () => {
    const { use } = await serving([httpOperation('find', {}, { timeoutMs: 50 })])
    world.shop.answer = () => new Promise<Response>(() => {})
    const { error } = await use()
    expect(error?.code).toBe('tool_error')
    expect(error?.message).toContain('timeout')
  })

  test('that may have taken effect says so', async () => {
    const write = { effect: 'write', idempotent: false }
    const { use } = await serving([httpOperation('send', { method: 'POST' }, write)])
    world.shop.answer = brokenOff
    expect((await use()).error?.message).toContain('It may or may not have taken effect.')
  })

  test.each([
    ['dot segments in a path', { path: '/a/{{input.x}}/b' }, { x: '..' }],
    ['an empty path segment', { path: '/a/{{input.x}}' }, {}],
    ['a line break in a header', { headers: { 'X-A': '{{input.x}}' } }, { x: 'a\r\nX-Evil: 1' }],
    ['a header that HTTP forbids', { headers: { 'X-A': '{{input.x}}' } }, { x: 'ẞ€' }],
  ])('with %s sends no request', async (_what, handler, input) => {
    const { use } = await serving([httpOperation('find', handler)])
    expect((await use(input)).error?.code).toBe('tool_error')
    expect(world.shop.asked).toEqual([])
  })

  test('exposes a variable neither through the input nor through another variable', async () => {
    const { use } = await serving(
      [httpOperation('find', { query: { q: '{{input.q}}', w: '{{variables.WORD}}' } })],
      async (place, agentId) => {
        await world.connection(place, agentId)
        await world.variable(place, 'WORD', '{{variables.SECRET}}')
        await world.variable(place, 'SECRET', 'hidden-value')
      },
    )
    await use({ q: '{{variables.SECRET}}' })
    expect(new URL(world.shop.asked[0]!.path, 'http://x').searchParams.get('q')).toBe('{{variables.SECRET}}')
    expect(JSON.stringify(world.shop.asked)).not.toContain('hidden-value')
  })
})

test("a delegate's operations use the delegate's own Connection", async () => {
  const place = await world.place()
  const tools = [{ kind: 'operation', name: 'find', operation: 'shop.find' }]
  const helper = await world.agent(place, { tools }, ['shop.find'])
  const lead = await world.agent(place, {
    delegates: [{ name: 'helper', description: 'Helps.', agentId: helper.agentId }],
  })
  const definition = await world.operations(place, 'shop', [httpOperation('find', { path: '/found' })])
  await world.connection(place, helper.agentId)
  await world.serve(place, [helper, lead], [definition])
  const query = JSON.stringify({ query: '/call find {}\n/say Found' })
  const run = await world.run(place, lead.agentId, `/call helper ${query}\n/say Done`)
  expect(run).toMatchObject({ state: 'completed' })
  const { output, error } = await world.called(run.id)
  expect({ output, error }).toEqual({ output: { ok: true }, error: null })
  expect(world.shop.asked.map(({ path }) => path)).toEqual(['/v1/found'])
})

test('a System Agent can be a delegate', async () => {
  const place = await world.place()
  const stand = await world.agent(place)
  const lead = await world.agent(place, {
    delegates: [{ name: 'helper', description: 'Helps.', agentId: stand.agentId }],
  })
  const delegateAgentId = 'agt_system_summarizer'
  await world.serve(place, [stand, lead], [], [{ agentId: lead.agentId, name: 'helper', delegateAgentId }])
  const run = await world.run(place, lead.agentId, '/call helper {"query": "/say Short"}\n/say Done')
  expect(run).toMatchObject({ state: 'completed' })
  const steps = await world.steps(run.id)
  expect(steps.find(({ kind }) => kind === 'delegate')).toMatchObject({ status: 'completed', output: 'Short' })
  expect(steps.map(({ agent }) => agent.agentId)).toContain(delegateAgentId)
})

test('no secret is in the store, the log or an answer', () => {
  expectHidden(world, ['to-ken-0123', 'pass-0123', 'api-key-0123', 'hidden-value'])
})
