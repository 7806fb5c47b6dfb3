/** Nothing is created in what is being deleted, nor below a parent of another place. Source: contract 2, "Deletion". */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { insertJob } from '../../../storage/automation/agent-jobs.ts'
import { insertWorkflowEvent } from '../../../storage/automation/workflow-events.ts'
import { insertConnection, updateConnection } from '../../../storage/delivery/connections.ts'
import { insertDeployment } from '../../../storage/delivery/deployments.ts'
import { insertProviderSetting } from '../../../storage/delivery/provider-settings.ts'
import { insertVariable, updateVariable } from '../../../storage/delivery/variables.ts'
import { insertWebhook } from '../../../storage/events/webhooks.ts'
import type { Write } from '../../../storage/store.ts'
import { markAgentDeleting, markOrganizationDeleting, markProjectDeleting } from '../../../storage/tenancy/deletions.ts'
import { insertProject, updateProject } from '../../../storage/tenancy/projects.ts'
import { type Guards, openGuards, type Tree } from './world.ts'

let world: Guards
beforeAll(async () => {
  world = await openGuards()
})
afterAll(() => world?.close())

type Parent = 'organization' | 'project' | 'environment' | 'agent'
const tables = { organization: 'organizations', project: 'projects', environment: 'environments', agent: 'agents' }

const newJob = (at: Tree) => {
  const row = world.row('agent_jobs', { ...at, state: 'disabled', enabled: 0, overlap: 'skip', context: '{}' })
  return { ...row, jobsMax: 9 }
}
const newConnection = (at: Tree, agent_id: string | null = at.agent_id) => {
  const binding_key = agent_id && 'shop'
  const row = world.row('connections', { ...at, agent_id, binding_key, kind: 'http', status: 'active' })
  return { ...row, projectId: at.project_id, connectionsMax: 9 }
}
const newVariable = (at: Tree, agent_id: string | null = at.agent_id) => {
  const binding_key = agent_id && 'shop'
  const row = world.row('variables', { ...at, agent_id, binding_key, status: 'active' })
  return { ...row, projectId: at.project_id, variablesMax: 9 }
}
/** The changes of a configured resource that bind it to an Agent. */
const binding = (at: Tree, id: string) => ({
  id,
  organizationId: at.organization_id,
  projectId: at.project_id,
  environmentId: at.environment_id,
  name: null,
  status: null,
  setsDescription: 0 as const,
  description: null,
  setsBinding: 1 as const,
  agentId: at.agent_id,
  bindingKey: 'shop',
  version: null,
  currentVersionId: null,
  previousVersionId: null,
  at: 1,
})

/** What is created, below the parents that must be there, active and of one place. */
const creations: readonly [what: string, parents: readonly Parent[], create: (at: Tree) => Write][] = [
  ['Project', ['organization'], (at) => insertProject(world.store, world.row('projects', { ...at, status: 'active' }))],
  [
    'Deployment',
    ['project', 'environment'],
    (at) =>
      insertDeployment(
        world.store,
        world.row('deployments', { ...at, state: 'queued', context: '{}', credentials: 'pinned' }),
      ),
  ],
  [
    'webhook',
    ['project', 'environment'],
    (at) =>
      insertWebhook(world.store, {
        ...world.row('webhooks', { ...at, enabled: 1, capture_responses: 0 }),
        webhooksMax: 9,
      }),
  ],
  [
    'workflow event',
    ['project', 'environment'],
    (at) => insertWorkflowEvent(world.store, world.row('workflow_events', { ...at, data: 'null' }))[1] as Write,
  ],
  ['job', ['project', 'environment', 'agent'], (at) => insertJob(world.store, newJob(at))],
  [
    'provider setting',
    ['project', 'environment', 'agent'],
    (at) => insertProviderSetting(world.store, { ...world.row('provider_settings', at), projectId: at.project_id }),
  ],
  ['variable', ['project', 'environment', 'agent'], (at) => insertVariable(world.store, newVariable(at))],
  ['Connection', ['project', 'environment', 'agent'], (at) => insertConnection(world.store, newConnection(at))],
  ['variable of no Agent', ['project', 'environment'], (at) => insertVariable(world.store, newVariable(at, null))],
  [
    'Connection of no Agent',
    ['project', 'environment'],
    (at) => insertConnection(world.store, newConnection(at, null)),
  ],
]

const below = creations.flatMap(([what, parents, create]) => parents.map((parent) => [what, parent, create] as const))

test.each(below)('no %s is created while its %s is being deleted', async (_what, parent, create) => {
  const at = world.tree()
  expect(await world.isStale(create(at))).toBe(false)
  const column = parent === 'environment' ? 'state' : 'status'
  world.rows(`update ${tables[parent]} set ${column} = 'deleting' where id = ?`, at[`${parent}_id`])
  expect(await world.isStale(create(at))).toBe(true)
})

const places = creations.filter(([what]) => what !== 'Project' && what !== 'workflow event')
const elsewhere = places.flatMap(([what, parents, create]) =>
  (['organization', ...parents] as const).map((parent) => [what, parent, create] as const),
)

test.each(elsewhere)('no %s is created with another %s than that of its place', async (_what, parent, create) => {
  const [at, other] = [world.tree(), world.tree()]
  expect(await world.isStale(create({ ...at, [`${parent}_id`]: other[`${parent}_id`] }))).toBe(true)
})

test.each([
  ['projects', 'status', 'paused'],
  ['environments', 'state', 'provisioning'],
])('no Deployment is created while one of %s has the %s %s', async (table, column, value) => {
  const at = world.tree()
  const create = () =>
    insertDeployment(
      world.store,
      world.row('deployments', { ...at, state: 'queued', context: '{}', credentials: 'pinned' }),
    )
  const id = table === 'projects' ? at.project_id : at.environment_id
  world.rows(`update ${table} set ${column} = ? where id = ?`, value, id)
  expect(await world.isStale(create())).toBe(true)
})

const bindings = [
  ['variable', 'variables', (at: Tree, id: string) => updateVariable(world.store, binding(at, id))],
  ['Connection', 'connections', (at: Tree, id: string) => updateConnection(world.store, binding(at, id))],
] as const

test.each(bindings)(
  'a %s is not bound to an Agent that is being deleted, or of another Project',
  async (_, table, bind) => {
    const [at, other] = [world.tree(), world.tree()]
    const { id } = world.plant(table, { ...at, status: 'active', agent_id: null })
    const beside = world.plant(table, { ...at, status: 'active', agent_id: null })
    const boundOf = (each: string) => world.rows(`select agent_id from ${table} where id = ?`, each)[0].agent_id
    const bound = () => boundOf(id)
    expect(await world.isStale(bind({ ...at, agent_id: other.agent_id }, id))).toBe(true)
    world.rows(`update agents set status = 'deleting' where id = ?`, at.agent_id)
    expect([await world.isStale(bind(at, id)), bound()]).toEqual([true, null])
    world.rows(`update agents set status = 'active' where id = ?`, at.agent_id)
    expect([await world.isStale(bind(at, id)), bound(), boundOf(beside.id)]).toEqual([false, at.agent_id, null])
  },
)

test.each(bindings)('a %s of another place is not changed', async (_, table, bind) => {
  const [at, other] = [world.tree(), world.tree()]
  const { id } = world.plant(table, { ...at, status: 'active', agent_id: null })
  for (const parent of ['organization_id', 'environment_id'] as const)
    expect(await world.isStale(bind({ ...at, [parent]: other[parent] }, id))).toBe(true)
})

test('a version of a variable, or of a Connection, replaces only the one from which it was made', async () => {
  const at = world.tree()
  const variable = world.plant('variables', { ...at, status: 'active', agent_id: null, version: 3 }).id
  const connection = world.plant('connections', {
    ...at,
    status: 'active',
    agent_id: null,
    current_version_id: 'cnv_3',
  }).id
  const toVersion = (version: number) => updateVariable(world.store, { ...binding(at, variable), version })
  const fromVersion = (previousVersionId: string) => {
    const changed = { ...binding(at, connection), previousVersionId, currentVersionId: 'cnv_4' }
    return updateConnection(world.store, changed)
  }
  expect([await world.isStale(toVersion(3)), await world.isStale(toVersion(5))]).toEqual([true, true])
  expect([await world.isStale(fromVersion('cnv_2')), await world.isStale(fromVersion('cnv_4'))]).toEqual([true, true])
  expect([await world.isStale(toVersion(4)), await world.isStale(fromVersion('cnv_3'))]).toEqual([false, false])
})

test.each([
  ['slug', 'other'],
  ['name', 'Other'],
  ['status', 'paused'],
  ['status', 'deleting'],
])('a Project whose %s has become %s is not changed on top of what was read', async (column, value) => {
  const { project_id: id, ...at } = world.tree()
  const { slug, name } = world.rows('select * from projects where id = ?', id)[0]
  const was = { slugWas: slug, nameWas: name, statusWas: 'active' as const }
  const read = { ...was, id, organization_id: at.organization_id, slug, name, status: 'active' as const, updated_at: 1 }
  const rename = () => updateProject(world.store, { ...read, updated_at: 2 })
  expect(await world.isStale(rename())).toBe(false)
  world.rows(`update projects set ${column} = ? where id = ?`, value, id)
  const stored = world.rows('select * from projects where id = ?', id)
  expect(await world.isStale(rename())).toBe(true)
  expect(world.rows('select * from projects where id = ?', id)).toEqual(stored)
})

describe('the deletion', () => {
  const marks = {
    organization: ({ organization_id: id }: Tree) => markOrganizationDeleting(world.store, { id, at: 1 }),
    project: ({ organization_id: organizationId, project_id: id }: Tree) =>
      markProjectDeleting(world.store, { organizationId, id, at: 1 }),
    agent: ({ organization_id: organizationId, project_id: projectId, agent_id: id }: Tree) =>
      markAgentDeleting(world.store, { organizationId, projectId, id, at: 1 }),
  }
  const above = { organization: [], project: ['organization'], agent: ['organization', 'project'] } as const
  const kinds = ['organization', 'project', 'agent'] as const

  test.each(kinds)('of one %s begins once, and only of that one', async (kind) => {
    const at = world.tree()
    const { id: beside } = world.plant(tables[kind], { ...at, status: 'active', kind: 'team' })
    expect([await world.isStale(marks[kind](at)), await world.isStale(marks[kind](at))]).toEqual([false, true])
    const statusOf = (id: string) => world.rows(`select status from ${tables[kind]} where id = ?`, id)[0].status
    expect([statusOf(at[`${kind}_id`]), statusOf(beside)]).toEqual(['deleting', 'active'])
  })

  test.each(kinds.flatMap((kind) => above[kind].map((parent) => [kind, parent] as const)))(
    'of one %s does not begin while its %s is being deleted, nor below another',
    async (kind, parent) => {
      const [at, other] = [world.tree(), world.tree()]
      expect(await world.isStale(marks[kind]({ ...at, [`${parent}_id`]: other[`${parent}_id`] }))).toBe(true)
      world.rows(`update ${tables[parent]} set status = 'deleting' where id = ?`, at[`${parent}_id`])
      expect(await world.isStale(marks[kind](at))).toBe(true)
    },
  )

  test('of a personal organization does not begin', async () => {
    const at = world.tree()
    world.rows(`update organizations set kind = 'personal' where id = ?`, at.organization_id)
    expect(await world.isStale(marks.organization(at))).toBe(true)
  })
})
