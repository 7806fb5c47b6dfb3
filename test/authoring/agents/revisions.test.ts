import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { newId } from '../../../storage/ids.ts'
import { tallyStatuses, walk } from '../../support/world/replies.ts'
import { openWorld, type World } from '../../support/world/world.ts'

let world: World
let project: Awaited<ReturnType<World['project']>>
let count = 0

beforeAll(async () => {
  world = await openWorld()
  project = await world.project()
})
afterAll(() => world?.stop())

/** Creates an Agent and returns its path. */
const agent = async () => {
  count += 1
  const { body } = await world.owner.post(`${project.path}/agents`, { slug: `agent-${count}`, name: 'Agent' })
  return `${project.path}/agents/${body.data.id}`
}
const publish = (path: string, content: object = {}, rest: object = {}) =>
  world.owner.post(`${path}/revisions`, { content: { instructions: 'Help.', ...content }, ...rest })

test('a preview returns what publishing would, and writes nothing', async () => {
  const path = await agent()
  const preview = (content: object, rest: object = {}) =>
    world.owner.post(`${path}/revisions/preview`, { content, ...rest })
  const content = { instructions: 'Help.', maxSteps: 7 }
  const first = await preview(content)
  expect(first.status).toBe(200)
  expect(first.body.data.isLatest).toBe(false)
  expect((await world.owner.get(`${path}/revisions`)).body.data.items).toEqual([])

  const published = await world.owner.post(`${path}/revisions`, { content, grantedOperations: ['orders.find'] })
  expect(published.body.data.contentDigest).toBe(first.body.data.contentDigest)
  const isLatest = async (content: object, grantedOperations: string[]) =>
    (await preview(content, { grantedOperations })).body.data.isLatest
  expect(await isLatest(content, ['orders.find'])).toBe(true)
  expect(await isLatest(content, [])).toBe(false)
  expect(await isLatest({ ...content, maxSteps: 8 }, ['orders.find'])).toBe(false)

  const wrong = {
    instructions: '',
    maxSteps: 1_000,
    tools: [
      { kind: 'builtin', name: 'clock' },
      { kind: 'builtin', name: 'clock' },
    ],
  }
  const refused = await preview(wrong)
  expect(refused.status).toBe(422)
  expect(refused.body.error.details).toEqual((await publish(path, wrong)).body.error.details)
  expect((await world.owner.get(`${path}/revisions`)).body.data.items).toHaveLength(1)
  const nowhere = `${project.path}/agents/${newId('agt')}/revisions/preview`
  expect((await world.owner.post(nowhere, { content })).status).toBe(404)
})

test('a revision is returned as it was published, and is the latest one of its Agent', async () => {
  const path = await agent()
  const content = {
    instructions: 'Help.\nAlways.',
    model: {
      provider: 'openai',
      model: 'gpt-5.5',
      reasoningBudget: 'low',
      settings: { maxOutputTokens: 5, stopSequences: ['x'] },
    },
    tools: [
      { kind: 'operation', name: 'find_order', operation: 'orders.find' },
      { kind: 'interactive', name: 'ask', description: 'Asks.', inputSchema: { type: 'object' } },
      { kind: 'builtin', name: 'clock' },
    ],
    delegates: [
      { name: 'colleague', description: 'Knows more.', agentId: newId('agt') },
      { name: 'lawyer', description: 'A person.', external: true },
    ],
    outputSchema: { type: 'object', properties: { answer: { type: 'string' } } },
    maxSteps: 7,
    presentation: { displayName: 'Helper', greeting: 'Hello!', suggestedQueries: ['How?'] },
    bindings: [
      { bindingKey: 'shop', kind: 'connection', connectionKind: 'http', required: true },
      { bindingKey: 'SHOP_KEY', kind: 'variable', required: false },
    ],
    metadata: { any: { thing: [null, 1.5, 'ü'] }, __proto__x: 1 },
  }
  const grantedOperations = ['agent-runs:get', 'orders.find']
  const { status, body } = await world.owner.post(`${path}/revisions`, { content, grantedOperations })
  expect(status).toBe(201)
  const { id, contentDigest, createdBy, ...rest } = body.data
  expect(id).toMatch(/^agr_/)
  expect(rest).toEqual({
    agentId: path.split('/').at(-1),
    number: 1,
    content,
    grantedOperations,
    createdAt: new Date(world.clock.now()).toISOString(),
  })
  expect(contentDigest).toMatch(/^sha256:[0-9a-f]{64}$/)
  expect(createdBy).toEqual({ type: 'apiKey', id: expect.stringMatching(/^key_/) })
  expect((await world.owner.get(`${path}/revisions/${id}`)).body.data).toEqual(body.data)
  expect((await world.owner.get(path)).body.data.latestRevisionId).toBe(id)
})

test('no defaults are filled in: absent fields stay absent, and no grants are added', async () => {
  const { body } = await publish(await agent())
  expect(body.data.content).toEqual({ instructions: 'Help.' })
  expect(body.data.grantedOperations).toEqual([])
})

test('the digest is the SHA-256 of the RFC 8785 form of the content', async () => {
  const { body } = await publish(await agent(), { metadata: { b: 1e3, a: 'é\n', '€': -0 }, maxSteps: 3 })
  const canonical = '{"instructions":"Help.","maxSteps":3,"metadata":{"a":"é\\n","b":1000,"€":0}}'
  expect(body.data.contentDigest).toBe(`sha256:${new Bun.CryptoHasher('sha256').update(canonical).digest('hex')}`)
})

test('neither the order of keys nor the notation of numbers changes the digest; the content does', async () => {
  const path = await agent()
  const send = (text: string) =>
    world.owner.call('POST', `${path}/revisions`, text, { headers: { 'content-type': 'application/json' } })
  const one = await send('{"content":{"instructions":"Help.","maxSteps":3,"metadata":{"x":100,"y":{"b":2,"a":1}}}}')
  const two = await send('{"content":{"metadata":{"y":{"a":1,"b":2},"x":1e2},"maxSteps":3.0,"instructions":"Help."}}')
  const three = await send('{"content":{"metadata":{"y":{"a":1,"b":3},"x":1e2},"maxSteps":3,"instructions":"Help."}}')
  expect([one.status, two.status, three.status]).toEqual([201, 201, 201])
  expect(two.body.data.contentDigest).toBe(one.body.data.contentDigest)
  expect(two.body.data.content).toEqual(one.body.data.content)
  expect(three.body.data.contentDigest).not.toBe(one.body.data.contentDigest)
})

test('the content is returned as it was written, with its keys in order', async () => {
  const path = await agent()
  const content =
    '{"outputSchema":{"type":"object","properties":{"reasoning":{"type":"string"},"answer":{"type":"string"}}},"instructions":"Help.","metadata":{"z":1,"a":2}}'
  const { body } = await world.owner.call('POST', `${path}/revisions`, `{"content":${content}}`, {
    headers: { 'content-type': 'application/json' },
  })
  expect(JSON.stringify(body.data.content)).toBe(content)
  const read = await world.owner.get(`${path}/revisions/${body.data.id}`)
  expect(JSON.stringify(read.body.data.content)).toBe(content)
})

test('publishing the same content again creates another revision', async () => {
  const path = await agent()
  const [one, two] = [await publish(path), await publish(path)]
  expect([one.body.data.number, two.body.data.number]).toEqual([1, 2])
  expect(one.body.data.id).not.toBe(two.body.data.id)
  expect(one.body.data.contentDigest).toBe(two.body.data.contentDigest)
})

test('eight concurrent publications get numbers 1 to 8, and the last one is the latest', async () => {
  const path = await agent()
  const replies = await Promise.all(Array.from({ length: 8 }, (_, index) => publish(path, { maxSteps: index + 1 })))
  expect(tallyStatuses(replies)).toEqual({ 201: 8 })
  expect(replies.map(({ body }) => body.data.number).sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  const last = replies.find(({ body }) => body.data.number === 8)
  expect((await world.owner.get(path)).body.data.latestRevisionId).toBe(last?.body.data.id)
})

test('publications while the Agent is deleted succeed or are rejected, and leave no gap', async () => {
  const path = await agent()
  const publications = Array.from({ length: 4 }, () => publish(path))
  const [deletion, ...replies] = await Promise.all([world.owner.delete(path), ...publications])
  expect([202, 409]).toContain(deletion?.status as number)
  expect(replies.filter(({ status }) => ![201, 404, 409].includes(status))).toEqual([])
  const numbers = replies.flatMap(({ status, body }) => (status === 201 ? [body.data.number as number] : []))
  expect(numbers.sort()).toEqual(numbers.map((_, index) => index + 1))
})

test('a field of metadata may have the name of a built-in property', async () => {
  const path = await agent()
  const text = '{"content":{"instructions":"Help.","metadata":{"__proto__":{"a":1},"constructor":2,"toString":null}}}'
  const headers = { 'content-type': 'application/json' }
  const { status, body } = await world.owner.call('POST', `${path}/revisions`, text, { headers })
  expect(status).toBe(201)
  expect(JSON.stringify(body.data.content.metadata)).toBe('{"__proto__":{"a":1},"constructor":2,"toString":null}')
})

test('numbers are counted per Agent, and a rejected content takes none', async () => {
  const [one, other] = [await agent(), await agent()]
  await publish(one)
  expect((await publish(one, { instructions: '' })).status).toBe(422)
  expect((await publish(one)).body.data.number).toBe(2)
  expect((await publish(other)).body.data.number).toBe(1)
})

test('a change of the Agent changes no revision', async () => {
  const path = await agent()
  const { body } = await publish(path)
  await world.owner.patch(path, { name: 'Renamed', description: 'New.' })
  expect((await world.owner.get(`${path}/revisions/${body.data.id}`)).body.data).toEqual(body.data)
})

test('the store rejects changes to a revision', async () => {
  const { body } = await publish(await agent())
  for (const change of ["content = '{}'", 'number = 9', "granted_operations = '[]'"]) {
    expect(() => world.rows(`update agent_revisions set ${change} where id = ?`, body.data.id)).toThrow('immutable')
  }
})

describe('the list', () => {
  test('is newest first, page by page, and a publication in between shifts nothing', async () => {
    const path = await agent()
    for (let index = 0; index < 5; index += 1) await publish(path)
    const first = await world.owner.get(`${path}/revisions`, { query: { limit: 2 } })
    await publish(path)
    const { nextCursor: cursor } = first.body.pagination
    const second = await world.owner.get(`${path}/revisions`, { query: { limit: 2, cursor } })
    const numbers = [first, second].flatMap(({ body }) =>
      body.data.items.map(({ number }: { number: number }) => number),
    )
    expect(numbers).toEqual([5, 4, 3, 2])
    const { items, sizes } = await walk(world.owner, `${path}/revisions`, 4)
    expect(items.map(({ number }) => number)).toEqual([6, 5, 4, 3, 2, 1])
    expect(sizes).toEqual([4, 2])
  })

  test('accepts a cursor of this Agent only (422)', async () => {
    const [one, other] = [await agent(), await agent()]
    for (const path of [one, one, other, other]) await publish(path)
    const { body } = await world.owner.get(`${one}/revisions`, { query: { limit: 1 } })
    const reply = await world.owner.get(`${other}/revisions`, { query: { cursor: body.pagination.nextCursor } })
    expect([reply.status, reply.body.error.code]).toEqual([422, 'invalid_cursor'])
    const agents = await world.owner.get(`${project.path}/agents`, { query: { cursor: body.pagination.nextCursor } })
    expect(agents.status).toBe(422)
  })

  test('is empty before the first publication', async () => {
    const { body } = await world.owner.get(`${await agent()}/revisions`)
    expect(body).toEqual({ data: { items: [] }, pagination: { limit: 20, hasMore: false } })
  })
})

test("another Agent's revision is not found under this one", async () => {
  const [one, other] = [await agent(), await agent()]
  const { body } = await publish(one)
  expect((await world.owner.get(`${other}/revisions/${body.data.id}`)).status).toBe(404)
  expect((await world.owner.get(`${one}/revisions/${newId('agr')}`)).status).toBe(404)
  expect((await world.owner.get(`${one}/revisions/nonsense`)).status).toBe(404)
})

test.each(['PATCH', 'PUT', 'DELETE'])('%s of a revision returns 405', async (method) => {
  const path = await agent()
  const { body } = await publish(path)
  expect((await world.owner.call(method, `${path}/revisions/${body.data.id}`, undefined)).status).toBe(405)
})

describe('sizes', () => {
  const bytesMax = 1024 * 1024
  const bodyOf = (bytes: number) => {
    const frame = JSON.stringify({ content: { instructions: 'Help.', metadata: { text: '' } } })
    return frame.replace('"text":""', `"text":"${'x'.repeat(bytes - frame.length)}"`)
  }

  test('a body of exactly 1 MiB is published, one byte more is 413', async () => {
    const path = await agent()
    const headers = { 'content-type': 'application/json' }
    const fits = await world.owner.call('POST', `${path}/revisions`, bodyOf(bytesMax), { headers })
    expect(fits.status).toBe(201)
    const read = await world.owner.get(`${path}/revisions/${fits.body.data.id}`)
    expect(read.body.data.contentDigest).toBe(fits.body.data.contentDigest)
    const over = await world.owner.call('POST', `${path}/revisions`, bodyOf(bytesMax + 1), { headers })
    expect([over.status, over.body.error.code]).toEqual([413, 'payload_too_large'])
  })

  test('instructions have 1 to 100,000 characters, however many bytes each takes', async () => {
    const path = await agent()
    expect((await publish(path, { instructions: '😀'.repeat(100_000) })).status).toBe(201)
    expect((await publish(path, { instructions: 'x'.repeat(100_000) })).status).toBe(201)
    expect((await publish(path, { instructions: 'x'.repeat(100_001) })).status).toBe(422)
    expect((await publish(path, { instructions: '😀'.repeat(100_001) })).status).toBe(422)
  })

  test('64 tools, 16 delegates and 200 grants are published', async () => {
    const tools = Array.from({ length: 64 }, (_, index) => ({ kind: 'operation', name: `t${index}`, operation: 'a.b' }))
    const delegates = Array.from({ length: 16 }, (_, index) => ({
      name: `d${index}`,
      description: '',
      external: true,
    }))
    const grantedOperations = Array.from({ length: 200 }, (_, index) => `shop.operation_${index}`)
    const { status } = await publish(await agent(), { tools, delegates }, { grantedOperations })
    expect(status).toBe(201)
  })
})
