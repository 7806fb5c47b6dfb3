/** The log of a runner while its server is away. */
import { afterEach, expect, test } from 'bun:test'
import { HttpTransport } from '../../../src/runs/runner/protocol/http-transport.ts'
import { failure } from './support/http-server.ts'

const servers: { stop(force: boolean): Promise<void> }[] = []
afterEach(() => Promise.all(servers.splice(0).map((server) => server.stop(true))))

test('a long outage is a line a minute, with the number of failures in between', async () => {
  let refusals = 100
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => (refusals-- > 0 ? failure(503, 'service_unavailable') : new Response(null, { status: 204 })),
  })
  servers.push(server)
  // waits end at once
  let at = Date.now()
  const began = at
  const clock = {
    now: () => at,
    after(delayMs: number, callback: () => void) {
      at += delayMs
      const timer = setTimeout(callback, 0)
      return { cancel: () => clearTimeout(timer) }
    },
  }
  const lines: Record<string, unknown>[] = []
  const log = (fields: Record<string, unknown>) => void lines.push(fields)
  const transport = new HttpTransport({
    serverUrl: server.url.href,
    token: 'runner-token',
    clock,
    log: { info: log, warn: log, error: log },
  })
  expect(await transport.lease({ machineId: 'm', slots: 2, waitSeconds: 1 }, new AbortController().signal)).toBeNull()
  expect(lines.length).toBeGreaterThan(1)
  expect(lines.length).toBeLessThanOrEqual((at - began) / 60_000 + 1)
  const told = lines.reduce((sum, { repeated = 0 }) => sum + 1 + Number(repeated), 0)
  expect(told).toBeGreaterThan(80)
})
