import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { permissions } from '../../../src/platform/http/guard/permissions.ts'
import { hashSecret } from '../../../src/platform/secrets/tokens.ts'
import { newSecret } from '../../../src/tenancy/api-keys/secret.ts'
import { newId } from '../../../storage/ids.ts'
import { api, type Client } from '../../support/client.ts'
import { eventually } from '../../support/process.ts'
import { insert, insertAgent, insertRun, traces } from './rows.ts'
import { allStates, openWorld, plantProject, settled, type Tree, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.stop())

/** Another organization of the same owner, with its own key. */
function plant(slug: string, kind: 'team' | 'personal' = 'team') {
  const { database } = world
  const [id, keyId, secret, at] = [newId('org'), newId('key'), newSecret(), Date.now()]
  const { user_id } = database.query<{ user_id: string }, []>('select user_id from memberships').get() ?? {}
  insert(database, 'organizations', { id, slug, name: slug, kind, status: 'active', created_at: at, updated_at: at })
  insert(database, 'memberships', { organization_id: id, user_id: user_id ?? '', role: 'owner', created_at: at })
  insert(database, 'api_keys', {
    id: keyId,
    organization_id: id,
    name: 'key',
    prefix: 'trp_',
    secret_hash: hashSecret(secret),
    operations: JSON.stringify(permissions),
    created_by: user_id ?? '',
    status: 'active',
    expires_at: at + 86_400_000,
    created_at: at,
  })
  return { id, keyId, path: `/api/v1/organizations/${id}`, client: api(world.url, secret) as Client }
}

/** The owner's session still works without the key. */
async function signIn() {
  const answer = await fetch(`${world.url}/api/auth/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'owner@localhost', password: 'correct horse battery staple' }),
  })
  return (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
}

describe('an organization with Projects, users, keys and runs in every state', () => {
  let doomed: ReturnType<typeof plant>
  let tree: Tree
  let runs: string[]
  let ids: string[]
  let neighbour: Tree
  let neighbourBefore: Record<string, number>
  let answer: unknown
  let cookie: string
  beforeAll(async () => {
    doomed = plant('doomed')
    cookie = await signIn()
    tree = await plantProject({ ...world, owner: doomed.client, organizationId: doomed.id, post: poster }, 'project')
    runs = allStates.map((state) =>
      insertRun(world.database, { organizationId: doomed.id, agentId: 'agt_system_assistant' }, state),
    )
    const group = await poster<{ id: string }>(`${doomed.path}/user-groups`, { name: 'Group' })
    const started = await doomed.client.post(
      '/api/v1/agent-runs',
      { agentId: 'agt_system_assistant', query: 'Hello' },
      { headers: { 'idempotency-key': 'start' } },
    )
    const lone = insertAgent(world.database, { organizationId: doomed.id, projectId: tree.projectId }, 'lone')
    expect((await doomed.client.delete(`/api/v1/projects/${tree.projectId}/agents/${lone.id}`)).status).toBe(202)
    await settled(world, lone.id)
    ids = [doomed.id, doomed.keyId, ...tree.ids, ...runs, group.id, started.body.data.id, lone.id]
    neighbour = await plantProject(world, 'neighbour')
    neighbourBefore = neighbourNow()
  })
  /** Except for its counts, which the server corrects for some time after rows were written beside it. */
  const neighbourNow = () => {
    const { 'run_counts.organization_id': _, ...others } = traces(world.database, [
      world.organizationId,
      ...neighbour.ids,
    ])
    return others
  }
  const poster = async <Data>(path: string, body?: unknown): Promise<Data> => {
    const { status, body: given } = await doomed.client.post(path, body)
    expect({ path, ok: status < 300 }).toEqual({ path, ok: true })
    return given.data
  }
  const remove = () => doomed.client.delete(doomed.path, { headers: { 'idempotency-key': 'gone' } })

  test('is accepted with 202 and the organization, which is deleting', async () => {
    const before = (await doomed.client.get(doomed.path)).body.data
    const { status, body, headers } = await remove()
    expect({ status, replayed: headers.get('idempotency-replayed') }).toEqual({ status: 202, replayed: null })
    const deletion = {
      runsCounted: 0,
      isCounted: false,
      runsRemoved: 0,
      recordsRemoved: 0,
      requestedAt: expect.any(String),
    }
    expect(body).toEqual({ data: { ...before, status: 'deleting', deletion, updatedAt: expect.any(String) } })
    answer = body
  })

  test('the same request with the same Idempotency-Key gets the same answer', async () => {
    const { status, body, headers } = await remove()
    expect({ status, body, replayed: headers.get('idempotency-replayed') }).toEqual({
      status: 202,
      body: answer as never,
      replayed: 'true',
    })
  })

  test('another DELETE answers 409 deletion_in_progress, with the state of the organization', async () => {
    const { status, body } = await doomed.client.delete(doomed.path)
    expect({ status, code: body.error.code }).toEqual({ status: 409, code: 'deletion_in_progress' })
    expect(body.error.details).toEqual({ currentState: 'deleting' })
  })

  test.each([
    ['GET', '', 200],
    ['GET', '/members', 200],
    ['PATCH', '', 409],
  ] as const)('while runs wind down: %s {Org}%s answers %d', async (method, path, status) => {
    const body = method === 'PATCH' ? { name: 'Other' } : undefined
    expect((await doomed.client.call(method, doomed.path + path, body)).status).toBe(status)
  })

  test('while runs wind down none can be started', async () => {
    const { status } = await doomed.client.post('/api/v1/agent-runs', {
      agentId: 'agt_system_assistant',
      query: 'Hello',
    })
    expect(status).toBe(409)
  })

  test('is removed with everything in it: no table contains one of its ids, except the receipt', async () => {
    await settled(world, doomed.id)
    expect(traces(world.database, ids)).toEqual({
      'deletions.id': 1,
      'deletions.organization_id': 1,
      'deletions.requested_by_id': 1,
      'timers.actor_id': 1,
      'transitions.actor_id': 3,
      'transitions.by_id': 1,
    })
    expect(world.database.query('select count(*) as n from pragma_foreign_key_check').get()).toEqual({ n: 0 })
  })

  test('and nothing else is removed', () => {
    expect(neighbourNow()).toEqual(neighbourBefore)
  })

  test('afterwards its keys answer 401, and its path 404 to everybody else', async () => {
    expect((await doomed.client.get(doomed.path)).status).toBe(401)
    expect((await remove()).status).toBe(401)
    expect((await tree.keys[0]?.client.get('/api/v1/projects'))?.status).toBe(401)
    expect((await world.owner.get(doomed.path)).status).toBe(404)
    for (const path of [doomed.path, '/api/v1/organizations/doomed']) {
      expect((await fetch(world.url + path, { headers: { cookie } })).status).toBe(404)
    }
    expect(traces(world.database, [doomed.id])).not.toHaveProperty('audit_events.organization_id')
  })

  test('its slug is free again', async () => {
    const { status } = await world.owner.post('/api/v1/organizations', { slug: 'doomed', name: 'Again' })
    expect(status).toBe(200)
  })

  test('nothing was logged as an error', () => {
    expect(world.lines.filter(({ level }) => Number(level) >= 50)).toEqual([])
  })
})

test('a personal organization answers 409 personal_organization', async () => {
  const { client, path } = plant('personal', 'personal')
  const { status, body } = await client.delete(path)
  expect({ status, code: body.error.code }).toEqual({ status: 409, code: 'personal_organization' })
  expect((await client.get(path)).body.data.status).toBe('active')
})

test('it can be named by its slug', async () => {
  const { client, id } = plant('by-slug')
  expect((await client.delete('/api/v1/organizations/by-slug')).status).toBe(202)
  await settled(world, id)
})

test('of eight equal requests one is accepted, the others get deletion_in_progress', async () => {
  const { client, path, id } = plant('eight')
  insertRun(world.database, { organizationId: id, agentId: 'agt_system_assistant' }, 'canceling')
  const answers = await Promise.all(Array.from({ length: 8 }, () => client.delete(path)))
  expect(answers.map(({ status, body }) => body.error?.code ?? status).sort()).toEqual(
    [202, ...Array(7).fill('deletion_in_progress')].sort(),
  )
  await settled(world, id)
})

test('eight requests with one Idempotency-Key are one', async () => {
  const { client, path, id } = plant('keyed')
  insertRun(world.database, { organizationId: id, agentId: 'agt_system_assistant' }, 'canceling')
  const headers = { 'idempotency-key': 'once' }
  const answers = await Promise.all(Array.from({ length: 8 }, () => client.delete(path, { headers })))
  expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(202))
  expect(answers.filter((each) => each.headers.get('idempotency-replayed') === 'true')).toHaveLength(7)
  await settled(world, id)
})

test('a malformed Idempotency-Key answers 400, and nothing happens', async () => {
  const { client, path } = plant('malformed')
  const { status, body } = await client.delete(path, { headers: { 'idempotency-key': 'x'.repeat(256) } })
  expect({ status, code: body.error.code }).toEqual({ status: 400, code: 'invalid_idempotency_key' })
  expect((await client.get(path)).body.data.status).toBe('active')
})

test('runs that start at the same moment end and are removed, or are refused', async () => {
  const { client, path, id } = plant('busy')
  const start = () => client.post('/api/v1/agent-runs', { agentId: 'agt_system_assistant', query: 'Hello' })
  const first = Array.from({ length: 20 }, start)
  const removal = client.delete(path)
  const answers = await Promise.all([...first, ...Array.from({ length: 20 }, start)])
  expect((await removal).status).toBe(202)
  for (const { status } of answers) expect([200, 401, 404, 409]).toContain(status)
  await settled(world, id)
  const ids = answers.flatMap(({ status, body }) => (status === 200 ? [body.data.id] : []))
  expect(Object.keys(traces(world.database, ids))).toEqual([])
})

describe('permissions to delete an organization', () => {
  test('its owner with a session, and the token of the session: 403 without', async () => {
    const { path, id } = plant('by-session')
    const cookie = await signIn()
    const session = await fetch(`${world.url}/api/auth/session`, { headers: { cookie } })
    const { csrfToken } = ((await session.json()) as { data: { csrfToken: string } }).data
    const remove = (headers: Record<string, string>) =>
      fetch(world.url + path, { method: 'DELETE', headers: { cookie, ...headers } })
    expect((await remove({})).status).toBe(403)
    expect((await remove({ 'x-csrf-token': csrfToken })).status).toBe(202)
    await settled(world, id)
    expect((await remove({ 'x-csrf-token': csrfToken })).status).toBe(404)
  })

  test('a key without organizations:delete is refused: 403', async () => {
    const { secret } = await world.post('/api/v1/api-keys', { name: 'key', operations: ['organizations:get'] })
    const { status } = await world.as(secret).delete(`/api/v1/organizations/${world.organizationId}`)
    expect(status).toBe(403)
  })

  test('for others it does not exist: 404', async () => {
    const { client } = plant('stranger')
    expect((await client.delete(`/api/v1/organizations/${world.organizationId}`)).status).toBe(404)
  })
})

test('with the embedded runner at work, its runs are told to stop', async () => {
  const other = await openWorld({ environment: { TROUPE_RUNNER: 'embedded', TROUPE_CANCEL_GRACE_MS: '5000' } })
  try {
    const path = `/api/v1/organizations/${other.organizationId}`
    const ids: string[] = []
    for (let count = 0; count < 20; count += 1) {
      const { id } = await other.post('/api/v1/agent-runs', { agentId: 'agt_system_assistant', query: '/sleep 20000' })
      ids.push(id)
    }
    await eventually('runs at work', async () => {
      const { body } = await other.owner.get('/api/v1/agent-runs', { query: { states: 'running' } })
      return body.agentRuns.length > 10
    })
    expect((await other.owner.delete(path)).status).toBe(202)
    await settled(other, other.organizationId)
    expect(traces(other.database, ids)).toEqual({})
    expect((await other.owner.get(path)).status).toBe(401)
    expect(other.lines.filter(({ level }) => Number(level) >= 50)).toEqual([])
  } finally {
    await other.stop()
  }
})
