/** MCP servers: the protocol's reference server, and servers that misbehave. */
import { createMcpHandler, fromJsonSchema, McpServer } from '@modelcontextprotocol/server'
import { freePort } from '../../support/free-ports.ts'
import { eventually } from '../../support/process.ts'

const program = Bun.resolveSync('@modelcontextprotocol/server-everything/dist/index.js', import.meta.dir)

/** `@modelcontextprotocol/server-everything` as a process. If another program takes its port first, it gets another one. */
export async function startEverything() {
  for (let tries = 1; ; tries += 1) {
    const started = await startAt(freePort())
    if (started) return started
    if (tries === 5) throw new Error('The MCP server has ended five times.')
  }
}

/** Undefined if it ended before it was ready. */
async function startAt(port: number) {
  const child = Bun.spawn([process.execPath, program, 'streamableHttp'], {
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'ignore',
    env: { PATH: process.env.PATH ?? '', PORT: String(port) },
  })
  const url = `http://127.0.0.1:${port}/mcp`
  const isServed = () =>
    fetch(url).then(
      () => true,
      () => false,
    )
  await eventually('an MCP server', async () => child.exitCode !== null || (await isServed()))
  if (child.exitCode !== null) return undefined
  return {
    url,
    async stop() {
      child.kill('SIGKILL')
      await child.exited
    },
  }
}

interface Asked {
  method: string
  params: Record<string, unknown>
  headers: Record<string, string>
}

export interface FakeTool {
  name: string
  description?: string
  inputSchema?: object
  outputSchema?: object
  annotations?: object
}

const stream = { 'content-type': 'text/event-stream' }

/**
 * A server of the revision 2025-06-18 with these tools and configured responses; it records the requests.
 * `answer` overrides the response to one method.
 */
export function startFake(
  tools: FakeTool[],
  call: (params: Record<string, unknown>) => object = () => ({ content: [] }),
) {
  const asked: Asked[] = []
  const fake = {
    asked,
    tools,
    call,
    /** Number of ended sessions. */
    ended: 0,
    answer: {} as Record<string, (id: unknown, request: Request) => Response | Promise<Response> | undefined>,
    url: '',
    stop: () => server.stop(true),
  }
  const results: Record<string, (params: Record<string, unknown>) => object> = {
    initialize: () => ({
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'fake', version: '1' },
    }),
    'tools/list': () => ({
      tools: fake.tools.map((tool) => ({ inputSchema: { type: 'object' }, ...tool })),
    }),
    'tools/call': (params) => fake.call(params),
  }
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      if (request.method === 'DELETE') {
        fake.ended += 1
        return new Response(null, { status: 204 })
      }
      if (request.method !== 'POST') return new Response(null, { status: 405 })
      const { id, method, params = {} } = (await request.json()) as Asked & { id?: unknown }
      asked.push({ method, params, headers: Object.fromEntries(request.headers) })
      const own = await fake.answer[method]?.(id, request)
      if (own) return own
      if (id === undefined) return new Response(null, { status: 202 })
      const result = results[method]?.(params)
      const body = result ? { result } : { error: { code: -32601, message: 'Method not found' } }
      return new Response(`data: ${JSON.stringify({ jsonrpc: '2.0', id, ...body })}\n\n`, {
        headers: { ...stream, 'mcp-session-id': 'one' },
      })
    },
  })
  fake.url = `http://127.0.0.1:${server.port}/mcp`
  return fake
}
export type Fake = ReturnType<typeof startFake>

/** A server that supports the revision 2026-07-28 only. */
export function startModern() {
  const handler = createMcpHandler(
    () => {
      const server = new McpServer({ name: 'modern', version: '1' })
      const inputSchema = fromJsonSchema<{ name: string }>({
        type: 'object',
        properties: { name: { type: 'string' } },
        required: ['name'],
      })
      server.registerTool('greet', { description: 'Greets.', inputSchema }, ({ name }) => ({
        content: [{ type: 'text', text: `Hello ${name}` }],
      }))
      return server
    },
    { legacy: 'reject' },
  )
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: (request) => handler.fetch(request) })
  return { url: `http://127.0.0.1:${server.port}/mcp`, stop: () => server.stop(true) }
}
