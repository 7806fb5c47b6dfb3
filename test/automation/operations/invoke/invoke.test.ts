/** `POST {P}/agents/{agentId}/operations/{operation}/invoke`. Source: requirement 5; contract 6. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { echoOperation } from '../../../support/world/places.ts'
import { data } from '../../../support/world/replies.ts'
import { httpOperation, type Operations, openOperations, type Served } from '../world.ts'

let world: Operations
let served: Served
beforeAll(async () => {
  world = await openOperations()
  const inputSchema = {
    type: 'object',
    properties: {
      n: { type: 'integer' },
      'a/b': { type: 'string' },
      list: { type: 'array', items: { type: 'string' } },
    },
    required: ['n'],
    additionalProperties: false,
  }
  const write = { effect: 'write', idempotent: false }
  // for a service that says nothing; one that answers may take long on an overloaded machine
  const brief = { timeoutMs: 100 }
  served = await world.serving(
    [
      echoOperation('echo'),
      echoOperation('strict', { inputSchema }),
      echoOperation('odd', { outputSchema: { type: 'object', required: ['id'] } }),
      echoOperation('ask', { approval: 'always' }),
      echoOperation('denied'),
      httpOperation('read', {}),
      httpOperation('read_briefly', {}, brief),
      httpOperation('put_briefly', { method: 'PUT' }, { ...write, ...brief, idempotent: true }),
      httpOperation('send', { method: 'POST' }, write),
      // long enough for it to be sent, on any machine
      httpOperation('send_briefly', { method: 'POST' }, { ...write, timeoutMs: 2_000 }),
    ],
    {
      granted: ['echo', 'strict', 'odd', 'ask', 'read', 'read_briefly', 'put_briefly', 'send', 'send_briefly'].map(
        (name) => `shop.${name}`,
      ),
    },
  )
})
afterAll(() => world?.stop())
beforeEach(() => {
  world.shop.asked.length = 0
  world.shop.answer = () => Response.json({ ok: true })
})
const listed = async () =>
  (await data<{ items: unknown[] }>(world.owner.get(served.invocations, { query: { limit: 100 } }))).items.length

test('an operation that has ended returns 200 with the invocation as a later read shows it', async () => {
  const { status, body } = await served.invoke('shop.echo', { input: { a: [1, null] } })
  expect(status).toBe(200)
  expect(body.data).toMatchObject({
    operation: 'shop.echo',
    agentId: served.agent.agentId,
    deploymentId: served.deploymentId,
    agentRunId: null,
    workflowRunId: null,
    stepId: null,
    approvalId: null,
    state: 'succeeded',
    input: { a: [1, null] },
    output: { a: [1, null] },
    error: null,
  })
  expect(await world.invocation(served, body.data.id)).toEqual(body.data)
})

describe('outcomes', () => {
  const silence = () => new Promise<Response>(() => {})
  const status = (code: number) => () => new Response('no', { status: code })
  test.each([
    ['read', 'answers', () => Response.json({ a: 1 }), 'succeeded', { a: 1 }],
    ['read', 'answers text', () => new Response('hello'), 'succeeded', 'hello'],
    ['read', 'answers 500', status(500), 'failed', null],
    ['read_briefly', 'says nothing', silence, 'failed', null],
    ['put_briefly', 'says nothing', silence, 'failed', null],
    ['send', 'answers 404', status(404), 'failed', null],
    ['send', 'answers 503', status(503), 'failed', null],
    ['send_briefly', 'says nothing', silence, 'unknown', null],
  ])('%s, when the service %s', async (name, _, answer, state, output) => {
    world.shop.answer = answer
    const reply = await served.invoke(`shop.${name}`)
    expect([reply.status, reply.body.data.state, reply.body.data.output]).toEqual([200, state, output])
    expect(reply.body.data.error === null).toBe(state === 'succeeded')
  })

  test('a response invalid under its schema fails', async () => {
    const { body } = await served.invoke('shop.odd')
    expect(body.data).toMatchObject({ state: 'failed', error: { code: 'tool_error' } })
  })

  test('one that needs an approval returns 202 and waits', async () => {
    const { status, body } = await served.invoke('shop.ask')
    expect([status, body.data.state]).toEqual([202, 'pending_approval'])
    expect(body.data.approvalId).toStartWith('apr_')
    await data(world.owner.post(`${served.approvals}/${body.data.approvalId}/reject`))
  })
})

describe('rejected without a record', () => {
  test.each([
    ['an unknown operation', 'shop.nothing', 404, 'not_found'],
    ['an unknown definition', 'other.echo', 404, 'not_found'],
    ['a name of a property of all objects', 'shop.constructor', 404, 'not_found'],
    ['an operation not granted to the Agent', 'shop.denied', 403, 'permission_denied'],
  ])('%s', async (_, name, status, code) => {
    const before = await listed()
    const reply = await served.invoke(name)
    expect([reply.status, reply.body.error.code]).toEqual([status, code])
    if (status === 404) expect(reply.body.error.message).toBe(`The active Deployment has no operation ${name}.`)
    expect(await listed()).toBe(before)
  })

  test.each<[string, unknown, string[]]>([
    ['something missing', { input: {} }, ['/body/input/n']],
    ['another type', { input: { n: 'x' } }, ['/body/input/n']],
    ['an extra field', { input: { n: 1, 'c/d': 1 } }, ['/body/input/c~1d']],
    ['an invalid item', { input: { n: 1, list: ['a', 2] } }, ['/body/input/list/1']],
    ['no object', { input: 'text' }, ['/body/input']],
    ['null', { input: null }, ['/body/input']],
    ['no input', {}, ['/body/input']],
    ['an unknown field', { input: { n: 1 }, more: 1 }, ['/body/more']],
    ['an empty key', { input: { n: 1 }, idempotencyKey: '' }, ['/body/idempotencyKey']],
    ['a key with a line break', { input: { n: 1 }, idempotencyKey: 'a\nb' }, ['/body/idempotencyKey']],
    ['a key that is too long', { input: { n: 1 }, idempotencyKey: 'k'.repeat(256) }, ['/body/idempotencyKey']],
    ['a body that is not an object', [], ['/body']],
  ])('an input with %s returns 422 with its path', async (_, body, paths) => {
    const { status, body: answer } = await served.invoke('shop.strict', body)
    expect(status).toBe(422)
    expect(answer.error.details.issues.map(({ path }: { path: string }) => path)).toEqual(paths)
  })

  test('the message about an input is a sentence', async () => {
    const { body } = await served.invoke('shop.strict', { input: {} })
    expect(body.error.details.issues).toEqual([{ path: '/body/input/n', message: "Must have required property 'n'." }])
  })

  test('malformed JSON returns 400, a body that is too large 413', async () => {
    const path = `${served.place.path}/agents/${served.agent.agentId}/operations/shop.echo/invoke`
    const headers = { 'content-type': 'application/json' }
    expect((await world.owner.call('POST', path, '{"input":', { headers })).status).toBe(400)
    expect((await served.invoke('shop.echo', { input: 'x'.repeat(1024 * 1024) })).status).toBe(413)
  })
})

describe('authorization', () => {
  const keyWith = async (operations: string[], scope: object = {}) => {
    const { secret } = await data<{ id: string; secret: string }>(
      world.owner.post('/api/v1/api-keys', { name: 'Key', operations, ...scope }),
    )
    return world.as(secret)
  }
  test('without the permission returns 403 with its name', async () => {
    const { status, body } = await served.invoke('shop.echo', undefined, await keyWith(['agents:get']))
    expect([status, body.error.details]).toEqual([403, { permission: 'agents:invoke-operation' }])
  })
  test('a key of this Agent is accepted, and one of another is not', async () => {
    const { projectId, environmentId } = served.place
    const other = await world.agent(served.place)
    const scope = { projectId, environmentId }
    const operations = ['agents:invoke-operation', 'operation-invocations:list']
    const own = await keyWith(operations, { ...scope, agentId: served.agent.agentId })
    const foreign = await keyWith(operations, { ...scope, agentId: other.agentId })
    const { status, body } = await served.invoke('shop.echo', { input: {} }, own)
    expect(status).toBe(200)
    expect((await served.invoke('shop.echo', { input: {} }, foreign)).status).toBe(404)
    expect((await own.get(`${served.invocations}/${body.data.id}`)).status).toBe(200)
    expect((await foreign.get(`${served.invocations}/${body.data.id}`)).status).toBe(404)
    expect((await own.get(served.invocations)).body.data.items[0].id).toBe(body.data.id)
    expect((await foreign.get(served.invocations)).body.data.items).toEqual([])
  })
  test('for another organization returns 404, as if it never existed', async () => {
    expect((await served.invoke('shop.echo', undefined, await world.foreigner())).status).toBe(404)
  })
  test('an Agent that is not in the active Deployment returns 409, also without a Deployment', async () => {
    const outside = await world.agent(served.place)
    const path = (place: { path: string }, agentId: string) =>
      `${place.path}/agents/${agentId}/operations/shop.echo/invoke`
    const one = await world.owner.post(path(served.place, outside.agentId), { input: {} })
    expect([one.status, one.body.error.code]).toEqual([409, 'agent_not_deployed'])
    const empty = await world.place()
    const agent = await world.agent(empty)
    const other = await world.owner.post(path(empty, agent.agentId), { input: {} })
    expect([other.status, other.body.error.code]).toEqual([409, 'no_active_deployment'])
  })
  test('in a paused Project returns 409, and works again once it is resumed', async () => {
    const fresh = await world.serving([echoOperation('echo')])
    await data(world.owner.patch(fresh.place.project, { status: 'paused' }))
    const { status, body } = await fresh.invoke('shop.echo')
    expect([status, body.error.code]).toEqual([409, 'project_paused'])
    await data(world.owner.patch(fresh.place.project, { status: 'active' }))
    expect((await fresh.invoke('shop.echo')).status).toBe(200)
  })
})

describe('an idempotencyKey', () => {
  const body = (changes: object = {}) => ({ input: { n: 1 }, idempotencyKey: 'order-1', ...changes })
  test('is one invocation, however many requests are concurrent', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => served.invoke('shop.send', body())))
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))
    expect(
      new Set(
        answers.map(
          ({
            body: {
              data: { id },
            },
          }) => id,
        ),
      ).size,
    ).toBe(1)
    expect(world.shop.asked).toHaveLength(1)
    expect((await served.invoke('shop.send', body())).body).toEqual(answers[0]!.body)
    expect(world.shop.asked).toHaveLength(1)
  })
  test.each([
    ['another input', 'shop.send', { input: { n: 2 } }],
    ['another operation', 'shop.put_briefly', {}],
  ])('with %s returns 422', async (_, name, changes) => {
    const { status, body: answer } = await served.invoke(name, body(changes))
    expect([status, answer.error.code]).toEqual([422, 'idempotency_key_reused'])
    expect(answer.error.details.issues).toEqual([{ path: '/body/idempotencyKey', message: answer.error.message }])
    expect(world.shop.asked).toHaveLength(0)
  })
  test('with another Agent returns 422, and does not show the call', async () => {
    const known = await served.invoke('shop.send', body())
    const { agentId } = await world.agent(served.place)
    const path = `${served.place.path}/agents/${agentId}/operations/shop.send/invoke`
    const { status, body: answer } = await world.owner.post(path, body())
    expect([status, answer.error?.code]).toEqual([422, 'idempotency_key_reused'])
    expect(JSON.stringify(answer)).not.toContain(known.body.data.id)
  })
  test('is scoped to the Environment', async () => {
    const fresh = await world.serving([echoOperation('send')])
    expect((await fresh.invoke('shop.send', body())).status).toBe(200)
  })
})

test('each transition is in the history, and the log names the caller', async () => {
  const fresh = await world.serving([echoOperation('echo')])
  const { body } = await fresh.invoke('shop.echo')
  expect(await world.operationEvents(fresh)).toEqual([
    ['invocation', null, 'running'],
    ['invocation', 'running', 'succeeded'],
  ])
  const { items } = (await world.owner.get(`/api/v1/organizations/${world.ours}/audit-events`)).body.data
  expect(items[0]).toMatchObject({
    operation: 'invokeOperation',
    outcome: 'allowed',
    resource: { type: 'operationInvocation', id: body.data.id },
    changed: ['input'],
  })
})

test('its statechart can be read and verified', async () => {
  const { body } = await served.invoke('shop.echo')
  const actor = `/api/v1/actors/operation-invocation/${body.data.id}`
  expect((await world.owner.get(actor)).body.data).toMatchObject({ state: 'succeeded', context: { performances: 1 } })
  expect((await world.owner.get(`${actor}/verify`)).body.data).toMatchObject({ valid: true })
})
