/** What a later message of a conversation may say, and what it waits for. Source: contract 2, 12. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { permissions } from '../../../src/platform/http/guard/permissions.ts'
import type { Client } from '../../support/client.ts'
import { eventually } from '../../support/process.ts'
import { data } from '../../support/world/replies.ts'
import { openWorld, type World } from '../project/world.ts'

const agentId = 'agt_system_assistant'
interface Run {
  id: string
  state: string
  turn: number
  subjectUserId: string | null
  output?: { text: string } | null
}

let world: World
let personal: Client
let userId: string
beforeAll(async () => {
  world = await openWorld({ environment: { TROUPE_RUNNER: 'embedded' } })
  personal = await keyWith(['agent-runs:create', 'agent-runs:continue', 'agent-runs:get', 'agent-runs:personalize'])
  userId = world.rows<{ id: string }>('select id from users')[0]!.id
})
afterAll(() => world?.stop())

const keyWith = async (operations: string[]) =>
  world.as((await data<{ secret: string }>(world.owner.post('/api/v1/api-keys', { name: 'key', operations }))).secret)
let keys = 0
const newKey = () => {
  keys += 1
  return `later ${keys}`
}
const send = (threadKey: string, query: string, changes: object = {}, client: Client = world.owner) =>
  client.post('/api/v1/agent-runs', { agentId, threadKey, query, ...changes })
const patient = (threadKey: string, query: string, changes: object = {}, client: Client = world.owner): Promise<Run> =>
  data<Run>(
    client.post(
      '/api/v1/agent-runs',
      { agentId, threadKey, query, ...changes },
      { query: { waitSeconds: 60, include: 'output' } },
    ),
  )
const listed = async (threadKey: string): Promise<Run[]> =>
  (await world.owner.get('/api/v1/agent-runs', { query: { threadKey } })).body.agentRuns
const refusal = async (sending: ReturnType<typeof send>) => {
  const { status, body } = await sending
  return [status, body.error?.code]
}

describe('the subject of a later message', () => {
  test('may be repeated, but not changed', async () => {
    const key = newKey()
    const reader = ['agent-runs:steps:get', 'agent-runs:create', 'agent-runs:continue', 'agent-runs:personalize']
    const client = await keyWith([...reader, 'agent-runs:get'])
    const { id, subjectUserId } = await patient(key, '/say one', { subjectUserId: userId }, client)
    expect(subjectUserId).toBe(userId)
    expect((await patient(key, '/say two', { subjectUserId: userId }, client)).id).toBe(id)
    const plain = newKey()
    await patient(plain, '/say one', {}, client)
    expect(await refusal(send(plain, '/say two', { subjectUserId: userId }, client))).toEqual([
      422,
      'validation_failed',
    ])
  })

  test.each([{}, { ifBusy: 'enqueue' }])('needs what a start needs (%o)', async (changes) => {
    const key = newKey()
    const isBusy = 'ifBusy' in changes
    const { id } = isBusy ? await data<Run>(send(key, '/sleep 60000')) : await patient(key, '/say one')
    const unable = await keyWith(['agent-runs:create', 'agent-runs:continue', 'agent-runs:get'])
    const asked = { ...changes, subjectUserId: userId }
    expect(await refusal(send(key, 'x', asked, unable))).toEqual([403, 'permission_denied'])
    const stranger = { ...changes, subjectUserId: 'usr_nobody' }
    expect(await refusal(send(key, 'x', stranger, personal))).toEqual([400, 'invalid_subject'])
    if (isBusy) await data(world.owner.post(`/api/v1/agent-runs/${id}/cancel`))
  })
})

test('a grant in the Project is enough for later messages, interruptions and subjects', async () => {
  const place = await world.place()
  const agent = await world.agent(place)
  await world.serve(place, [agent])
  const member = world.tenancy.user(world.ours, 'member')
  const grant = { subject: { type: 'user', id: member }, permissions: ['agent-runs:*'] }
  await data(world.owner.post(`/api/v1/projects/${place.projectId}/access-grants`, grant))
  const client = world.keyOf(member, { operations: permissions.filter((each) => each.startsWith('agent-runs:')) })
  const key = newKey()
  const address = { agentId: agent.agentId, environmentId: place.environmentId }
  const first = await patient(key, '/say one', { ...address, subjectUserId: userId }, client)
  expect(first).toMatchObject({ state: 'completed', subjectUserId: userId })
  expect((await patient(key, '/say two', { ...address, subjectUserId: userId }, client)).id).toBe(first.id)
  await data(send(key, '/sleep 60000', address, client))
  expect(await patient(key, '/say own', { ...address, ifBusy: 'interrupt' }, client)).toMatchObject({
    id: first.id,
    output: { text: 'own' },
  })
})

describe('a message that waits for its turn', () => {
  test.each(['enqueue', 'interrupt'])('is answered with its own turn (%s)', async (ifBusy) => {
    const key = newKey()
    await data(send(key, ifBusy === 'enqueue' ? '/sleep 300\n/say first' : '/sleep 60000'))
    const own = await patient(key, '/say own', { ifBusy })
    expect(own).toMatchObject({ state: 'completed', output: { text: 'own' } })
  })

  test('is answered with its own turn, also if another one follows at once', async () => {
    const key = newKey()
    const first = patient(key, '/sleep 500\n/say first')
    await eventually('the first message', async () => (await listed(key)).length === 1)
    const texts = ['a', 'b', 'c', 'd']
    const all = await Promise.all(texts.map((text) => patient(key, `/sleep 50\n/say ${text}`, { ifBusy: 'enqueue' })))
    const answers = [await first, ...all]
    expect(answers.map(({ state, output }) => [state, output?.text])).toEqual(
      ['first', ...texts].map((text) => ['completed', text]),
    )
    expect(new Set(answers.map(({ turn }) => turn))).toEqual(new Set([1, 2, 3, 4, 5]))
  })

  test('that is repeated later is answered with the turn that it had', async () => {
    const key = newKey()
    const start = (query: string, idempotencyKey: string) =>
      data<Run>(
        world.owner.post(
          '/api/v1/agent-runs',
          { agentId, threadKey: key, query },
          { query: { waitSeconds: 60, include: 'output' }, headers: { 'idempotency-key': idempotencyKey } },
        ),
      )
    const first = await start('/say one', 'first')
    expect(await start('/say two', 'second')).toMatchObject({ turn: 2, output: { text: 'two' } })
    expect(await start('/say one', 'first')).toMatchObject({ ...first, output: { text: 'one' } })
  })

  test('is refused behind sixteen others, also if it interrupts', async () => {
    const key = newKey()
    const { id } = await data<Run>(send(key, '/sleep 60000'))
    for (let count = 1; count <= 16; count += 1) await data(send(key, `${count}`, { ifBusy: 'enqueue' }))
    expect(await refusal(send(key, 'now', { ifBusy: 'interrupt' }))).toEqual([422, 'limit_exceeded'])
    await data(world.owner.post(`/api/v1/agent-runs/${id}/cancel`))
  })
})

test('a later message has no history', async () => {
  const key = newKey()
  const history = [{ role: 'user', content: 'My name is Ada.' }]
  await patient(key, '/say one', { history })
  expect(await refusal(send(key, '/say two', { history }))).toEqual([422, 'validation_failed'])
})

describe('an ended conversation', () => {
  test('does not go on with a disabled System Agent', async () => {
    const key = newKey()
    const summarizer = { agentId: 'agt_system_summarizer' }
    await patient(key, '/say one', summarizer)
    const path = `/api/v1/system-agents/${summarizer.agentId}`
    await data(world.owner.patch(path, { enabled: false }))
    expect(await refusal(send(key, '/say two', summarizer))).toEqual([404, 'not_found'])
    await data(world.owner.patch(path, { enabled: true }))
    await data(send(key, '/say two', summarizer))
  })

  test('does not go on in a paused Project, but answers what it waits for', async () => {
    const key = newKey()
    const place = await world.place()
    const agent = await world.agent(place, {
      tools: [{ kind: 'interactive', name: 'ask', description: 'Asks.', inputSchema: { type: 'object' } }],
    })
    await world.serve(place, [agent])
    const start = (query: string, threadKey: string) => world.start(place, agent.agentId, query, { threadKey })
    const ended = await data<Run>(start('/say one', key))
    const waiting = await data<Run>(start('/call ask {}\n/say done', newKey()))
    await Promise.all([ended, waiting].map(({ id }) => world.ended(id)))
    await data(world.owner.patch(place.project, { status: 'paused' }))
    expect(await refusal(start('/say two', key))).toEqual([409, 'project_paused'])
    await data(world.owner.post(`/api/v1/agent-runs/${waiting.id}/continue`, { query: '"yes"' }))
    expect((await world.ended(waiting.id, ['completed'])).state).toBe('completed')
    await data(world.owner.patch(place.project, { status: 'active' }))
    expect((await data<Run>(start('/say two', key))).id).toBe(ended.id)
  })
})
