/** Limits of what a tenant can create in one place, whatever the plan. */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type AgentPin, echoOperation, type Place } from '../../support/world/places.ts'
import { data } from '../../support/world/replies.ts'
import { fillUp, numberUp } from './fill.ts'
import { openWorld, type World } from './world.ts'

let world: World
let place: Place
let agent: AgentPin & { slug: string }
let definition: { definitionId: string; definitionRevisionId: string }
beforeAll(async () => {
  world = await openWorld({})
  place = await world.place()
  agent = await world.agent(place)
  definition = await world.operations(place, 'team', [echoOperation()])
  await world.deploy(place, [agent])
})
afterAll(() => world?.stop())

const fill = (...of: [table: string, owner: string, ownerId: string, limit: number]) => fillUp(world.file, ...of)
const number = (...of: Parameters<typeof numberUp>[1]) => numberUp(world.file, of, 100_000)

/** Gives the variable of the rows below as many versions as fit but one. */
async function fillVersions(path: string, table: string) {
  variable = `${path}/${(await data(world.owner.post(path, { name: 'RATE', value: '1' }))).id}`
  const id = variable.split('/').at(-1)!
  numberUp(world.file, [`${table.slice(0, -1)}_versions`, 'variable_id', id], 10_000, 'version')
  world.rows(`update ${table} set version = 9999 where id = ?`, id)
}
let variable: string
let connection: string

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
    limit: 100_000,
    fill: () => number('definition_revisions', 'definition_id', definition.definitionId),
    make: () =>
      world.owner.post(`${place.project}/definitions/${definition.definitionId}/revisions`, {
        source: { operations: [echoOperation()] },
      }),
  },
  {
    what: 'agentRevisions',
    limit: 100_000,
    fill: () => number('agent_revisions', 'agent_id', agent.agentId),
    make: () =>
      world.owner.post(`${place.project}/agents/${agent.agentId}/revisions`, { content: { instructions: 'Help.' } }),
  },
  {
    what: 'releases',
    limit: 100_000,
    fill: () => number('releases', 'project_id', place.projectId),
    make: () =>
      world.owner.post(`${place.project}/releases`, {
        agents: [{ agentId: agent.agentId, agentRevisionId: agent.agentRevisionId }],
      }),
  },
  {
    what: 'deployments',
    limit: 100_000,
    fill: () =>
      world.rows(
        "update actor_counts set count = 99999 where kind = 'deployment' and place = ? and count = 1",
        place.environmentId,
      ),
    async make() {
      const { items } = (await world.owner.get(`${place.path}/deployments`)).body.data
      const { releaseId, configurationRevisionId } = items.at(-1)
      return world.owner.post(`${place.path}/deployments`, { releaseId, configurationRevisionId })
    },
  },
  {
    what: 'configurationRevisions',
    limit: 100_000,
    fill() {
      number('configuration_revisions', 'environment_id', place.environmentId)
      world.rows(
        `update environments set version = version + 1, head_number = 99999,
          context = json_set(context, '$.headNumber', 99999) where id = ?`,
        place.environmentId,
      )
    },
    async make() {
      const { configurationHead } = (await world.owner.get(place.path)).body.data
      return world.owner.post(`${place.path}/configuration-revisions`, {
        expectedHeadRevisionId: configurationHead.revisionId,
      })
    },
  },
  {
    what: 'variableVersions',
    limit: 10_000,
    fill: () => fillVersions(`${place.path}/variables`, 'variables'),
    make: (index) => world.owner.patch(variable, { value: String(index) }),
  },
  {
    what: 'organizationVariableVersions',
    limit: 10_000,
    fill: () => fillVersions(`/api/v1/organizations/${world.ours}/variables`, 'organization_variables'),
    make: (index) => world.owner.patch(variable, { value: String(index) }),
  },
  {
    what: 'connectionVersions',
    limit: 10_000,
    async fill() {
      const { id } = await data(
        world.owner.post(`${place.path}/connections`, { name: 'shop', kind: 'custom', settings: {} }),
      )
      connection = `${place.path}/connections/${id}`
      numberUp(world.file, ['connection_versions', 'connection_id', id], 10_000)
    },
    make: (index) => world.owner.patch(connection, { version: { settings: { index } } }),
  },
]

const groups = (index: number) =>
  world.owner.post(`/api/v1/organizations/${world.ours}/user-groups`, { name: `group ${index}` })
const grants = () =>
  world.owner.post(`${place.project}/access-grants`, {
    subject: { type: 'user', id: world.rows<{ id: string }>('select user_id as id from memberships')[0]!.id },
    permissions: ['projects:get'],
  })

test.each(rows)('$what: $limit and no more', async ({ what, limit, fill, make }) => {
  await fill()
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
