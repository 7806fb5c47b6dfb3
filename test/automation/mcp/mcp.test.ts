/** Tools of MCP servers, called by API and by runs. Source: contract 11, "MCP servers as tools". */

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { type OddProvider, openOddProvider, tokens } from '../../accounts/oauth/odd-provider.ts'
import { begunBy, oddPresets, presetsFile } from '../../accounts/oauth/world.ts'
import { eventually } from '../../support/process.ts'
import { data } from '../../support/world/replies.ts'
import { calls, type Served } from '../operations/world.ts'
import { startEverything, startModern } from './servers.ts'
import { add, type Imported, isBegin, type McpWorld, openMcp, text } from './world.ts'

let world: McpWorld
let everything: Awaited<ReturnType<typeof startEverything>>
let provider: OddProvider
let presets: Awaited<ReturnType<typeof presetsFile>>

beforeAll(async () => {
  provider = openOddProvider()
  presets = await presetsFile(oddPresets(provider))
  const environment = { TROUPE_PRESETS_FILE: presets.path }
  ;[world, everything] = await Promise.all([openMcp({ environment }), startEverything()])
})
afterEach(() => world.tidy())
afterAll(async () => {
  await world?.stop()
  await everything?.stop()
  provider?.stop()
  await presets?.remove()
})

describe("the protocol's reference server", () => {
  let service: Served
  beforeAll(async () => {
    service = await world.served(everything.url, [
      'echo',
      'get-sum',
      'get-structured-content',
      'get-tiny-image',
      'trigger-long-running-operation',
    ])
  })

  test('lists its tools', async () => {
    const place = await world.place()
    const { connectionId } = await world.imported(place, everything.url)
    const { status, body } = await world.owner.post(`${place.path}/connections/${connectionId}/mcp-tools`)
    expect([status, body.data.serverInfo.name]).toEqual([200, 'mcp-servers/everything'])
    const echo = body.data.items.find(({ name }: { name: string }) => name === 'echo')
    expect(echo).toMatchObject({ outputSchema: null, inputSchema: { type: 'object', required: ['message'] } })
  })

  test('skips tools for which every call would fail', async () => {
    const { body } = await world.imported(await world.place(), everything.url, ['echo', 'simulate-research-query'])
    expect(body.source.operations.map(({ name }) => name)).toEqual(['echo'])
    expect(body.skipped).toEqual([
      { name: 'simulate-research-query', reason: 'It must be called as a task of MCP; such calls are not made.' },
    ])
  })

  test('returns a text, and structured content by its schema', async () => {
    expect(await world.invoked(service, 'echo', { message: 'Hello' })).toMatchObject({
      state: 'succeeded',
      output: 'Echo: Hello',
    })
    const { output } = await world.invoked(service, 'get-structured-content', { location: 'New York' })
    expect(output).toEqual({
      temperature: expect.any(Number),
      conditions: expect.any(String),
      humidity: expect.any(Number),
    })
  })

  test('returns images as parts, which are passed to the model', async () => {
    const { output } = await world.invoked(service, 'get-tiny-image')
    const { content } = output as { content: { type: string; mediaType?: string; data?: string }[] }
    const image = content.find(({ type }) => type === 'image')!
    expect([image.mediaType, image.data?.slice(0, 6)]).toEqual(['image/png', 'iVBORw'])
  })

  test('reports progress, and is called by a run', async () => {
    const input = { duration: 1, steps: 3 }
    const run = await world.run(service.place, service.agent.agentId, calls(['trigger-long-running-operation', input]))
    expect(run.state).toBe('completed')
    expect((await world.called(run.id)).output).toContain('Duration: 1 seconds, Steps: 3')
  })

  test('an invalid input is rejected without a call', async () => {
    expect((await service.invoke('shop.get-sum', { input: { a: 'x', b: 1 } })).status).toBe(422)
  })
})

test('a server of the new protocol revision is listed and called', async () => {
  const modern = startModern()
  try {
    expect(await world.invoked(await world.served(modern.url), 'greet', { name: 'Ada' })).toMatchObject({
      output: 'Hello Ada',
    })
  } finally {
    await modern.stop()
  }
})

test('a server behind OAuth is listed, imported and called with the token of the consent', async () => {
  const { owner } = world
  const place = await world.place()
  const { projectId, environmentId } = place
  const server = world.fake([{ ...add, annotations: { readOnlyHint: true } }])
  const access = { token: 'odd-access-1' }
  const guarded = (_: unknown, request: Request) =>
    request.headers.get('authorization') === `Bearer ${access.token}` ? undefined : new Response(null, { status: 401 })
  for (const method of ['initialize', 'tools/list', 'tools/call']) server.answer[method] = guarded
  const client = { presetKey: 'odd', clientId: 'troupe', clientSecret: 'secret' }
  await data(owner.post(`/api/v1/organizations/${world.ours}/integrations`, client))
  provider.tokenAnswers = [() => tokens({ expires_in: undefined })]
  const begun = begunBy(await owner.get('/api/oauth/start/odd', { query: { projectId, environmentId } }))
  const query = { code: 'a-code', state: begun.state }
  const { headers } = await owner.get('/api/oauth/callback/odd', { query, headers: { cookie: begun.cookie } })
  const connectionId = new URL(headers.get('location')!).searchParams.get('connectionId')!

  const agent = await world.agent(place, { tools: [{ kind: 'operation', name: 'add', operation: 'shop.add' }] }, [
    'shop.add',
  ])
  const settings = { baseUrl: server.url, auth: 'bearer' }
  const { agentId } = agent
  await data(
    owner.patch(`${place.path}/connections/${connectionId}`, { agentId, bindingKey: 'shop', version: { settings } }),
  )
  const listed = await owner.post(`${place.path}/connections/${connectionId}/mcp-tools`)
  expect([listed.status, listed.body.data?.items?.length]).toEqual([200, 1])
  const { id } = await data(owner.post(`${place.project}/definitions`, { name: 'behind', kind: 'operations' }))
  const { source } = await data<Imported>(
    owner.post(`${place.project}/definitions/${id}/import`, {
      mcp: { environmentId, connectionId },
      connection: 'shop',
    }),
  )
  await world.serve(place, [agent], [await world.operations(place, 'shop', source.operations)])
  const call = () => data(owner.post(`${place.path}/agents/${agentId}/operations/shop.add/invoke`, { input: {} }))
  server.call = () => text('5')
  expect(await call()).toMatchObject({ state: 'succeeded', output: '5' })
  access.token = 'another'
  expect(await call()).toMatchObject({ state: 'failed', error: { message: expect.stringContaining('401') } })
})

test('a call that is canceled with its run is aborted, and the server notified', async () => {
  const server = world.fake([{ ...add, annotations: { readOnlyHint: true } }])
  const service = await world.served(server.url)
  const begun = Promise.withResolvers<void>()
  const over = Promise.withResolvers<void>()
  let requestId: unknown
  server.answer['tools/call'] = (asked, request) => {
    requestId = asked
    request.signal.addEventListener('abort', () => over.resolve())
    begun.resolve()
    return new Promise<Response>(() => undefined)
  }
  const { id } = await data(world.start(service.place, service.agent.agentId, calls(['add', {}])))
  await begun.promise
  await data(world.owner.post(`/api/v1/agent-runs/${id}/cancel`))
  await over.promise
  expect((await world.ended(id)).state).toBe('canceled')
  const cancellation = () => server.asked.find(({ method }) => method === 'notifications/cancelled')
  await eventually('the end of the session', () => server.ended === server.asked.filter(isBegin).length)
  expect(cancellation()?.params).toMatchObject({ requestId })
  expect(cancellation()?.headers['mcp-session-id']).toBe('one')
})

test('a write in progress finishes when its run is canceled', async () => {
  const server = world.fake([add])
  const service = await world.served(server.url)
  const begun = Promise.withResolvers<void>()
  const answered = Promise.withResolvers<Response>()
  let requestId: unknown
  server.answer['tools/call'] = (asked) => {
    requestId = asked
    begun.resolve()
    return answered.promise
  }
  const { id } = await data(world.start(service.place, service.agent.agentId, calls(['add', {}])))
  await begun.promise
  const canceled = await data<{ state: string }>(world.owner.post(`/api/v1/agent-runs/${id}/cancel`))
  expect(canceled.state).toBe('canceling')
  const result = { content: [{ type: 'text', text: 'Added.' }] }
  answered.resolve(Response.json({ jsonrpc: '2.0', id: requestId, result }))
  expect((await world.ended(id, ['canceled'])).state).toBe('canceled')
  const { items } = await data<{ items: object[] }>(world.owner.get(service.invocations, { query: { agentRunId: id } }))
  expect(items).toMatchObject([{ state: 'succeeded' }])
  expect(server.asked.some(({ method }) => method === 'notifications/cancelled')).toBe(false)
})

test('a write whose run is canceled before the tool is called was not made, and its outcome is known', async () => {
  const server = world.fake([add])
  const service = await world.served(server.url)
  const begun = Promise.withResolvers<void>()
  server.answer['tools/list'] = () => {
    begun.resolve()
    return new Promise<Response>(() => undefined)
  }
  const { id } = await data(world.start(service.place, service.agent.agentId, calls(['add', {}])))
  await begun.promise
  await data(world.owner.post(`/api/v1/agent-runs/${id}/cancel`))
  expect((await world.ended(id, ['canceled'])).state).toBe('canceled')
  const ended = await eventually('the end of the call', async () => {
    const { items } = await data<{ items: { state: string }[] }>(
      world.owner.get(service.invocations, { query: { agentRunId: id } }),
    )
    return items[0]?.state !== 'running' && items
  })
  const error = { code: 'call_canceled', message: 'The call was not made: its caller was canceled.' }
  expect(ended).toMatchObject([{ state: 'failed', error }])
  expect(server.asked.some(({ method }) => method === 'tools/call')).toBe(false)
})
