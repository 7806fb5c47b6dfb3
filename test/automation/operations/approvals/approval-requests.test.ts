/** An approval shows beforehand the request that would be sent, without secrets. */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { data } from '../../../support/world/replies.ts'
import { httpOperation, type Operations, openOperations, type Served } from '../world.ts'

interface Shown {
  effect: string
  target: Record<string, unknown> & { url: string; headers: { name: string; value: string }[]; body: string | null }
  withheld: { name: string; kind: string; label: string | null }[]
  truncated: boolean
  problem: { code: string; message: string } | null
}

let world: Operations
beforeAll(async () => {
  world = await openOperations()
})
afterAll(() => world?.stop())

const always = { approval: 'always', effect: 'write', idempotent: false }
const requestOf = (served: Pick<Served, 'approvals'>, approvalId: string, client = world.owner) =>
  client.get(`${served.approvals}/${approvalId}/request`)
const asked = async (served: Served, operation: string, input: unknown = {}) => {
  const { status, body } = await served.invoke(operation, { input })
  expect(status).toBe(202)
  return body.data as { id: string; approvalId: string }
}

const secrets = {
  token: 'hunter2-token',
  login: 'ann:hunter2-password',
  variable: 'hunter2-variable',
  user: 'u-context',
}
const pay = httpOperation(
  'pay',
  {
    method: 'POST',
    path: '/orders/{{input.id}}/{{variables.REGION}}',
    query: { note: 'for {{variables.REGION}}', many: '{{input.list}}' },
    headers: { 'X-Region': '{{variables.REGION}}', 'X-User': '{{run.context.user}}', 'X-Shop': 'fixed' },
    body: { amount: '{{input.amount}}', region: '{{variables.REGION}}', by: '{{run.context.user}}' },
  },
  always,
)

test.each([
  ['bearer', secrets.token, 'authorization', 'Bearer '],
  ['basic', secrets.login, 'authorization', 'Basic '],
  ['header', secrets.token, 'x-api-key', ''],
] as const)(
  'over HTTP with %s: the exact request that is sent, with names in place of secrets',
  async (auth, secret, name, scheme) => {
    const place = await world.place()
    const credential = await world.credential('openai', secret)
    await world.variable(place, 'REGION', secrets.variable)
    const settings = {
      auth,
      headers: { 'X-Tenant': 'hunter2-tenant' },
      ...(auth === 'header' && { headerName: 'X-Api-Key' }),
    }
    const served = await world.serving([pay], { settings, connection: { providerCredentialId: credential.id } }, place)
    const query = `/call pay ${JSON.stringify({ id: 'A/1', amount: 12, list: ['a', 'b c'] })}\n/say Done`
    const run = await world.run(place, served.agent.agentId, query, { context: { user: secrets.user } })
    expect(run.state).toBe('awaitingToolResult')
    const approval = await world.pending(served)
    expect(approval).toMatchObject({ agentRunId: run.id, workflowRunId: null, stepId: null })

    const { status, body } = await requestOf(served, approval.id)
    expect(status).toBe(200)
    const shown = body.data as Shown
    const shownText = JSON.stringify(shown)
    for (const hidden of ['hunter2', secrets.user, Buffer.from(secret).toString('base64')])
      expect(shownText).not.toContain(hidden)
    expect(shown).toMatchObject({ effect: 'write', truncated: false, problem: null })
    expect(shown.target).toMatchObject({ type: 'http', method: 'POST', connection: { bindingKey: 'shop' } })
    expect(shown.withheld).toEqual(
      expect.arrayContaining([
        { name: 'variables.REGION', kind: 'variable', label: null },
        { name: 'run.context.user', kind: 'runContext', label: null },
        { name: 'connection.headers.x-tenant', kind: 'connectionHeader', label: null },
        { name: 'credential', kind: 'credential', label: 'Key of openai' },
      ]),
    )

    // with the values in place of the names it is the request that the service receives
    const known: Record<string, string> = {
      'variables.REGION': secrets.variable,
      'run.context.user': secrets.user,
      'connection.headers.x-tenant': 'hunter2-tenant',
      credential: auth === 'basic' ? Buffer.from(secret).toString('base64') : secret,
    }
    const filled = (given: string) => given.replace(/\{\{(.*?)\}\}/g, (_, each: string) => known[each] as string)
    const before = world.shop.asked.length
    await data(world.owner.post(`${served.approvals}/${approval.id}/approve`))
    await world.ended(run.id, ['completed'])
    const [sent] = world.shop.asked.slice(before)
    const headers = Object.fromEntries(shown.target.headers.map((each) => [each.name, filled(each.value)]))
    expect([sent!.method, sent!.path]).toEqual(['POST', filled(shown.target.url).replace(world.shop.url, '')])
    expect(sent!.text).toBe(filled(shown.target.body as string))
    expect(sent!.headers).toMatchObject(headers)
    expect(headers[name]).toStartWith(scheme)
    // it remains readable, as it would be sent now
    expect((await requestOf(served, approval.id)).body.data.target).toEqual(shown.target)
  },
)

test('a request that cannot be built is shown with the reason, and long texts are cut', async () => {
  const place = await world.place()
  const served = await world.serving(
    [httpOperation('pay', { method: 'POST', path: '/{{input.id}}', body: { all: '{{input.text}}' } }, always)],
    {},
    place,
  )
  const long = await asked(served, 'shop.pay', { id: 'one', text: 'x'.repeat(70_000) })
  const cut = (await requestOf(served, long.approvalId)).body.data as Shown
  expect([cut.truncated, cut.target.body!.length < 70_000, cut.problem]).toEqual([true, true, null])

  const missing = await asked(served, 'shop.pay', { text: 'no id' })
  const unsendable = (await requestOf(served, missing.approvalId)).body.data as Shown
  expect(unsendable).toMatchObject({
    target: null,
    effect: 'write',
    problem: { code: 'tool_error', message: 'The path has no value for {{input.id}}.' },
  })

  const [connection] = (await world.owner.get(`${place.path}/connections`)).body.data.items
  await data(world.owner.patch(`${place.path}/connections/${connection.id}`, { status: 'disabled' }))
  const disabled = (await requestOf(served, long.approvalId)).body.data as Shown
  expect(disabled.problem).toEqual({
    code: 'binding_unavailable',
    message: `The Connection ${connection.name} (${connection.id}) is disabled.`,
  })
  expect(disabled.target.url).toBe(`${world.shop.url}/v1/one`)
})

test('for other handlers it shows what they call', async () => {
  const place = await world.place()
  const other = await world.agent(place, {})
  const { slug } = await data<{ slug: string; id: string }>(world.owner.get(`${place.project}/agents/${other.agentId}`))
  const operation = (name: string, handler: object) => ({ ...httpOperation(name, {}, always), handler })
  const entity = { name: 'order', kind: 'entity' }
  const served = await world.serving(
    [
      operation('echo', { type: 'echo' }),
      operation('work', { type: 'worker', queue: 'billing' }),
      operation('ask', { type: 'agent', agent: slug, query: 'What of {{input.what}}?' }),
      operation('make', { type: 'entity', entity: 'order', action: 'create' }),
      operation('search', { type: 'mcp', connection: 'shop', tool: 'find' }),
    ],
    {
      others: [other],
      definitions: async ({ project }) => {
        const { id: definitionId } = await data(world.owner.post(`${project}/definitions`, entity))
        const source = { schema: { type: 'object' }, states: { initial: 'open', states: { open: {} } } }
        const { id } = await data(world.owner.post(`${project}/definitions/${definitionId}/revisions`, { source }))
        return [{ definitionId, definitionRevisionId: id }]
      },
    },
    place,
  )
  const target = async (name: string, input: object = {}) => {
    const { approvalId } = await asked(served, `shop.${name}`, input)
    const { body } = await requestOf(served, approvalId)
    expect([body.data.problem, body.data.withheld]).toEqual([null, []])
    return body.data.target
  }
  expect(await target('echo')).toEqual({ type: 'echo' })
  expect(await target('work')).toEqual({ type: 'worker', queue: 'billing' })
  expect(await target('ask', { what: 'A-1' })).toEqual({
    type: 'agent',
    agent: slug,
    agentId: other.agentId,
    query: 'What of A-1?',
  })
  expect(await target('make')).toEqual({ type: 'entity', entity: 'order', action: 'create' })
  expect(await target('search')).toMatchObject({ type: 'mcp', url: `${world.shop.url}/v1`, tool: 'find' })
})

test('anyone who may read the approval can read it', async () => {
  const served = await world.serving([httpOperation('pay', {}, always)])
  const { approvalId } = await asked(served, 'shop.pay')
  const key = async (operation: string) =>
    world.as(
      (
        await data<{ id: string; secret: string }>(
          world.owner.post('/api/v1/api-keys', { name: 'Key', operations: [operation] }),
        )
      ).secret,
    )
  expect((await requestOf(served, approvalId, await key('operation-approvals:list'))).status).toBe(200)
  expect((await requestOf(served, approvalId, await key('operation-approvals:approve'))).status).toBe(403)
  expect((await requestOf(served, 'apr_01h455vb4pex5vsknk084sn02q')).status).toBe(404)
})
