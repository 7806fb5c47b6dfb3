/** What a tenant can make at one place has an end, whatever the plan. */
import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { newId } from '../../../storage/ids.ts'
import { data, echoOperation, type Pin, type Place } from '../project-runs/world.ts'
import { openWorld, type World } from './world.ts'

let world: World
let place: Place
let agent: Pin & { slug: string }
let definition: { definitionId: string; definitionRevisionId: string }
beforeAll(async () => {
  world = await openWorld({})
  place = await world.place()
  agent = await world.agent(place)
  definition = await world.operations(place, 'team', [echoOperation()])
  await world.deploy(place, [agent])
})
afterAll(() => world?.stop())

/** Copies a row until there are as many as may be but one. */
function fill(table: string, owner: string, ownerId: string, limit: number): void {
  const database = new Database(world.file)
  database.run('pragma busy_timeout = 5000')
  const found = database.query(`select * from ${table} where ${owner} = ?`).all(ownerId) as Record<
    string,
    string | number
  >[]
  const row = found[0]!
  const columns = Object.keys(row)
  const insert = database.query(`insert into ${table} (${columns}) values (${columns.map(() => '?')})`)
  database.transaction(() => {
    for (let index = found.length; index < limit - 1; index += 1) {
      const copy = { ...row, ...(row.id !== undefined && { id: newId(String(row.id).slice(0, 3) as never) }) }
      if ('name' in copy) copy.name = `copy-${index}`
      if ('number' in copy) copy.number = 1_000 + index
      insert.run(...columns.map((column) => copy[column as keyof typeof copy]!))
    }
  })()
  database.close()
}

interface Row {
  what: string
  limit: number
  fill(): Promise<unknown> | unknown
  make(index: number): Promise<{ status: number; body: { error: Record<string, unknown> } }>
}

const rows: Row[] = [
  {
    what: 'userGroups',
    limit: 1_000,
    async fill() {
      await data(groups(0))
      fill('user_groups', 'organization_id', world.ours, 1_000)
    },
    make: (index) => groups(index),
  },
  {
    what: 'accessGrants',
    limit: 1_000,
    async fill() {
      await data(grants())
      fill('access_grants', 'project_id', place.projectId, 1_000)
    },
    make: () => grants(),
  },
  {
    what: 'definitions',
    limit: 1_000,
    fill: () => fill('definitions', 'project_id', place.projectId, 1_000),
    make: (index) => world.owner.post(`${place.project}/definitions`, { name: `one-${index}`, kind: 'operations' }),
  },
  {
    what: 'definitionRevisions',
    limit: 10_000,
    fill: () => fill('definition_revisions', 'definition_id', definition.definitionId, 10_000),
    make: () =>
      world.owner.post(`${place.project}/definitions/${definition.definitionId}/revisions`, {
        source: { operations: [echoOperation()] },
      }),
  },
  {
    what: 'agentRevisions',
    limit: 10_000,
    fill: () => fill('agent_revisions', 'agent_id', agent.agentId, 10_000),
    make: () =>
      world.owner.post(`${place.project}/agents/${agent.agentId}/revisions`, { content: { instructions: 'Help.' } }),
  },
  {
    what: 'releases',
    limit: 10_000,
    fill: () => fill('releases', 'project_id', place.projectId, 10_000),
    make: () =>
      world.owner.post(`${place.project}/releases`, {
        agents: [{ agentId: agent.agentId, agentRevisionId: agent.agentRevisionId }],
      }),
  },
  {
    what: 'deployments',
    limit: 10_000,
    fill: () => fill('deployments', 'environment_id', place.environmentId, 10_000),
    async make() {
      const { items } = (await world.owner.get(`${place.path}/deployments`)).body.data
      const { releaseId, configurationRevisionId } = items.at(-1)
      return world.owner.post(`${place.path}/deployments`, { releaseId, configurationRevisionId })
    },
  },
  {
    what: 'configurationRevisions',
    limit: 10_000,
    fill: () => fill('configuration_revisions', 'environment_id', place.environmentId, 10_000),
    async make() {
      const { configurationHead } = (await world.owner.get(place.path)).body.data
      return world.owner.post(`${place.path}/configuration-revisions`, {
        expectedHeadRevisionId: configurationHead.revisionId,
      })
    },
  },
]

const groups = (index: number) =>
  world.owner.post(`/api/v1/organizations/${world.ours}/user-groups`, { name: `group ${index}` })
const grants = () =>
  world.owner.post(`${place.project}/access-grants`, {
    subject: { type: 'user', id: world.rows<{ id: string }>('select user_id as id from memberships')[0]!.id },
    permissions: ['projects:get'],
  })

test.each(rows)('$what: $limit and no more', async ({ what, limit, fill: fillUp, make }) => {
  await fillUp()
  const last = await make(limit + 1)
  expect([last.status < 300, last.body]).toEqual([true, expect.anything()])
  const { status, body } = await make(limit + 2)
  expect({ status, ...body.error }).toMatchObject({
    status: 422,
    code: 'limit_exceeded',
    details: { name: what, limit },
  })
  expect(body.error.message).toContain(String(limit))
})
