/** A thing is found by its id alone, by whoever may read it. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { newId } from '../../../storage/ids.ts'
import { type Place, placesOf } from '../../support/world/places.ts'
import { data, verdict } from '../../support/world/replies.ts'
import { openWorld, type World } from '../../support/world/world.ts'

let world: World
let place: Place
let places: ReturnType<typeof placesOf>
let agent: { agentId: string; agentRevisionId: string }
beforeAll(async () => {
  world = await openWorld({ environment: { TROUPE_RUNNER: 'none' } })
  places = placesOf(world)
  place = await places.place()
  agent = await places.agent(place)
})
afterAll(() => world?.stop())

const find = (id: string, client = world.owner) => client.get(`/api/v1/resources/${id}`)

test('a thing says where it is: in an Environment, in a Project, of the organization', async () => {
  const { projectId, environmentId } = place
  const { agentId, agentRevisionId } = agent
  const connection = await places.connection(place)
  const variable = await places.variable(place)
  const ofOrganization = await data(
    world.owner.post(`/api/v1/organizations/${world.ours}/variables`, { name: 'SHARED', value: 'one' }),
  )
  const credential = await places.credential('openai')
  const expected = [
    { id: projectId, kind: 'Project', projectId, environmentId: null, parent: null },
    { id: environmentId, kind: 'Environment', projectId, environmentId, parent: null },
    { id: agentId, kind: 'Agent', projectId, environmentId: null, parent: null },
    { id: agentRevisionId, kind: 'AgentRevision', projectId, environmentId: null, parent: agentId },
    { id: connection.id, kind: 'Connection', projectId, environmentId, parent: null },
    { id: variable.id, kind: 'Variable', projectId, environmentId, parent: null },
    { id: ofOrganization.id, kind: 'Variable', projectId: null, environmentId: null, parent: null },
    { id: credential.id, kind: 'ProviderCredential', projectId: null, environmentId: null, parent: null },
  ]
  for (const each of expected) expect(await data(find(each.id))).toEqual(each)
})

test('a run of a System Agent is in no Project, and is found', async () => {
  const run = await data(world.owner.post('/api/v1/agent-runs', { agentId: 'agt_system_assistant', query: 'Hello' }))
  expect(await data(find(run.id))).toMatchObject({ kind: 'AgentRun', projectId: null, environmentId: null })
})

test('what may not be read is not there: by permission, by what a key is bound to, and in another organization', async () => {
  const { projectId, environmentId, environments } = place
  const variable = await places.variable(place)
  const readsAgents = world.keyOf(world.ownerId, { operations: ['agents:get'] })
  expect((await find(agent.agentId, readsAgents)).status).toBe(200)
  for (const id of [variable.id, projectId, environmentId]) {
    expect(verdict(await find(id, readsAgents))).toEqual([404, 'not_found'])
  }
  const elsewhere = world.keyOf(world.ownerId, { projectId, environmentId: environments[1] })
  expect((await find(agent.agentId, elsewhere)).status).toBe(200)
  expect((await find(environmentId, elsewhere)).status).toBe(404)
  expect((await find(variable.id, elsewhere)).status).toBe(404)
  const ofAnotherAgent = world.keyOf(world.ownerId, {
    projectId,
    agentId: (await places.agent(place)).agentId,
  })
  expect((await find(agent.agentId, ofAnotherAgent)).status).toBe(404)
  const group = world.group([])
  expect((await find(group)).status).toBe(200)
  expect((await find(group, elsewhere)).status).toBe(404)
  expect((await find(projectId, world.organization().owner)).status).toBe(404)
})

test('what is no id of anything that can be found is not there', async () => {
  for (const id of [newId('agt'), 'agt_1', 'agt_system_assistant', newId('evt'), `${newId('agt')}0`]) {
    expect(verdict(await find(id))).toEqual([404, 'not_found'])
  }
})
