import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { AgentPin, Place } from '../../support/world/places.ts'
import { data } from '../../support/world/replies.ts'
import { EventReader } from '../stream/event-stream.ts'
import { openWorld, type World } from './world.ts'

interface Usage {
  tokens: { output: number }
}

let world: World
let place: Place
let agent: AgentPin
let deploymentId: string
beforeAll(async () => {
  world = await openWorld()
  place = await world.place()
  agent = await world.agent(place)
  deploymentId = await world.serve(place, [agent])
})
afterAll(() => world?.stop())

const unknownAgent = 'agt_01h455vb4pex5vsknk084sn02q'
const unknownEnvironment = 'env_01h455vb4pex5vsknk084sn02q'

/** A key of the owner that is bound to something, or has only some permissions. */
async function keyOf(options: object) {
  const { secret } = await data<{ secret: string }>(
    world.owner.post('/api/v1/api-keys', { name: 'key', operations: ['agent-runs:*'], ...options }),
  )
  return world.as(secret)
}

describe('a run of a Project Agent', () => {
  test('uses the active Deployment and its revision', async () => {
    const run = await world.run(place, agent.agentId, '/say Done')
    expect(run).toMatchObject({
      state: 'completed',
      stopReason: 'end_turn',
      projectId: place.projectId,
      environmentId: place.environmentId,
      deploymentId,
      agentId: agent.agentId,
      agentRevisionId: agent.agentRevisionId,
    })
    expect(
      (await world.steps(run.id)).map(({ kind, output }) => [kind, (output as { text?: string }).text ?? output]),
    ).toEqual([
      ['agent', 'Done'],
      ['model', 'Done'],
    ])
  })

  test('counts the output of a canceled model call', async () => {
    const usage = async () => {
      const { organizationId } = await data<{ organizationId: string }>(world.owner.get(place.project))
      return (await data<Usage>(world.owner.get(`/api/v1/organizations/${organizationId}/billing/usage`))).tokens.output
    }
    const before = await usage()
    const { id } = await data(world.start(place, agent.agentId, '/say one two three\n/sleep 60000'))
    const stream = new EventReader(await world.owner.raw('GET', `/api/v1/agent-runs/${id}/stream?after=0`))
    await stream.until(({ event, data: frame }) => event === 'step.delta' && frame.data.text.includes('three'))
    await data(world.owner.post(`/api/v1/agent-runs/${id}/cancel`))
    await stream.all()
    const [model] = (await world.steps(id)).filter(({ kind }) => kind === 'model')
    expect(model).toMatchObject({ status: 'canceled', tokenUsage: { outputTokens: 3 } })
    expect((await usage()) - before).toBe(3)
  })

  test('is found in lists by its Project, Environment and Agent', async () => {
    const { id } = await world.run(place, agent.agentId, 'Hello')
    for (const query of [
      { projectId: place.projectId },
      { environmentId: place.environmentId },
      { agentId: agent.agentId },
    ]) {
      const { body } = await world.owner.get('/api/v1/agent-runs', { query })
      expect(body.agentRuns[0].id).toBe(id)
    }
  })

  test('starts once for one Idempotency-Key', async () => {
    const starts = await Promise.all(
      Array.from({ length: 8 }, () =>
        world.owner.post(
          '/api/v1/agent-runs',
          { agentId: agent.agentId, environmentId: place.environmentId, query: 'Hello' },
          { headers: { 'idempotency-key': 'once' } },
        ),
      ),
    )
    const ids = new Set(starts.filter(({ status }) => status === 200).map(({ body }) => body.data.id))
    expect(ids.size).toBe(1)
    for (const { status, body } of starts) {
      expect([200, 409]).toContain(status)
      if (status === 409) expect(body.error.code).toBe('idempotency_in_progress')
    }
  })

  test('accepts a key of its Project, of its Environment and of the Agent', async () => {
    const { projectId, environmentId } = place
    const { agentId } = agent
    for (const scope of [{ projectId }, { projectId, environmentId }, { projectId, environmentId, agentId }]) {
      const key = await keyOf(scope)
      expect((await world.start(place, agentId, 'Hello', {}, key)).status).toBe(200)
    }
  })
})

describe('a start is refused', () => {
  const start = (body: object, client = world.owner) => client.post('/api/v1/agent-runs', { query: 'Hello', ...body })

  test('422 without an Environment', async () => {
    const { status, body } = await start({ agentId: agent.agentId })
    expect([status, body.error.details.issues[0].path]).toEqual([422, '/body/environmentId'])
  })

  test('422 for a System Agent with an Environment', async () => {
    const { status } = await start({ agentId: 'agt_system_assistant', environmentId: place.environmentId })
    expect(status).toBe(422)
  })

  test('404 for an unknown Agent or Environment', async () => {
    const bodies = [
      { agentId: unknownAgent },
      { agentId: unknownAgent, environmentId: place.environmentId },
      { agentId: agent.agentId, environmentId: unknownEnvironment },
      { agentId: 'nobody', environmentId: 'nowhere' },
    ]
    for (const body of bodies) expect((await start(body)).status).toBe(404)
  })

  test('404 for the Agent of another Project', async () => {
    const elsewhere = await world.place()
    const other = await world.agent(elsewhere)
    expect((await start({ agentId: other.agentId, environmentId: place.environmentId })).status).toBe(404)
    expect((await start({ agentId: agent.agentId, environmentId: elsewhere.environmentId })).status).toBe(404)
  })

  test("404 outside of a key's scope, with and without an Environment", async () => {
    const elsewhere = await world.place()
    const other = await world.agent(elsewhere)
    const bound = await keyOf({ projectId: elsewhere.projectId })
    const { agentId } = agent
    expect((await start({ agentId, environmentId: place.environmentId }, bound)).status).toBe(404)
    expect((await start({ agentId }, bound)).status).toBe(404)
    const ofOther = await keyOf({ projectId: elsewhere.projectId, agentId: other.agentId })
    expect((await start({ agentId, environmentId: place.environmentId }, ofOther)).status).toBe(404)
    const { items } = await data<{ items: { id: string }[] }>(world.owner.get(`${place.project}/environments`))
    const ofEnvironment = await keyOf({ projectId: place.projectId, environmentId: items[1]!.id })
    expect((await start({ agentId, environmentId: place.environmentId }, ofEnvironment)).status).toBe(404)
  })

  test('404 for another organization, byte for byte as for an unknown Agent', async () => {
    const foreigner = await world.foreigner()
    const foreign = await world.start(place, agent.agentId, 'Hello', {}, foreigner)
    const missing = await start({ agentId: unknownAgent, environmentId: unknownEnvironment }, foreigner)
    expect([foreign.status, missing.status]).toEqual([404, 404])
    const without = ({ body }: typeof missing) => ({ ...body.error, requestId: '' })
    expect(without(foreign)).toEqual(without(missing))
    expect((await start({ agentId: agent.agentId }, foreigner)).status).toBe(404)
  })

  test('409 while the Environment has no active Deployment', async () => {
    const bare = await world.place()
    const { agentId } = await world.agent(bare)
    const { status, body } = await world.start(bare, agentId, 'Hello')
    expect([status, body.error.code]).toEqual([409, 'no_active_deployment'])
  })

  test('409 for an Agent that is not in the active Deployment', async () => {
    const { agentId } = await world.agent(place)
    const { status, body } = await world.start(place, agentId, 'Hello')
    expect([status, body.error.code]).toEqual([409, 'agent_not_deployed'])
  })

  test('409 while the Project is paused, also for a malformed request; afterwards it succeeds', async () => {
    const paused = await world.place()
    const deployed = await world.agent(paused)
    await world.serve(paused, [deployed])
    const undeployed = await world.agent(paused)
    const going = await data(world.start(paused, deployed.agentId, '/sleep 50'))
    await data(world.owner.patch(paused.project, { status: 'paused' }))
    for (const { agentId } of [deployed, deployed, undeployed]) {
      const { status, body } = await world.start(paused, agentId, 'Hello')
      expect([status, body.error.code, body.error.details]).toEqual([409, 'project_paused', { currentState: 'paused' }])
    }
    expect(await world.ended(going.id)).toMatchObject({ state: 'completed' })
    await data(world.owner.patch(paused.project, { status: 'active' }))
    expect((await world.start(paused, deployed.agentId, 'Hello')).status).toBe(200)
  })

  test('409 also for another turn of an ended run, but not for the result that a run waits for', async () => {
    const paused = await world.place()
    const asking = await world.agent(paused, {
      tools: [{ kind: 'interactive', name: 'ask', description: 'Asks.', inputSchema: { type: 'object' } }],
    })
    await world.serve(paused, [asking])
    const ended = await data<{ id: string }>(world.start(paused, asking.agentId, 'Hello'))
    const waiting = await data<{ id: string }>(world.start(paused, asking.agentId, '/call ask {}\n/say done'))
    await world.ended(ended.id)
    await world.ended(waiting.id, ['awaitingToolResult'])
    const goOn = (id: string, query: string) => world.owner.post(`/api/v1/agent-runs/${id}/continue`, { query })
    await data(world.owner.patch(paused.project, { status: 'paused' }))
    const { status, body } = await goOn(ended.id, 'Go on')
    expect([status, body.error.code, body.error.details]).toEqual([409, 'project_paused', { currentState: 'paused' }])
    expect((await data(world.owner.get(`/api/v1/agent-runs/${ended.id}`))).state).toBe('completed')
    await data(goOn(waiting.id, '"yes"'))
    expect((await world.ended(waiting.id, ['completed'])).state).toBe('completed')
    expect((await goOn(waiting.id, 'Go on')).body.error.code).toBe('project_paused')
    await data(world.owner.patch(paused.project, { status: 'active' }))
    await data(goOn(ended.id, 'Go on'))
  })

  test('404 for a disabled System Agent, also for another turn of an ended run; active runs go on', async () => {
    const agentId = 'agt_system_summarizer'
    const path = `/api/v1/system-agents/${agentId}`
    const start = (query: string) => world.owner.post('/api/v1/agent-runs', { agentId, query })
    const goOn = (id: string) => world.owner.post(`/api/v1/agent-runs/${id}/continue`, { query: 'Go on' })
    const ended = await data<{ id: string }>(start('Hello'))
    await world.ended(ended.id)
    const going = await data<{ id: string }>(start('/sleep 50'))
    await data(world.owner.patch(path, { enabled: false }))
    expect((await start('Hello')).status).toBe(404)
    const { status, body } = await goOn(ended.id)
    expect([status, body.error.code, body.error.message]).toEqual([
      404,
      'not_found',
      'The System Agent of the run is disabled: no turn of it can begin until it is enabled.',
    ])
    expect((await data(world.owner.get(`/api/v1/agent-runs/${ended.id}`))).state).toBe('completed')
    expect(await world.ended(going.id)).toMatchObject({ state: 'completed' })
    expect((await goOn(going.id)).status).toBe(404)
    await data(world.owner.patch(path, { enabled: true }))
    await data(goOn(ended.id))
    await world.ended(ended.id)
  })

  test('404 once the Project is being deleted', async () => {
    const gone = await world.place()
    const { agentId, agentRevisionId } = await world.agent(gone)
    await world.serve(gone, [{ agentId, agentRevisionId }])
    const { id } = await data<{ id: string }>(world.start(gone, agentId, 'Hello'))
    await world.ended(id)
    expect((await world.owner.delete(gone.project)).status).toBe(202)
    expect((await world.start(gone, agentId, 'Hello')).status).toBe(404)
    expect((await world.owner.post(`/api/v1/agent-runs/${id}/continue`, { query: 'Go on' })).status).toBe(404)
  })

  test('once a Project is paused, none of many concurrent starts succeeds after the answer', async () => {
    const crowded = await world.place()
    const one = await world.agent(crowded)
    await world.serve(crowded, [one])
    const starts = (count: number) =>
      Promise.all(Array.from({ length: count }, () => world.start(crowded, one.agentId, 'Hello')))
    const [before] = await Promise.all([starts(16), data(world.owner.patch(crowded.project, { status: 'paused' }))])
    for (const { status, body } of before) {
      if (status !== 200) expect([status, body.error.code]).toEqual([409, 'project_paused'])
    }
    for (const { status } of await starts(16)) expect(status).toBe(409)
  })
})

describe('while Deployments change', () => {
  test('each run uses the Deployment that is active at its start, and no earlier one', async () => {
    const changing = await world.place()
    const first = await world.agent(changing)
    const one = await world.serve(changing, [first])
    const second = await world.revise(changing, first.agentId, { instructions: 'Help better.' })
    const two = await world.deploy(changing, [second])
    const starts = () => Promise.all(Array.from({ length: 8 }, () => world.start(changing, first.agentId, 'Hello')))
    const [during] = await Promise.all([starts(), world.activate(changing, two)])
    for (const { status, body } of during) {
      expect(status).toBe(200)
      expect([one, two]).toContain(body.data.deploymentId)
    }
    for (const { body } of await starts()) {
      expect(body.data).toMatchObject({ deploymentId: two, agentRevisionId: second.agentRevisionId })
    }
    await world.activate(changing, one)
    const back = await data(world.start(changing, first.agentId, 'Hello'))
    expect(back).toMatchObject({ deploymentId: one, agentRevisionId: first.agentRevisionId })
  })
})
