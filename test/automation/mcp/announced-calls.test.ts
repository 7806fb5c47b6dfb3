/** A tool that must not be called again is called once that is announced. Source: contract 5, "not repeated". */
import { afterEach, expect, test } from 'bun:test'
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import { McpCalls } from '../../../src/automation/mcp/mcp-calls.ts'
import { storeUnavailable } from '../../../src/platform/http/answers/errors.ts'
import { client as outbound } from '../../platform/outbound/receivers.ts'
import { type Fake, startFake } from './servers.ts'

/** Builds statements, and executes none. */
const db = new Kysely<never>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (of) => new SqliteIntrospector(of),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
})

let fake: Fake
afterEach(() => fake?.stop())

/** Calls a tool that writes; the requests are those of the server so far. */
async function calling(onSending: () => Promise<void>) {
  const inputSchema = { type: 'object' }
  fake = startFake([{ name: 'send', inputSchema }], () => ({ content: [{ type: 'text', text: 'sent' }] }))
  const found = { status: 'active', settings: { baseUrl: fake.url }, oauth_grant_id: null }
  const store = { engine: 'sqlite', db, first: async () => found }
  const calls = new McpCalls({ outbound, store, credentials: {}, grants: {} } as never)
  const bundle = {
    bundle: { organizationId: 'org_1', environmentId: 'env_1' },
    agent: () => undefined,
    connection: () => ({ kind: 'http', settings: { baseUrl: fake.url }, grantId: null }),
  }
  const operation = { effect: 'write', idempotent: false, inputSchema, timeoutMs: 10_000 }
  const handler = { type: 'mcp', connection: 'tools', tool: 'send' }
  const signal = new AbortController().signal
  const call = { bundle, agentId: 'agt_1', name: 'shop.send', operation, handler, input: {}, trace: null, signal }
  return await calls.make({ ...call, onSending } as never)
}
const methods = () => fake.asked.map(({ method }) => method)

test('the session is open by then, and the call follows', async () => {
  let before: string[] = []
  const output = await calling(async () => {
    before = methods()
  })
  expect(output).toBe('sent')
  expect(before).toContain('tools/list')
  expect(before).not.toContain('tools/call')
  expect(methods().filter((method) => method === 'tools/call')).toHaveLength(1)
})

test('what prevents the call is reported as it is, and nothing is called', async () => {
  const obstacle = storeUnavailable(new Error('full'))
  const error = await calling(() => Promise.reject(obstacle)).catch((reason) => reason)
  expect(error).toBe(obstacle)
  expect(methods()).not.toContain('tools/call')
})
