/** Limits of live and waiting resources: runs, questions, stored values and invitations of a tenant. */

import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Reply } from '../../support/client.ts'
import { type AgentPin, echoOperation, type Place } from '../../support/world/places.ts'
import { data } from '../../support/world/replies.ts'
import { type Browser, newMember, newOrganization } from '../sessions/browser.ts'
import { fillUp } from './fill.ts'
import { openWorld, type World } from './world.ts'

const operation = (name: string, more: object) => ({ ...echoOperation(), name, effect: 'write', ...more })

let world: World
let place: Place
let agent: AgentPin
let joined: Browser
beforeAll(async () => {
  world = await openWorld({}, { environment: { TROUPE_CREATE_ORGANIZATIONS: 'anyone' } })
  place = await world.place()
  agent = await world.agent(place, {}, ['team.ask', 'team.keep', 'team.drop'])
  const path = `${place.project}/definitions`
  const definitions = [
    await world.operations(place, 'team', [
      operation('ask', { inputSchema: { type: 'object' }, approval: 'always' }),
      operation('keep', {
        inputSchema: { type: 'object' },
        handler: { type: 'entity', entity: 'thing', action: 'create' },
      }),
      operation('drop', {
        inputSchema: { type: 'object' },
        handler: { type: 'entity', entity: 'thing', action: 'delete' },
      }),
    ]),
  ]
  const sources = {
    entity: ['thing', { schema: { type: 'object' }, states: { initial: 'kept', states: { kept: {} } } }],
    workflow: ['flow', { params: { type: 'object' }, steps: [{ id: 'ask', operation: 'team.ask' }] }],
  } as const
  for (const [kind, [name, source]] of Object.entries(sources)) {
    const { id: definitionId } = await data(world.owner.post(path, { name, kind }))
    const { id } = await data(world.owner.post(`${path}/${definitionId}/revisions`, { source }))
    definitions.push({ definitionId, definitionRevisionId: id })
  }
  await world.serve(place, [agent], definitions)
  joined = await newMember(world, world.ours, 'ada@example.com')
})
afterAll(() => world?.stop())

const organization = () => `/api/v1/organizations/${world.ours}`
const invoke = (name: string, input: object = {}) =>
  world.owner.post(`${place.path}/agents/${agent.agentId}/operations/team.${name}/invoke`, { input })
const invite = (index: number) =>
  world.owner.post(`${organization()}/members`, { email: `guest-${index}@example.com`, role: 'member' })
const workflowEvent = () => world.owner.post(`${place.path}/workflow-events`, { event: 'paid', correlation: 'A-17' })
const workflow = () =>
  world.owner.post(`${place.path}/workflows`, { agentId: agent.agentId, definitionIdOrName: 'flow', params: {} })
const create = (index: number) => joined.post('/api/v1/organizations', { name: 'One more', slug: `one-more-${index}` })
const accept = async (index: number) => {
  const { token } = (await data<{ invitation: { token: string } }>(invite(index))).invitation
  return world.owner.post('/api/auth/invitations', { token, name: 'Guest', password: 'plays the viola at dusk' })
}

interface Row {
  what: string
  limit: number
  fill(limit: number): unknown
  make(index: number): Promise<Reply>
}

const rows: Row[] = [
  {
    what: 'organizations',
    limit: 100,
    async fill(limit) {
      for (let index = 0; index < limit - 1; index += 1) await newOrganization(joined)
    },
    make: create,
  },
  {
    what: 'invitations',
    limit: 1_000,
    async fill(limit) {
      await data(invite(0))
      fillUp(world.file, 'invitations', 'organization_id', world.ours, limit, (index) => ({
        email: `invited-${index}@example.com`,
        token_hash: `hash-${index}`,
      }))
    },
    make: invite,
  },
  {
    what: 'pendingApprovals',
    limit: 10_000,
    async fill(limit) {
      await data(invoke('ask'))
      fillUp(world.file, 'operation_invocations', 'environment_id', place.environmentId, limit)
    },
    make: () => invoke('ask'),
  },
  {
    what: 'liveWorkflowRuns',
    limit: 10_000,
    async fill(limit) {
      await data(workflow())
      // their steps wait for their own approvals, which count with the workflow
      fillUp(world.file, 'workflow_runs', 'organization_id', world.ours, limit)
    },
    make: workflow,
  },
  {
    what: 'keptWorkflowEvents',
    limit: 2_000,
    async fill(limit) {
      await data(workflowEvent())
      fillUp(world.file, 'workflow_events', 'environment_id', place.environmentId, limit)
    },
    make: workflowEvent,
  },
]

test.each(rows)('$what: $limit and no more', async ({ what, limit, fill, make }) => {
  await fill(limit)
  expect((await make(limit + 1)).status).toBeLessThan(300)
  const { status, body } = await make(limit + 2)
  expect({ status, ...body.error }).toMatchObject({
    status: 422,
    code: 'limit_exceeded',
    details: { name: what, limit },
  })
  expect(body.error.message).toContain(String(limit))
})

test('requests of programs for an API key: 1000 wait in the whole store and no more', async () => {
  const ask = () => world.owner.post('/api/auth/device-authorizations', { clientName: 'CLI' })
  await data(ask())
  fillUp(world.file, 'device_authorizations', 'client_name', 'CLI', 1_000, (index) => ({
    device_code_hash: `hash-${index}`,
    user_code: `code-${index}`,
  }))
  expect((await ask()).status).toBe(201)
  const { status, body, headers } = await ask()
  expect([status, body.error.code, headers.get('retry-after')]).toEqual([503, 'service_unavailable', '60'])
})

test('members: 10000 and no more', async () => {
  const database = new Database(world.file)
  database.run('pragma busy_timeout = 5000')
  database.run('delete from invitations where organization_id = ?', [world.ours])
  database.run(`with recursive many (n) as (select 1 union all select n + 1 from many where n < 10000)
    insert into users (id, email, name, password_hash, created_at) select 'usr_copy' || n, 'copy' || n, 'Copy', '-', 1 from many`)
  const { count } = database
    .query<{ count: number }, [string]>('select count(*) as count from memberships where organization_id = ?')
    .get(world.ours)!
  database.run(
    `insert into memberships (organization_id, user_id, role, created_at)
    select ?, id, 'member', 1 from users where id like 'usr_copy%' limit ?`,
    [world.ours, 9_999 - count],
  )
  database.close()
  expect((await accept(50_001)).status).toBe(200)
  const { status, body } = await accept(50_002)
  expect({ status, ...body.error }).toMatchObject({ status: 422, code: 'limit_exceeded', details: { name: 'members' } })
})

test('entities: 100000 in an Environment, and a deleted one makes room', async () => {
  const state = async (reply: Promise<Reply>) => {
    const { state, output, error } = await data<{ state: string; output: { id: string }; error: { message: string } }>(
      reply,
    )
    return { state, id: output?.id, message: error?.message }
  }
  const first = await state(invoke('keep', { data: {} }))
  const database = new Database(world.file)
  database.run('pragma busy_timeout = 5000')
  const counted = database.query<{ entities: number }, []>('select entities from entity_counts').all()
  expect(counted).toEqual([{ entities: 1 }])
  database.run('update entity_counts set entities = 99999')
  database.close()
  expect((await state(invoke('keep', { data: {} }))).state).toBe('succeeded')
  const refused = await state(invoke('keep', { data: {} }))
  expect(refused.state).toBe('failed')
  expect(refused.message).toContain('100000 entities')
  expect((await state(invoke('drop', { id: first.id }))).state).toBe('succeeded')
  expect((await state(invoke('keep', { data: {} }))).state).toBe('succeeded')
})
