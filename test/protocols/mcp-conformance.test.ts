/**
 * The conformance suite of MCP, except for scenarios that call tools, prompts and resources of the suite's own server.
 * Source: contract 12.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { openTroupe, type Troupe } from '../support/troupe.ts'

let server: Troupe
let withKey: ReturnType<typeof Bun.serve>
beforeAll(async () => {
  server = await openTroupe()
  // the suite supports no keys
  withKey = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { method, headers } = request
      headers.set('authorization', `Bearer ${server.key}`)
      const body = method === 'POST' ? await request.text() : null
      return fetch(`${server.url}${new URL(request.url).pathname}`, { method, headers, body })
    },
  })
})
afterAll(async () => {
  await withKey?.stop(true)
  await server?.stop()
})

test.each(['server-initialize', 'ping', 'tools-list'])('%s', async (scenario) => {
  const suite = Bun.resolveSync('@modelcontextprotocol/conformance/dist/index.js', import.meta.dir)
  const asked = ['server', '--url', `http://localhost:${withKey.port}/mcp`, '--scenario', scenario]
  const run = Bun.spawn([process.execPath, suite, ...asked], { stdout: 'pipe', stderr: 'pipe' })
  const said = await new Response(run.stdout).text()
  expect({ said, code: await run.exited }).toEqual({ said: expect.stringContaining('Passed: 1/1, 0 failed'), code: 0 })
})
