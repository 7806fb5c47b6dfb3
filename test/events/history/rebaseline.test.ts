/** A new baseline: the current state, and a cursor for all later events. Source: requirement 4.12; contract 7. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { presentBaseline } from '../../../src/events/history/baseline.ts'
import type { BaselineRow } from '../../../storage/events/baselines.ts'
import { openWorld, type World } from '../../runs/project/world.ts'
import type { Client } from '../../support/client.ts'
import type { AgentPin, Place } from '../../support/world/places.ts'
import { data } from '../../support/world/replies.ts'

let world: World
let place: Place
let agent: AgentPin
let deploymentId: string
beforeAll(async () => {
  // runs stay in their states
  world = await openWorld({ environment: { TROUPE_RUNNER: 'none' } })
  place = await world.place()
  agent = await world.agent(place)
  deploymentId = await world.serve(place, [agent])
})
afterAll(() => world?.stop())

const take = async (at: Place, client: Client = world.owner) => (await client.post(`${at.path}/events/rebaseline`)).body
const eventsOf = async (at: Place, cursor?: string) =>
  (await world.owner.get(`${at.path}/events`, { query: { limit: 100, cursor } })).body.events

test('it has four fields, and all of its contents are of one instant', async () => {
  const unreleased = await world.agent(place)
  const run = await data(world.start(place, agent.agentId, 'Hello'))
  const ended = await data(world.start(place, agent.agentId, 'Hello'))
  await data(world.owner.post(`/api/v1/agent-runs/${ended.id}/cancel`))
  const { status, body } = await world.owner.post(`${place.path}/events/rebaseline`)
  expect(status).toBe(200)
  const { checkpointId, checkpointGeneration, baseline, resumeCursor, ...rest } = body
  expect(rest).toEqual({})
  expect([Number.isInteger(checkpointId), checkpointGeneration]).toEqual([true, 1])
  const { takenAt, sequence, ...parts } = baseline
  expect(Math.abs(Date.parse(takenAt) - Date.now())).toBeLessThan(60_000)
  expect(sequence).toBe((await eventsOf(place)).at(-1).sequence)
  const { data: environment } = (await world.owner.get(place.path)).body
  const { data: deployment } = (await world.owner.get(`${place.path}/deployments/${deploymentId}`)).body
  expect(parts).toEqual({
    environment: {
      id: place.environmentId,
      state: 'active',
      generation: 1,
      configurationHeadRevisionId: environment.configurationHead.revisionId,
      activeDeploymentId: deploymentId,
    },
    activeDeployment: {
      id: deploymentId,
      state: 'ready',
      releaseId: deployment.releaseId,
      configurationRevisionId: deployment.configurationRevisionId,
    },
    agents: [
      { id: agent.agentId, state: 'active', agentRevisionId: agent.agentRevisionId },
      { id: unreleased.agentId, state: 'active', agentRevisionId: null },
    ],
    nonTerminalRuns: [
      { id: run.id, state: 'queued', agentId: agent.agentId, agentRevisionId: agent.agentRevisionId, deploymentId },
    ],
    entities: [],
    truncated: false,
  })
  const next = await take(place)
  expect(next.checkpointId).toBeGreaterThan(checkpointId)
  expect(await eventsOf(place, resumeCursor)).toEqual([])
})

test('in an Environment without events it has number 0', async () => {
  const young = await world.place()
  const { baseline, resumeCursor } = await take(young)
  expect(baseline).toMatchObject({ sequence: 0, activeDeployment: null, agents: [], nonTerminalRuns: [] })
  expect(await eventsOf(young, resumeCursor)).toEqual([])
})

test('under load, a baseline and the events after its cursor contain every run exactly once', async () => {
  const busy = await world.place()
  const pin = await world.agent(busy)
  await world.serve(busy, [pin])
  const started: string[] = []
  const starting = Promise.all(
    Array.from({ length: 8 }, async () => {
      for (let count = 0; count < 25; count += 1) {
        const { id } = await data(world.start(busy, pin.agentId, 'Hello'))
        started.push(id)
        if (count % 3 === 0) await data(world.owner.post(`/api/v1/agent-runs/${id}/cancel`))
      }
    }),
  )
  const taken = []
  while (started.length < 200) taken.push(await take(busy))
  await starting
  expect(taken.length).toBeGreaterThan(3)
  const canceled = (await allEvents(busy))
    .filter(({ type }) => type === 'run.canceled')
    .map(({ subject }) => subject.id)
  const live = started.filter((id) => !canceled.includes(id)).sort()
  for (const { baseline, resumeCursor } of taken) {
    const runs = new Set<string>(baseline.nonTerminalRuns.map(({ id }: { id: string }) => id))
    let { sequence } = baseline
    for (const event of await allEvents(busy, resumeCursor)) {
      expect(event.sequence).toBe(sequence + 1)
      sequence = event.sequence
      const { id } = event.subject
      // events do not repeat what the baseline contains, and whatever ends was in it
      expect(runs.has(id)).toBe(event.type === 'run.canceled')
      if (event.type === 'run.created') runs.add(id)
      else runs.delete(id)
    }
    expect([...runs].sort()).toEqual(live)
  }
})

interface HistoryEvent {
  type: string
  sequence: number
  subject: { id: string }
}
async function allEvents(at: Place, from?: string): Promise<HistoryEvent[]> {
  const all: HistoryEvent[] = []
  for (let cursor = from; ; ) {
    const query = { limit: 100, cursor }
    const { events, pagination } = (await world.owner.get(`${at.path}/events`, { query })).body
    all.push(...events)
    if (!pagination.hasMore) return all
    cursor = pagination.nextCursor
  }
}

test('it is recorded in the audit log', async () => {
  await take(place)
  const { body } = await world.owner.get(`/api/v1/organizations/${world.ours}/audit-events`, { query: { limit: 1 } })
  expect(body.data.items[0]).toMatchObject({
    operation: 'rebaselineEvents',
    resource: { type: 'environmentHistory', id: place.environmentId },
    outcome: 'allowed',
  })
})

describe('permissions', () => {
  const keyOf = async (operations: string[]) =>
    world.as((await data<{ secret: string }>(world.owner.post('/api/v1/api-keys', { name: 'key', operations }))).secret)

  test('requires `webhooks:rebaseline`', async () => {
    const { status, body } = await (await keyOf(['webhooks:events:read'])).post(`${place.path}/events/rebaseline`)
    expect([status, body.error.details]).toEqual([403, { permission: 'webhooks:rebaseline' }])
    const answer = await (await keyOf(['webhooks:rebaseline'])).post(`${place.path}/events/rebaseline`)
    expect(answer.status).toBe(200)
  })

  test("another organization's Environment is 404", async () => {
    const foreigner = await world.foreigner()
    const { status, body } = await foreigner.post(`${place.path}/events/rebaseline`)
    expect([status, body.error.code]).toEqual([404, 'not_found'])
  })
})

describe('lists over 5 MiB', () => {
  const nothing = {
    agent_id: null,
    agent_revision_id: null,
    deployment_id: null,
    release_id: null,
    configuration_revision_id: null,
    activations: null,
    sequence: null,
    generation: null,
    type: null,
    version: null,
  }
  const id = (prefix: string) => `${prefix}_${'0'.repeat(26)}`
  const environment: BaselineRow = {
    ...nothing,
    part: 'environment',
    id: id('env'),
    state: 'active',
    activations: 0,
    sequence: 9,
    generation: 1,
  }
  const run: BaselineRow = {
    ...nothing,
    part: 'run',
    id: id('run'),
    state: 'awaitingDelegateResult',
    agent_id: id('agt'),
    agent_revision_id: id('agr'),
    deployment_id: id('dep'),
  }
  const many = (row: BaselineRow, count: number) => [environment, ...Array.from({ length: count }, () => row)]

  test('are truncated, with a flag', () => {
    const { nonTerminalRuns, truncated } = presentBaseline(environment, many(run, 29_999), 0)
    const bytes = JSON.stringify(nonTerminalRuns).length
    expect(truncated).toBe(true)
    expect(bytes).toBeLessThanOrEqual(5 * 1024 * 1024)
    expect(bytes).toBeGreaterThan(5 * 1024 * 1024 - 500)
  })

  test('with more items than the limit are truncated too', () => {
    const agent: BaselineRow = { ...nothing, part: 'agent', id: id('agt'), state: 'active' }
    expect(presentBaseline(environment, many(agent, 29_999), 0)).toMatchObject({ truncated: false })
    const { agents, truncated } = presentBaseline(environment, [...many(agent, 30_000), run], 0)
    expect([agents.length, truncated]).toEqual([29_999, true])
  })
})
