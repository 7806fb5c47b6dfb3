/** The permissions of plans, Applies and exports. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { permissions } from '../../../src/platform/http/guard/permissions.ts'
import { engine } from '../../support/stores/engine.ts'
import { data, dataOf, type Loose, verdict } from '../../support/world/replies.ts'
import { type ApplyWorld, manifestOf, openApplyWorld } from './world.ts'

let world: ApplyWorld
beforeAll(async () => {
  world = await openApplyWorld({ TROUPE_ALLOW_PRIVATE_ADDRESSES: 'false' })
})
afterAll(() => world.stop())

const projects = () => world.rows<{ n: number }>('select count(*) as n from projects')[0]!.n

describe('permissions', () => {
  const parts = [
    'projects:create',
    'projects:update',
    'agents:push',
    'agents:revisions:create',
    'definitions:create',
    'env:variables:create',
    'connections:create',
    'agent-jobs:create',
    'webhooks:create',
    'deployments:create',
    'activations:create',
  ] as const
  const everything = (): Loose =>
    manifestOf({
      environments: {
        development: {
          variables: { TOKEN: { value: 'x' } },
          connections: { stock: { kind: 'http', settings: { baseUrl: 'https://stock.example.com' } } },
          jobs: { nightly: { agent: 'clerk', schedule: { cron: '0 3 * * *' }, query: 'Sum up.' } },
          webhooks: { 'https://hooks.example.com': { eventTypes: ['run.failed'] } },
        },
      },
    })
  const keyWith = (operations: readonly string[]) => world.keyOf(world.ownerId, { operations })

  test.each(parts)('%s is required before anything is written', async (permission) => {
    const key = keyWith(parts.filter((each) => each !== permission))
    const before = projects()
    const reply = await world.begin(everything(), {}, key)
    expect(verdict(reply)).toEqual([403, 'permission_denied'])
    expect(reply.body.error.details).toEqual({ permission })
    expect(projects()).toBe(before)
  })

  test('no more than those are required, and only for what changes', async () => {
    const manifest = everything()
    const { id } = dataOf(await world.begin(manifest, {}, keyWith(parts)))
    await world.ended(id)
    const again = await world.begin(manifest, {}, keyWith(['deployments:create']))
    expect(dataOf(again).state).toBe('applied')
    manifest.agents.clerk.content.instructions = 'Briefly.'
    const narrow = keyWith(['deployments:create', 'activations:create', 'agents:revisions:create'])
    expect((await world.begin(manifest, {}, narrow)).status).toBe(202)
  })

  test('a key of another Project or another organization finds nothing', async () => {
    const manifest = everything()
    const apply = await world.apply(manifest)
    const elsewhere = await world.project()
    const bound = world.keyOf(world.ownerId, { projectId: elsewhere.id })
    expect(verdict(await world.begin(manifest, {}, bound))).toEqual([404, 'not_found'])
    expect(verdict(await bound.post('/api/v1/applies/plan', { manifest, environment: 'development' }))).toEqual([
      404,
      'not_found',
    ])
    expect(verdict(await bound.get(`/api/v1/applies/${apply.id}`))).toEqual([404, 'not_found'])
    expect((await data<Loose>(bound.get('/api/v1/applies'))).items).toEqual([])
    const { owner: stranger } = world.organization()
    expect(verdict(await stranger.get(`/api/v1/applies/${apply.id}`))).toEqual([404, 'not_found'])
    expect(verdict(await stranger.post(`/api/v1/applies/${apply.id}/cancel`, {}))).toEqual([404, 'not_found'])
    // in the other organization the same manifest is another Project
    const plan = await world.plan(manifest, {}, stranger)
    expect(plan.changes[0]).toMatchObject({ action: 'create', kind: 'project' })
  })

  test('a repeat by a key that is bound elsewhere finds nothing', async () => {
    const elsewhere = await world.project()
    const bound = world.keyOf(world.ownerId, { projectId: elsewhere.id })
    const owner = world.keyOf(world.ownerId, { operations: permissions })
    const headers = { 'idempotency-key': 'once' }
    const body = { manifest: everything(), environment: 'development' }
    const first = await owner.post('/api/v1/applies', body, { headers })
    expect(first.status).toBe(202)
    await world.ended(first.body.data.id)
    const again = await owner.post('/api/v1/applies', body, { headers })
    expect([again.body, again.headers.get('idempotency-replayed')]).toEqual([first.body, 'true'])
    const foreign = await bound.post('/api/v1/applies', body, { headers })
    expect([verdict(foreign), foreign.headers.get('idempotency-replayed')]).toEqual([[404, 'not_found'], null])
  })

  test('a repeat of a refused Apply is refused as at first', async () => {
    const keyed = { headers: { 'idempotency-key': 'refused' }, unchecked: true }
    const expectedPlanDigest = `sha256:${'0'.repeat(64)}`
    const body = { manifest: everything(), environment: 'development', expectedPlanDigest }
    const first = await world.owner.post('/api/v1/applies', body, keyed)
    expect(verdict(first)).toEqual([409, 'plan_changed'])
    const again = await world.owner.post('/api/v1/applies', body, keyed)
    expect([again.status, again.body.error.message]).toEqual([409, first.body.error.message])
  })

  test('a key of the Environment cannot change the Project, but can apply changes of the Environment alone', async () => {
    const manifest = everything()
    const { projectId, environmentId } = await world.apply(manifest)
    const key = world.keyOf(world.ownerId, { projectId, environmentId, operations: permissions })
    const changed = structuredClone(manifest)
    changed.agents.clerk.content.instructions = 'Briefly.'
    expect(verdict(await world.begin(changed, {}, key))).toEqual([403, 'permission_denied'])
    manifest.environments.development.variables.TOKEN.value = 'y'
    const { id } = dataOf(await world.begin(manifest, {}, key))
    expect((await world.ended(id)).state).toBe('applied')
  })
})

describe('a change', () => {
  const changeable = (): Loose =>
    manifestOf({
      environments: {
        development: {
          variables: { TOKEN: { value: 'x' } },
          connections: { stock: { kind: 'http', settings: { baseUrl: 'https://stock.example.com' } } },
          models: { clerk: { provider: 'openai' } },
          jobs: { nightly: { agent: 'clerk', schedule: { cron: '0 3 * * *' }, query: 'Sum up.', enabled: false } },
          webhooks: { 'https://hooks.example.com': { eventTypes: ['run.failed'] } },
        },
      },
    })
  const written = [
    ...['projects', 'agents', 'agent_revisions', 'definitions', 'definition_revisions', 'variable_versions'],
    ...['connection_versions', 'provider_settings', 'agent_jobs', 'webhooks', 'applies'],
  ]
  const stored = () => written.map((table) => world.rows(`select * from ${table} order by 1, 2`))

  test.each<[string, (manifest: Loose) => void]>([
    ['env:variables:create', (m) => (m.environments.development.variables.TOKEN.value = 'y')],
    [
      'connections:create',
      (m) => (m.environments.development.connections.stock.settings.baseUrl = 'https://evil.example.com'),
    ],
    ['definitions:create', (m) => (m.definitions.orders.source.operations[0].description = 'Another one.')],
    ['definitions:create', (m) => (m.definitions.orders.description = 'Orders of the shop.')],
    ['agents:revisions:create', (m) => (m.agents.clerk.content.instructions = 'Briefly.')],
    ['agents:push', (m) => (m.agents.clerk.name = 'Chief clerk')],
    ['projects:update', (m) => (m.environments.development.models.clerk.model = 'gpt-5.5')],
    ['projects:update', (m) => (m.project.name = 'Another shop')],
    ['agent-jobs:create', (m) => (m.environments.development.jobs.nightly.query = 'Sum up briefly.')],
    [
      'webhooks:create',
      (m) => (m.environments.development.webhooks['https://hooks.example.com'].eventTypes = ['run.completed']),
    ],
  ])('requires %s, and nothing is written without it', async (needed, spoil) => {
    const manifest = changeable()
    await world.apply(manifest)
    spoil(manifest)
    const before = stored()
    const all = permissions.filter((each) => each !== needed)
    const reply = await world.begin(manifest, {}, world.keyOf(world.ownerId, { operations: all }))
    expect(verdict(reply)).toEqual([403, 'permission_denied'])
    expect(reply.body.error.details).toEqual({ permission: needed })
    expect(stored()).toEqual(before)
    const operations = ['deployments:create', 'activations:create', needed]
    const { id } = dataOf(await world.begin(manifest, {}, world.keyOf(world.ownerId, { operations })))
    expect((await world.ended(id)).state).toBe('applied')
  })
})

// a trigger changes the store within a commit of the Apply
describe.skipIf(engine !== 'sqlite')('whoever requested an Apply', () => {
  /** The commit that inserts the first row of the table also does `work`. */
  const atFirst = (table: string, work: string) => {
    world.tenancy.run(`create trigger meanwhile after insert on ${table} begin ${work}; end`)
  }
  afterEach(() => world.tenancy.run('drop trigger if exists meanwhile'))

  /** An Apply with a key of a new user of this role, and how it ended. */
  async function applied(manifest: Loose, table: string, work: (userId: string) => string) {
    const userId = world.user('admin')
    const client = world.keyOf(userId)
    expect((await client.get('/api/v1/applies')).status).toBe(200)
    atFirst(table, work(userId))
    const { id } = dataOf(await world.begin(manifest, {}, client))
    const { projectId, state, stateReason } = await world.ended(id)
    const countOf = (which: string) => (of: string) =>
      world.rows<{ n: number }>(`select count(*) as n from ${of} where ${which}`, projectId)[0]!.n
    return {
      ended: [state, stateReason],
      count: countOf('project_id = ?'),
      countServed: countOf('environment_id in (select id from environments where project_id = ?)'),
    }
  }
  const revoke = (userId: string) => `update api_keys set status = 'revoked' where created_by = '${userId}'`
  const expire = (userId: string) => `update api_keys set expires_at = 1 where created_by = '${userId}'`
  const leave = (userId: string) => `delete from memberships where user_id = '${userId}'`
  const demote = (userId: string) => `update memberships set role = 'member' where user_id = '${userId}'`
  const endedMessage = 'The API key was revoked or has expired, or its user has left the organization.'
  const taken = (permission: string) => ({
    code: 'permission_denied',
    message: `Whoever began it no longer has the permission ${permission}.`,
  })

  test.each([
    ['a key is revoked', revoke, { code: 'credential_ended', message: endedMessage }],
    ['a key expires', expire, { code: 'credential_ended', message: endedMessage }],
    ['a user leaves', leave, { code: 'credential_ended', message: endedMessage }],
    ['a user loses the role', demote, taken('projects:update')],
  ])('writes nothing more after %s', async (_, work, reason) => {
    const { ended, count } = await applied(manifestOf(), 'definitions', work)
    expect(ended).toEqual(['failed', reason])
    expect([count('definitions'), count('agents'), count('releases')]).toEqual([1, 0, 0])
  })

  test.each([
    ['releases', 'deployments:create', [0, 0]],
    ['deployments', 'activations:create', [1, 0]],
  ])('has the authority of each step: lost with the row in %s', async (table, permission, counts) => {
    const { ended, countServed } = await applied(manifestOf(), table, demote)
    expect(ended).toEqual(['failed', taken(permission)])
    expect(['deployments', 'activations'].map(countServed)).toEqual(counts)
  })

  test('may lose it once everything is done', async () => {
    const { ended } = await applied(manifestOf(), 'activations', revoke)
    expect(ended).toEqual(['applied', null])
  })
})
