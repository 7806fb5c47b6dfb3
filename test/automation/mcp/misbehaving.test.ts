/** MCP servers that do not keep to the protocol, or to time. Source: contract 11, "MCP servers as tools". */

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import type { Fake } from './servers.ts'
import { add, type McpWorld, openMcp, text } from './world.ts'

let world: McpWorld
beforeAll(async () => {
  world = await openMcp()
})
afterEach(() => world.tidy())
afterAll(() => world?.stop())

describe('a misbehaving server', () => {
  const failing = async (prepare: (server: Fake) => void, changes: object = {}) => {
    const server = world.fake([add], () => text('Done'))
    const service = await world.served(server.url, undefined, { timeoutMs: 30_000, ...changes })
    prepare(server)
    return world.invoked(service, 'add')
  }
  const event = (id: unknown, result: object) => `data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`
  const sse = (body: BodyInit) => new Response(body, { headers: { 'content-type': 'text/event-stream' } })

  test('that returns an error of its tool fails the call with its message', async () => {
    const { state, error } = await failing((server) => {
      server.call = () => ({ isError: true, ...text('No such order') })
    })
    expect([state, error?.message]).toEqual(['failed', 'shop.add failed: No such order'])
  })

  test('that hangs leaves a write unknown, and fails a read', async () => {
    const hang = (server: Fake) => {
      server.answer['tools/call'] = () => new Promise<Response>(() => undefined)
    }
    expect((await failing(hang, { timeoutMs: 2_000 })).state).toBe('unknown')
    expect((await failing(hang, { timeoutMs: 2_000, effect: 'read' })).state).toBe('failed')
  })

  test('that hangs before the call fails it: nothing can have taken effect', async () => {
    const hang = (server: Fake) => {
      server.answer['tools/list'] = () => new Promise<Response>(() => undefined)
    }
    const { state } = await failing(hang, { timeoutMs: 2_000 })
    expect(state).toBe('failed')
  })

  test('that never stops sending fails the call', async () => {
    const { state, error } = await failing(
      (server) => {
        const chunk = new Uint8Array(1024 * 1024).fill(97)
        const endless = () => new ReadableStream({ pull: (controller) => controller.enqueue(chunk) })
        server.answer['tools/call'] = () => sse(endless())
      },
      { effect: 'read' },
    )
    expect(state).toBe('failed')
    expect(error?.message).toContain('too long')
  })

  test('that responds in a stream that stays open is supported', async () => {
    const { state, output } = await failing((server) => {
      server.answer['tools/call'] = (id) =>
        sse(
          new ReadableStream({
            start: (controller) =>
              controller.enqueue(new TextEncoder().encode(`: hello\n\n${event(id, text('Open'))}`)),
          }),
        )
    })
    expect([state, output]).toEqual(['succeeded', 'Open'])
  })

  test('that redirects is not followed', async () => {
    const { error } = await failing((server) => {
      server.answer['tools/list'] = () => Response.redirect('http://169.254.169.254/latest/meta-data', 307)
    })
    expect(error?.message).toContain('redirect')
  })

  test.each<[string, () => Response, string]>([
    ['HTML', () => new Response('<h1>Hello</h1>', { headers: { 'content-type': 'text/html' } }), 'text/html'],
    ['nothing', () => new Response(null, { status: 200 }), 'failed'],
    ['500', () => new Response('Out of order', { status: 500 }), 'It answered 500. Out of order'],
    ['401', () => new Response('Who are you?', { status: 401 }), '401: look at the credential of its Connection. Who'],
  ])('that responds with %s fails the call', async (_, answer, message) => {
    const { state, error } = await failing((server) => {
      server.answer['tools/list'] = answer
    })
    expect([state, error?.code]).toEqual(['failed', 'tool_error'])
    expect(error?.message).toContain(message)
  })

  test('that returns a result invalid under its schema fails the call', async () => {
    const outputSchema = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] }
    const server = world.fake([{ ...add, outputSchema }], () => ({ content: [], structuredContent: { sum: 'many' } }))
    const { state, error } = await world.invoked(await world.served(server.url), 'add')
    expect(['failed', 'unknown']).toContain(state)
    expect(error?.message).toContain('not valid')
  })

  test.each<[string, () => Response, string]>([
    ['JSON of its own', () => Response.json({ ok: true }), 'its answer is not a JSON-RPC message'],
    ['HTML', () => new Response('<h1>Hello</h1>', { headers: { 'content-type': 'text/html' } }), 'text/html'],
  ])('that is no MCP server and answers %s is called that', async (_, answer, why) => {
    const other = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: answer })
    try {
      const { reply } = await world.imported(await world.place(), other.url.href)
      const { code, message } = reply.body.error
      expect([reply.status, code]).toEqual([422, 'mcp_server_failed'])
      expect(message).toContain('The address does not speak MCP over Streamable HTTP')
      expect(message).toContain(why)
      expect(message).not.toContain('invalid_union')
    } finally {
      await other.stop(true)
    }
  })

  test.each<[string, object, string]>([
    ['outside the protocol', { tools: [{ name: 5 }] }, 'Invalid result for tools/list: tools.0.name: Invalid input'],
    ['of no kind', {}, 'Invalid result for tools/list: tools: Invalid input'],
  ])('that lists tools %s makes the import return 422 with the first fault', async (_, result, message) => {
    const server = world.fake([])
    server.answer['tools/list'] = (id) => Response.json({ jsonrpc: '2.0', id, result })
    const { reply } = await world.imported(await world.place(), server.url)
    expect([reply.status, reply.body.error.code]).toEqual([422, 'mcp_server_failed'])
    expect(reply.body.error.message).toContain(message)
    expect(reply.body.error.message).not.toContain('[')
  })

  test('that is unreachable makes the import return 422', async () => {
    const { reply } = await world.imported(await world.place(), 'http://127.0.0.1:1/mcp')
    expect([reply.status, reply.body.error.code]).toEqual([422, 'mcp_server_failed'])
  })
})
