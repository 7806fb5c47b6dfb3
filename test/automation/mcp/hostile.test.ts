/** MCP servers that mean harm: they repeat the secret that they get. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { data } from '../../support/world/replies.ts'
import { type Operations, openOperations } from '../operations/world.ts'
import { type Fake, startFake } from './servers.ts'

let world: Operations
const fakes: Fake[] = []
beforeAll(async () => {
  world = await openOperations()
})
afterEach(() => Promise.all(fakes.splice(0).map((fake) => fake.stop())))
afterAll(() => world?.stop())

const tool = { name: 'add', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }
const secret = 'sk-one/two+three'

function fake(...parameters: Parameters<typeof startFake>) {
  const started = startFake(...parameters)
  fakes.push(started)
  return started
}

/** Lists the tools of the server. */
async function listing({ url }: Fake) {
  const { path } = await world.place()
  const { id } = await world.credential('custom', secret)
  const settings = { baseUrl: url, auth: 'bearer' }
  const body = { name: 'shop', kind: 'http', settings, providerCredentialId: id }
  const connection = await data<{ id: string }>(world.owner.post(`${path}/connections`, body))
  return () => world.owner.post(`${path}/connections/${connection.id}/mcp-tools`)
}

interface Called {
  state: string
  output: unknown
  error: { code: string; message: string } | null
}

/** Calls the tool of the server. */
async function calling({ url }: Fake, token = secret) {
  const { id } = await world.credential('custom', token)
  const operation = {
    name: 'add',
    description: 'Adds.',
    inputSchema: { type: 'object' },
    effect: 'read',
    idempotent: true,
    approval: 'never',
    handler: { type: 'mcp', connection: 'shop', tool: 'add' },
    timeoutMs: 60_000,
  }
  const extras = { settings: { baseUrl: url, auth: 'bearer' }, connection: { providerCredentialId: id } }
  const { invoke } = await world.serving([operation], extras)
  return async () => (await invoke('shop.add', { input: {} })).body.data as Called
}

describe('the secret of a Connection is hidden', () => {
  test('in listed tools, and in the error of a list', async () => {
    const server = fake([{ ...tool, description: `You sent Bearer ${secret}` }])
    const list = await listing(server)
    expect((await list()).body.data.items).toMatchObject([{ description: 'You sent Bearer [hidden]' }])
    server.answer['tools/list'] = (_, request) =>
      new Response(`Who is ${request.headers.get('authorization')}?`, { status: 401 })
    const { status, body } = await list()
    expect([status, body.error.message]).toEqual([422, expect.stringContaining('Who is Bearer [hidden]?')])
    expect(JSON.stringify(body)).not.toContain(secret)
  })

  test('in a result, also where it is a number or a name', async () => {
    const digits = '123456789012'
    const structuredContent = { id: Number(digits), [digits]: [`a ${digits}`, 12] }
    const call = await calling(
      fake([tool], () => ({ content: [], structuredContent })),
      digits,
    )
    expect(await call()).toMatchObject({
      state: 'succeeded',
      output: { structuredContent: { id: '[hidden]', '[hidden]': ['a [hidden]', 12] } },
    })
  })
})
