/** Agents as tools, with the official clients of the old and the new revisions. Source: contract 12; `docs/protocols.md`. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { eventually } from '../support/process.ts'
import { newOrganization } from '../support/world/organizations.ts'
import { openWorld, type World } from './world.ts'

interface Result {
  content: { type: string; text: string }[]
  structuredContent?: { agentRunId: string; state: string; [field: string]: unknown }
  isError?: boolean
}
interface Options {
  signal?: AbortSignal
  onprogress?: (progress: { progress: number; message?: string }) => void
}
/** The common operations of both clients. */
interface AnyClient {
  listTools(): Promise<{ tools: { name: string; title?: string; inputSchema: unknown }[] }>
  call(name: string, input: object, options?: Options): Promise<Result>
  close(): Promise<void>
}

const assistant = 'agt_system_assistant'
let world: World
const open: AnyClient[] = []
beforeAll(async () => {
  world = await openWorld()
})
afterAll(async () => {
  for (const client of open) await client.close()
  await world?.stop()
})

const about = { name: 'test', version: '1' }
const requestInit = (key: string) => ({ headers: { authorization: `Bearer ${key}` } })
const connects: Record<string, (key?: string) => Promise<AnyClient>> = {
  async 'the client of today'(key = world.key) {
    const client = new Client(about)
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${world.url}/mcp`), { requestInit: requestInit(key) }),
    )
    return keep({
      listTools: () => client.listTools() as never,
      call: (name, input, options) => client.callTool({ name, arguments: input as never }, options as never) as never,
      close: () => client.close(),
    })
  },
  async 'the client of the revisions before'(key = world.key) {
    const client = new OldClient(about)
    await client.connect(new OldTransport(new URL(`${world.url}/mcp`), { requestInit: requestInit(key) }) as never)
    return keep({
      listTools: () => client.listTools() as never,
      call: (name, input, options) => client.callTool({ name, arguments: input as never }, undefined, options) as never,
      close: () => client.close(),
    })
  },
}
const keep = (client: AnyClient): AnyClient => {
  open.push(client)
  return client
}
const toolOf = (address: string) => address.replaceAll('/', '_')

describe.each(Object.keys(connects))('%s', (name) => {
  const connect = connects[name] as (key?: string) => Promise<AnyClient>
  let client: AnyClient
  beforeAll(async () => {
    client = await connect()
  })

  test("lists the Agents within the key's scope", async () => {
    const { tools } = await client.listTools()
    expect(tools.map((tool) => tool.name)).toEqual([assistant, 'agt_system_summarizer', toolOf(world.address)])
    expect(tools[0]).toMatchObject({ inputSchema: { required: ['query'] } })
  })

  test('calls one, and gets its answer and its run', async () => {
    const result = await client.call(assistant, { query: '/say one\n/call calculator {"expression":"2+3"}\n/say two' })
    expect(result.content).toEqual([{ type: 'text', text: 'one\n\ntwo' }])
    expect(result.structuredContent).toMatchObject({ state: 'completed', output: 'one\n\ntwo' })
    expect(result.isError).toBeFalsy()
    const { body } = await world.owner.get(`/api/v1/agent-runs/${result.structuredContent!.agentRunId}`)
    expect(body.data.state).toBe('completed')
  })

  test('continues a conversation', async () => {
    const threadKey = `thread of ${name}`
    const first = await client.call(assistant, { query: '/say one', threadKey })
    const second = await client.call(assistant, { query: '/say two', threadKey })
    expect(second.content[0]?.text).toBe('two')
    expect(second.structuredContent?.agentRunId).toBe(first.structuredContent!.agentRunId)
  })

  test('begins a conversation of its own with a key that its model left out as null', async () => {
    const result = await client.call(assistant, { query: '/say alone', threadKey: null })
    expect([result.isError ?? false, result.content[0]?.text]).toEqual([false, 'alone'])
  })

  test('receives progress', async () => {
    const messages: string[] = []
    const query = '/say one\n/call calculator {"expression":"2+3"}\n/say two'
    await client.call(assistant, { query }, { onprogress: ({ message }) => void messages.push(message ?? '') })
    expect(messages).toEqual(['Thinking', 'Calling calculator', 'Thinking'])
  })

  test('gets the question of a waiting Agent', async () => {
    const asked = await client.call(toolOf(world.address), {
      query: '/call ask {"question":"Which size?"}\n/say Thanks',
    })
    expect(asked.content[0]?.text).toBe('The Agent asks: ask {"question":"Which size?"}')
    expect(asked.structuredContent).toMatchObject({
      state: 'awaitingToolResult',
      awaiting: { kind: 'tool', toolName: 'ask', input: { question: 'Which size?' } },
    })
    const waiting = await client.call(toolOf(world.address), { query: '/call refund {}\n/say Done' })
    expect(waiting.structuredContent).toMatchObject({ awaiting: { kind: 'approval', toolName: 'refund' } })
    await world.decide('approve')
    expect(await world.ended(waiting.structuredContent!.agentRunId, ['completed'])).toBeTruthy()
  })

  test('gets a failure as a result', async () => {
    const failed = await client.call(assistant, { query: '/fail of no use' })
    expect(failed).toMatchObject({
      isError: true,
      structuredContent: { state: 'failed', error: { code: 'provider_error', message: 'of no use' } },
    })
    expect(failed.content[0]?.text).toContain('of no use')
  })

  test('cancels the run with the call', async () => {
    const before = world.runs()
    const leaving = new AbortController()
    const calling = client
      .call(assistant, { query: '/say a\n/sleep 60000' }, { signal: leaving.signal })
      .catch(() => {})
    const [id] = await eventually('the run', async () => {
      const { agentRuns } = (await world.owner.get('/api/v1/agent-runs', { query: { limit: 1, states: 'running' } }))
        .body
      return world.runs() > before && agentRuns.length > 0 && agentRuns.map((run: { id: string }) => run.id)
    })
    leaving.abort()
    await calling
    expect(await world.ended(id, ['canceled'])).toBeTruthy()
  })

  test('answers 50 concurrent calls', async () => {
    const texts = Array.from({ length: 50 }, (_, index) => `answer ${index}`)
    const results = await Promise.all(texts.map((text) => client.call(assistant, { query: `/say ${text}` })))
    expect(results.map(({ content }) => content[0]?.text)).toEqual(texts)
  })

  const table: [string, object, string][] = [
    ['no query', {}, 'The argument query is required'],
    ['an empty query', { query: ' ' }, 'empty_input'],
    ['another argument', { query: 'x', model: 'y' }, 'There is no argument model'],
    ['an invalid key', { query: 'x', threadKey: 'a\nb' }, 'threadKey'],
  ]
  test.each(table)('%s is refused as a result', async (_, input, text) => {
    const before = world.runs()
    const refused = await client.call(assistant, input)
    expect(refused.isError).toBe(true)
    expect(refused.content[0]?.text).toContain(text)
    // for clients whose model reads nothing else
    expect(JSON.stringify(refused.structuredContent)).toContain(text)
    expect(world.runs()).toBe(before)
  })

  test("neither sees nor calls an Agent outside its key's scope", async () => {
    const elsewhere = await world.place()
    const operations = ['agent-runs:create', 'agent-runs:stream']
    const bound = await connect(await world.newKey(operations, { projectId: elsewhere.projectId }))
    expect(await bound.listTools()).toMatchObject({ tools: [] })
    await expect(bound.call(toolOf(world.address), { query: 'x' })).rejects.toThrow('Unknown tool')
  })

  test('is refused with a wrong key', async () => {
    await expect(connect('trp_wrong')).rejects.toThrow()
  })
})

test('the headers of an answer name its run, if it has one', async () => {
  const call = (input: object) =>
    fetch(`${world.url}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${world.key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: assistant, arguments: input },
      }),
    })
  const answer = await call({ query: '/say one' })
  const said = await answer.text()
  expect(answer.headers.get('content-type')).toBe('text/event-stream')
  expect(said).toContain(`"agentRunId":"${answer.headers.get('x-troupe-run')}"`)
  const refused = await call({ query: '/say one', more: 1 })
  expect([refused.headers.get('x-troupe-run'), await refused.text()]).toEqual([
    null,
    expect.stringContaining('There is no argument more'),
  ])
})

test('a body that is not JSON is a parse error', async () => {
  const headers = { authorization: `Bearer ${world.key}`, 'content-type': 'application/json' }
  const answer = await fetch(`${world.url}/mcp`, { method: 'POST', headers, body: '{' })
  expect([answer.status, await answer.json()]).toEqual([
    400,
    {
      jsonrpc: '2.0',
      id: null,
      error: {
        code: -32_700,
        message: 'The body is not valid JSON at line 1, column 2: Expected a name in double quotes.',
        data: { code: 'malformed_request', requestId: expect.any(String) },
      },
    },
  ])
})

test('only calls are in the audit log', async () => {
  const client = await connects['the client of today']!()
  await client.listTools()
  await client.call(assistant, { query: '/say one' })
  const audited = () =>
    world.rows<{ operation: string }>("select operation from audit_events where operation = 'callMcp'")
  const before = audited().length
  await client.listTools()
  await client.call(assistant, { query: '/say one' })
  await eventually('the line', () => audited().length > before)
  expect(audited().length).toBe(before + 1)
})

test('a name that is too long is shortened, and stays unique', async () => {
  const { toolNameOf } = await import('../../src/protocols/mcp/tools.ts')
  const [one, other] = ['a', 'b'].map((end) =>
    toolNameOf({ address: `${'p'.repeat(40)}/production/${'a'.repeat(40)}${end}` }),
  )
  expect(one).toMatch(/^[\w-]{64}$/)
  expect(one).not.toBe(other)
  expect(toolNameOf({ address: 'shop/production/support' })).toBe('shop_production_support')
})

describe('a cancellation that arrives before its call', () => {
  const session = crypto.randomUUID()
  const send = (key: string, body: object) =>
    fetch(`${world.url}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-session-id': session,
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...body }),
    })
  const cancel = (key: string, requestId: number) =>
    send(key, { method: 'notifications/cancelled', params: { requestId } })

  test('cancels it, however many another organization sends', async () => {
    const { key } = await newOrganization(world)
    for (let sent = 0; sent < 1_000; sent += 50) {
      const some = await Promise.all(Array.from({ length: 50 }, (_, index) => cancel(key, sent + index)))
      expect(new Set(some.map(({ status }) => status))).toEqual(new Set([202]))
    }
    expect((await cancel(world.key, 7)).status).toBe(202)
    const call = { name: assistant, arguments: { query: '/say a\n/sleep 60000' } }
    const answer = await send(world.key, { id: 7, method: 'tools/call', params: call })
    expect(await world.ended(answer.headers.get('x-troupe-run') as string, ['canceled'])).toBeTruthy()
    await answer.body?.cancel()
  })
})
