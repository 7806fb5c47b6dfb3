/** A resource is found by its id alone, by callers who may read it. */
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

interface Named {
  id: string
  kind: string
  name: string
  projectId: string
}

let twelve: Promise<{ projects: string[]; made: string[] }> | undefined
/** Twelve Projects; the first and the last have a night clerk, and the last a Definition. */
const shops = () => {
  twelve ??= makeShops()
  return twelve
}
async function makeShops() {
  const projects: string[] = []
  for (let number = 0; number < 12; number++) {
    const { id } = await data(
      world.owner.post('/api/v1/projects', { name: `Search shop ${number}`, slug: `search-${number}` }),
    )
    projects.push(id)
  }
  const agentIn = async (projectId: string, name: string, slug: string) =>
    (await data(world.owner.post(`/api/v1/projects/${projectId}/agents`, { name, slug }))).id as string
  const made = [
    await agentIn(projects[0] as string, 'Night clerk', 'clerk'),
    await agentIn(projects[11] as string, 'Night clerk 2', 'night-clerk'),
  ]
  await data(
    world.owner.post(`/api/v1/projects/${projects[11]}/definitions`, { name: 'lost-and-found', kind: 'operations' }),
  )
  return { projects, made }
}

const find = (id: string, client = world.owner) => client.get(`/api/v1/resources/${id}`)

test('a resource has its place: in an Environment, in a Project, or in the organization', async () => {
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

test('a run of a System Agent is outside of Projects, and is found', async () => {
  const run = await data(world.owner.post('/api/v1/agent-runs', { agentId: 'agt_system_assistant', query: 'Hello' }))
  expect(await data(find(run.id))).toMatchObject({ kind: 'AgentRun', projectId: null, environmentId: null })
})

test("unreadable resources are missing: by permission, by the key's scope, and in another organization", async () => {
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

test("what an Agent alone has is missing for another Agent's key, as at its own path", async () => {
  const { projectId, path } = place
  const [own, other] = [await places.agent(place), await places.agent(place)]
  const keys = [own, other].map(({ agentId }) => world.keyOf(world.ownerId, { projectId, agentId })) as [
    typeof world.owner,
    typeof world.owner,
  ]
  const bound = { agentId: own.agentId, bindingKey: 'shop' }
  const variable = await places.variable(place, bound)
  const connection = await places.connection(place, bound)
  for (const [id, from] of [
    [variable.id, `${path}/variables/${variable.id}`],
    [connection.id, `${path}/connections/${connection.id}`],
    [connection.currentVersion.id, `${path}/connections/${connection.id}`],
  ] as const) {
    for (const [index, status] of [200, 404].entries()) {
      expect((await keys[index]!.get(from)).status).toBe(status)
      expect((await find(id, keys[index])).status).toBe(status)
    }
  }
  const shared = await places.variable(place)
  for (const key of keys) expect((await find(shared.id, key)).status).toBe(200)

  await places.serve(place, [own])
  const run = await data<{ id: string }>(
    world.owner.post('/api/v1/agent-runs', {
      environmentId: place.environmentId,
      agentId: own.agentId,
      query: 'Hello',
    }),
  )
  const { events } = (await world.owner.get(`${path}/events`, { query: { limit: 100 } })).body
  const created = events.find(({ subject }: { subject: { id: string } }) => subject.id === run.id)
  expect((await find(created.id, keys[0])).status).toBe(200)
  expect((await find(created.id, keys[1])).status).toBe(404)
})

test('alert rules are missing for keys that do not reach them', async () => {
  const { projectId, environmentId } = place
  const rule = await data<{ id: string }>(
    world.owner.post('/api/v1/alert-rules', {
      name: 'Runs of the Environment fail',
      environmentId,
      condition: { type: 'failing', count: 1, withinMinutes: 60 },
    }),
  )
  for (const [bound, status] of [
    [{ projectId }, 200],
    [{ projectId, environmentId }, 200],
    [{ projectId, agentId: agent.agentId }, 404],
  ] as const) {
    const key = world.keyOf(world.ownerId, bound)
    expect((await key.get(`/api/v1/alert-rules/${rule.id}`)).status).toBe(status)
    expect((await find(rule.id, key)).status).toBe(status)
  }
})

test('versions, consents, events and alerts name their owners', async () => {
  const { projectId, environmentId } = place
  const connection = await places.connection(place)
  const inEnvironment = `/api/v1/projects/${projectId}/environments/${environmentId}`
  const { currentVersion } = await data<{ currentVersion: { id: string } }>(
    world.owner.get(`${inEnvironment}/connections/${connection.id}`),
  )
  expect(await data(find(currentVersion.id))).toEqual({
    id: currentVersion.id,
    kind: 'ConnectionVersion',
    projectId,
    environmentId,
    parent: connection.id,
  })
  const rule = await data(
    world.owner.post('/api/v1/alert-rules', {
      name: 'Runs fail',
      condition: { type: 'failing', count: 1, withinMinutes: 60 },
    }),
  )
  expect(await data(find(rule.id))).toMatchObject({ kind: 'AlertRule', projectId: null, environmentId: null })
  await places.deploy(place, [agent])
  const { events } = (await world.owner.get(`${inEnvironment}/events`)).body
  expect(await data(find(events[0].id))).toMatchObject({ kind: 'Event', projectId, environmentId })
  expect((await find(events[0].id, world.organization().owner)).status).toBe(404)
  expect((await find(currentVersion.id, world.organization().owner)).status).toBe(404)
  expect((await find(rule.id, world.organization().owner)).status).toBe(404)
})

const search = async (text: string, client = world.owner) =>
  (await data(client.get('/api/v1/resources', { query: { search: text, limit: 100 } }))).items as Named[]

test('names are found in all Projects, exact matches first', async () => {
  const { projects, made } = await shops()
  const [first] = projects
  const found = await search('night clerk')
  expect(found.map(({ name, projectId }) => `${name} ${projectId}`)).toEqual([
    `Night clerk ${first}`,
    `Night clerk 2 ${projects[11]}`,
  ])
  expect(await search('NIGHT CLERK')).toEqual(found)
  expect((await search('clerk'))[0] as unknown).toEqual({
    id: made[0] as string,
    kind: 'Agent',
    name: 'Night clerk',
    slug: 'clerk',
    projectId: first as string,
    projectName: 'Search shop 0',
  })
  // also by the Project's name
  const environments = (await search('shop 11 production')).filter(({ kind }) => kind === 'Environment')
  expect(environments.map(({ projectId }) => projectId)).toEqual([projects[11] as string])
  expect((await search('lost-and-found')).map(({ kind }) => kind)).toEqual(['Definition'])
  // wildcards are ordinary characters
  expect(await search('night%clerk')).toEqual([])
  expect(await search('   ')).toEqual([])
})

test.each(['Ärzte', 'ärzte', 'ÄRZTE', 'a\u0308rzte plan', 'ЗАПИСЬ', 'запись ärzte'])(
  'a name is found by %s, whatever the case and the script',
  async (text) => {
    const { projects } = await shops()
    const path = `/api/v1/projects/${projects[5]}/agents`
    const names = ['Ärzteplan', 'Запись (Ärzteplan)']
    // once for all of these
    for (const [place, name] of names.entries()) await world.owner.post(path, { name, slug: `doctors-${place}` })
    const found = (await search(text)).map(({ name }) => name)
    expect(found.toSorted()).toEqual(/запись/i.test(text) ? names.slice(1) : names)
  },
)

test('only resources that may be listed are found', async () => {
  const { projects, made } = await shops()
  const kindsOf = async (client: typeof world.owner) => (await search('search shop 11', client)).map(({ kind }) => kind)
  expect(await kindsOf(world.keyOf(world.ownerId, { operations: ['agents:list'] }))).toEqual(['Agent'])
  expect(await search('search shop', world.keyOf(world.ownerId, { projectId: projects[0] as string }))).toEqual(
    (await search('search shop')).filter(({ projectId }) => projectId === projects[0]),
  )
  const ofAgent = world.keyOf(world.ownerId, { projectId: projects[0] as string, agentId: made[0] as string })
  expect((await search('clerk', ofAgent)).map(({ id }) => id)).toEqual([made[0] as string])
  expect(await search('search shop', world.organization().owner)).toEqual([])
  const nothing = world.keyOf(world.ownerId, { operations: ['webhooks:list'] })
  expect((await nothing.get('/api/v1/resources', { query: { search: 'shop' } })).status).toBe(403)
  expect((await world.owner.get('/api/v1/resources')).status).toBe(422)
})

test('what others have leaves room for what the caller may list', async () => {
  const own = await world.project()
  // of the newest Projects first
  world.clock.advance(1)
  const others = await world.project()
  const { id } = await data<{ id: string }>(
    world.owner.post(`${own.path}/agents`, { name: 'Porter of ours', slug: 'porter' }),
  )
  world.rows(
    `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 600)
     insert into agents (id, organization_id, project_id, slug, name, status, created_at, updated_at)
     select 'agt_porter_' || n, ?, ?, 'porter-' || n, 'Porter of theirs', 'active', 1, 1 from numbers`,
    world.ours,
    others.id,
  )
  const member = world.user('member')
  await data(
    world.owner.post(`${own.path}/access-grants`, {
      subject: { type: 'user', id: member },
      permissions: ['agents:list'],
    }),
  )
  for (const key of [world.keyOf(member), world.keyOf(world.ownerId, { projectId: own.id })]) {
    expect((await search('porter', key)).map((found) => found.id)).toEqual([id])
  }
  expect(await search('porter', world.keyOf(world.user('member')))).toEqual([])
})

test('an unknown kind of id is missing', async () => {
  for (const id of [newId('agt'), 'agt_1', 'agt_system_assistant', newId('evt'), `${newId('agt')}0`]) {
    expect(verdict(await find(id))).toEqual([404, 'not_found'])
  }
})
