/** Events of an Environment, through the whole server. Source: contract 7, "Who emits what". */

import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eventDescriptions } from '../../../src/events/kinds/described.ts'
import { openWorld, type World } from '../../runs/project/world.ts'
import { expectDescribedEvents, validatorOf } from '../../support/event-schemas.ts'
import { eventually } from '../../support/process.ts'
import type { AgentPin, Place } from '../../support/world/places.ts'
import { data } from '../../support/world/replies.ts'

let world: World
let place: Place
let agent: AgentPin
let deploymentId: string
const secret = 'correct-horse-battery-staple'
beforeAll(async () => {
  world = await openWorld()
  place = await world.place()
  agent = await world.agent(place, {
    instructions: `Keep to yourself: ${secret}.`,
    tools: [
      { kind: 'interactive', name: 'ask', description: secret, inputSchema: { type: 'object' } },
      { kind: 'builtin', name: 'echo' },
    ],
  })
  await world.variable(place, 'PASSWORD', secret)
  deploymentId = await world.serve(place, [agent])
})
afterAll(() => world?.stop())

interface HistoryEvent {
  type: string
  sequence: number
  subject: { type: string; id: string }
  actor: { type: string; id: string }
  data: Record<string, unknown>
}
async function history(at: Place = place): Promise<HistoryEvent[]> {
  const all: HistoryEvent[] = []
  for (let cursor: string | undefined; ; ) {
    const { events, pagination } = (await world.owner.get(`${at.path}/events`, { query: { limit: 100, cursor } })).body
    all.push(...events)
    if (!pagination.hasMore) return all
    cursor = pagination.nextCursor
  }
}
const of = async (id: string) =>
  (await history()).filter(({ subject }) => subject.id === id).map(({ type, data: { from, to } }) => [type, from, to])

test('a Deployment and its Activation come first', async () => {
  const kinds = (await history()).slice(0, 6).map(({ type }) => type)
  expect(kinds).toEqual([
    'deployment.queued',
    'deployment.validating',
    'deployment.provisioning',
    'deployment.materializing',
    'deployment.ready',
    'activation.changed',
  ])
  const activation = (await history())[5] as HistoryEvent
  expect(activation).toMatchObject({
    subject: { type: 'environment', id: place.environmentId },
    data: { deploymentId, previousDeploymentId: null, generation: 1 },
  })
})

test('a run: created, started, ended', async () => {
  const { id } = await world.run(place, agent.agentId, '/say Done')
  expect(await of(id)).toEqual([
    ['run.created', null, 'queued'],
    ['run.started', 'starting', 'running'],
    ['run.completed', 'running', 'completed'],
  ])
})

test('a run that waits for an answer starts again with it', async () => {
  const { id } = await world.run(place, agent.agentId, `/call ask {"about": "${secret}"}\n/say Done`)
  const { awaiting } = await data<{ awaiting: { toolCallId: string } }>(world.owner.get(`/api/v1/agent-runs/${id}`))
  const toolResults = [{ toolCallId: awaiting.toolCallId, result: secret }]
  await data(world.owner.post(`/api/v1/agent-runs/${id}/continue`, { query: JSON.stringify({ toolResults }) }))
  await world.ended(id, ['completed'])
  expect((await of(id)).map(([type]) => type)).toEqual(['run.created', 'run.started', 'run.started', 'run.completed'])
})

test('the event of a waiting run exists only for those who have subscribed to it by name', async () => {
  const waiting = async () => {
    const { id } = await world.run(place, agent.agentId, '/call ask {}')
    await eventually('the question', async () => (await world.owner.get(`/api/v1/agent-runs/${id}`)).body.data.awaiting)
    return (await of(id)).map(([type]) => type)
  }
  expect(await waiting()).toEqual(['run.created', 'run.started'])
  const webhook = { endpointUrl: 'https://hooks.example.com/', eventTypes: ['run.waiting'] }
  const { webhookId, id = webhookId } = await data<Record<string, string>>(
    world.owner.post(`${place.path}/webhooks`, webhook),
  )
  expect(await waiting()).toEqual(['run.created', 'run.started', 'run.waiting'])
  await data(world.owner.delete(`${place.path}/webhooks/${id}`))
})

test('200 runs that start at once have one event each, numbered without gaps', async () => {
  const starts = await Promise.all(
    Array.from({ length: 200 }, () => data(world.start(place, agent.agentId, `/say ${secret}`))),
  )
  await Promise.all(starts.map(({ id }) => world.ended(id)))
  const events = await history()
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1))
  for (const kind of ['run.created', 'run.started', 'run.completed']) {
    const subjects = events.filter(({ type }) => type === kind).map(({ subject }) => subject.id)
    for (const { id } of starts) expect(subjects.filter((one) => one === id)).toHaveLength(1)
  }
})

test('a refused start has no event', async () => {
  const before = (await history()).length
  expect((await world.start(place, 'agt_01h455vb4pex5vsknk084sn02q', 'Hello')).status).toBe(404)
  expect((await world.start(place, agent.agentId, '')).status).toBe(400)
  expect((await history()).length).toBe(before)
})

test('a run of a System Agent has no event', async () => {
  const before = (await history()).length
  const { id } = await data(
    world.owner.post('/api/v1/agent-runs', { agentId: 'agt_system_assistant', query: '/say Done' }),
  )
  await world.ended(id)
  expect((await history()).length).toBe(before)
})

describe('whether a System Agent is enabled', () => {
  const path = '/api/v1/system-agents/agt_system_summarizer'
  const change = (enabled: boolean, client = world.owner) => client.patch(path, { enabled })
  const start = () => world.owner.post('/api/v1/agent-runs', { agentId: 'agt_system_summarizer', query: '/say Done' })
  const changes = async (at: Place = place) =>
    (await history(at)).filter(({ type }) => type === 'system_agent.policy_changed')
  const heard = (count: number, at: Place = place) =>
    eventually(`${count} changes`, async () => {
      const found = await changes(at)
      return found.length === count && found
    })

  test('is announced to every active Environment, and to no other', async () => {
    const foreigner = await world.foreigner()
    const { id } = await data(foreigner.post('/api/v1/projects', { slug: 'theirs', name: 'Theirs' }))
    const theirs = `/api/v1/projects/${id}/environments`
    const [{ id: environmentId }] = (await foreigner.get(theirs)).body.data.items
    const active = { lifecycle: 'active', expectedLifecycle: 'provisioning' }
    await data(foreigner.patch(`${theirs}/${environmentId}`, active))
    const second = await world.place()
    const [, idle] = (await world.owner.get(`${second.project}/environments`)).body.data.items
    const { status, body } = await change(false)
    expect([status, body.data.id, body.data.enabled]).toEqual([200, 'agt_system_summarizer', false])
    for (const at of [place, second]) {
      const [event] = await heard(1, at)
      expect(event).toMatchObject({
        subject: { type: 'systemAgent', id: 'agt_system_summarizer' },
        actor: { type: 'apiKey' },
        data: { agentId: 'agt_system_summarizer', from: 'enabled', to: 'disabled' },
      })
    }
    await eventually('a change elsewhere', async () => {
      const { events } = (await foreigner.get(`${theirs}/${environmentId}/events`)).body
      return events.length === 1 && events[0].type === 'system_agent.policy_changed'
    })
    expect(await changes({ ...second, path: `${second.project}/environments/${idle.id}` })).toEqual([])
    expect((await world.owner.get(path)).body.data.enabled).toBe(false)
    const { items } = (await world.owner.get('/api/v1/system-agents')).body.data
    expect(items.map(({ enabled }: { enabled: boolean }) => enabled)).toEqual([true, false])
  })

  test('a disabled System Agent is missing for new runs; ended ones begin no further turn', async () => {
    await change(true)
    const { id } = await data(start())
    await world.ended(id)
    await change(false)
    const { status, body } = await start()
    expect([status, body.error.code]).toEqual([404, 'not_found'])
    const further = () => world.owner.post(`/api/v1/agent-runs/${id}/continue`, { query: '/say Again' })
    expect((await further()).status).toBe(404)
    await change(true)
    await data(further())
    await world.ended(id, ['completed'])
  })

  test('8 equal requests at once all succeed, and one change is announced', async () => {
    await change(false)
    const before = await eventually('what was told before', async () => {
      const settled = await changes()
      return settled.at(-1)?.data.to === 'disabled' && settled
    })
    const answers = await Promise.all(Array.from({ length: 8 }, () => change(true)))
    expect(answers.map(({ status, body }) => [status, body.data.enabled])).toEqual(Array(8).fill([200, true]))
    const after = await heard(before.length + 1)
    expect(after.at(-1)?.data).toMatchObject({ from: 'disabled', to: 'enabled' })
    expect((await change(true)).status).toBe(200)
    expect((await world.owner.patch(path, {})).body.data.enabled).toBe(true)
    expect(await changes()).toEqual(after)
  })

  test('is for owners of the first organization only', async () => {
    const foreigner = await world.foreigner()
    const { status, body } = await change(false, foreigner)
    expect([status, body.error.code]).toEqual([403, 'permission_denied'])
    expect((await world.owner.get(path)).body.data.enabled).toBe(true)
    const unknown = await world.owner.patch('/api/v1/system-agents/agt_system_nobody', { enabled: false })
    expect(unknown.status).toBe(404)
    for (const wrong of [{ enabled: 'no' }, { enabled: null }, { disabled: true }]) {
      expect((await world.owner.patch(path, wrong)).status).toBe(422)
    }
  })
})

test('every event matches the schema of its kind', () => {
  expect([...expectDescribedEvents(world.file)].sort()).toEqual([
    'activation.changed',
    'deployment.materializing',
    'deployment.provisioning',
    'deployment.queued',
    'deployment.ready',
    'deployment.validating',
    'run.completed',
    'run.created',
    'run.started',
    'run.waiting',
    'system_agent.policy_changed',
  ])
})

test('no event contains a secret, or input or output of an Agent', () => {
  const database = new Database(world.file, { readonly: true })
  const bodies = database.query<{ body: string }, []>('select body from environment_events').all()
  const data = database.query<{ data: string }, []>('select data from announcements').all()
  database.close()
  expect(bodies.length).toBeGreaterThan(600)
  expect(JSON.stringify([bodies, data])).not.toContain(secret)
})

test('the schema of every kind can be checked', () => {
  expect(eventDescriptions.filter(({ kind }) => !validatorOf(kind))).toEqual([])
})
