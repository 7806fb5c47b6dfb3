/** The server is killed during a deletion, and started again. Source: contract 2, "Deletion"; design 3, rule 6. */
import type { Database } from 'bun:sqlite'
import { afterAll, expect, test } from 'bun:test'
import type { Client } from '../support/client.ts'
import { populationsOf } from '../support/fleet.ts'
import { endAll, eventually, Site } from '../support/process.ts'
import { data } from '../support/world/replies.ts'
import { insert, insertAgent, insertRun, openFile, type RunState, traces } from '../tenancy/deletions/rows.ts'

const quick = { TROUPE_RUNNER: 'none', TROUPE_LEASE_TTL_MS: '2000' }
const sites: Site[] = []
const siteOf = async (environment: Record<string, string> = {}) => {
  const site = await Site.create({ ...quick, ...environment })
  sites.push(site)
  return site
}
afterAll(async () => {
  await endAll()
  for (const site of sites) await site.remove()
})

interface Planted {
  organizationId: string
  projectId: string
  ids: string[]
}

/** Creates a Project with this number of runs in each of these states. */
async function plant(client: Client, database: Database, states: RunState[], times: number): Promise<Planted> {
  const organizationId = (await client.get('/api/v1/organizations')).body.data.items[0].id
  const { body } = await client.post('/api/v1/projects', { slug: 'doomed', name: 'Doomed' })
  const projectId = body.data.id
  const agent = insertAgent(database, { organizationId, projectId }, 'helper')
  const ids = [projectId, agent.id, agent.revisionId]
  database.transaction(() => {
    for (let count = 0; count < times; count += 1) {
      for (const state of states) {
        ids.push(insertRun(database, { organizationId, projectId, agentId: agent.id }, state, 3))
      }
    }
  })()
  return { organizationId, projectId, ids }
}

const stateOf = (database: Database, id: string) =>
  database.query<{ state: string }, [string]>('select state from deletions where id = ?').get(id)?.state
const count = (database: Database, table: string) =>
  database.query<{ n: number }, []>(`select count(*) as n from ${table}`).get()?.n ?? 0

/** Only the receipt and the organization's audit log are left. */
async function expectGone(database: Database, { projectId, ids }: Planted) {
  await eventually('the end of the Project', () => {
    const isThrough = database.query('select 1 from effects where actor_id = ?').get(projectId) === null
    return stateOf(database, projectId) === 'settling' && isThrough
  })
  const { found, counted } = populationsOf(database)
  expect(counted).toEqual(found)
  const { 'audit_events.resource_id': _, ...left } = traces(database, ids)
  expect(left).toEqual({
    'deletions.id': 1,
    'deletions.project_id': 1,
    'timers.actor_id': 1,
    'transitions.actor_id': expect.any(Number) as unknown as number,
  })
}

test('killed while runs wind down, the deletion resumes', async () => {
  const site = await siteOf({ TROUPE_CANCEL_GRACE_MS: '1500', TROUPE_LEASE_TTL_MS: '60000' })
  const before = await site.start()
  const database = openFile(site.storePath)
  const tree = await plant(before.client, database, ['queued', 'running', 'completed'], 40)
  expect((await before.client.delete(`/api/v1/projects/${tree.projectId}`)).status).toBe(202)
  await eventually('runs that wind down', () => count(database, "runs where state = 'canceled'") > 0)
  await before.end('SIGKILL')
  expect(stateOf(database, tree.projectId)).toBe('draining')

  const after = await site.start()
  const { status, body } = await after.client.delete(`/api/v1/projects/${tree.projectId}`)
  expect([status, body.error.code]).toEqual([409, 'deletion_in_progress'])
  await expectGone(database, tree)
  expect(after.output()).not.toContain('"level":"error"')
  database.close()
  await after.end('SIGTERM')
})

test('killed and stopped repeatedly while the tree is removed, it leaves nothing half removed', async () => {
  const site = await siteOf()
  let server = await site.start()
  const database = openFile(site.storePath)
  const tree = await plant(server.client, database, ['completed', 'failed'], 400)
  const { client } = server
  expect((await client.delete(`/api/v1/projects/${tree.projectId}`)).status).toBe(202)
  const receipt = () =>
    database
      .query<{ counted: number; removed: number }, [string]>(
        'select runs_counted as counted, runs_removed as removed from deletions where id = ? and counted_to is null',
      )
      .get(tree.projectId)
  for (const [left, signal] of [
    [680, 'SIGKILL'],
    [400, 'SIGTERM'],
    [120, 'SIGKILL'],
  ] as const) {
    await eventually('a part that is gone', () => count(database, 'runs') < left)
    await server.end(signal)
    expect(server.output()).not.toContain('"level":"error"')
    // the shown progress is what has been removed, whenever the server is killed
    expect(receipt()).toEqual({ counted: 800, removed: 800 - count(database, 'runs') })
    // whole runs: remaining rows belong to a run that still exists
    for (const [table, owner] of [
      ['run_events', 'run_id'],
      ['agent_steps', 'run_id'],
      ['checkpoints', 'run_id'],
      ['run_inputs', 'run_id'],
      ['call_results', 'run_id'],
    ] as const) {
      expect(count(database, `${table} where ${owner} not in (select id from runs)`)).toBe(0)
    }
    server = await site.start()
    const { body } = await server.client.get(`/api/v1/projects/${tree.projectId}`)
    expect(body.data).toMatchObject({ status: 'deleting', deletion: { runsCounted: 800, isCounted: true } })
    expect(body.data.deletion.runsRemoved).toBeGreaterThan(800 - left)
  }
  await expectGone(database, tree)
  expect(receipt()).toEqual({ counted: 800, removed: 800 })
  expect(server.output()).not.toContain('"level":"error"')
  database.close()
  await server.end('SIGTERM')
})

test('killed while it accepts, it has deleted either everything or nothing', async () => {
  const site = await siteOf()
  let server = await site.start()
  const database = openFile(site.storePath)
  const organizationId = (await server.client.get('/api/v1/organizations')).body.data.items[0].id
  const projects: string[] = []
  for (let index = 0; index < 40; index += 1) {
    const { body } = await server.client.post('/api/v1/projects', { slug: `project-${index}`, name: 'Project' })
    projects.push(body.data.id)
    insertAgent(database, { organizationId, projectId: body.data.id }, 'helper')
  }
  const accepted = new Set<string>()
  const removals = projects.map(async (id) => {
    const { status } = await server.client.delete(`/api/v1/projects/${id}`)
    if (status === 202) accepted.add(id)
  })
  await Promise.any(removals)
  await server.end('SIGKILL')
  await Promise.allSettled(removals)

  for (const id of projects) {
    const status = database.query<{ status: string }, [string]>('select status from projects where id = ?').get(id)
    const state = stateOf(database, id)
    // removed or being removed with a receipt, or untouched without one
    expect({ id, hasReceipt: state !== undefined }).toEqual({ id, hasReceipt: status?.status !== 'active' })
    if (accepted.has(id)) expect(state).toBeDefined()
  }
  server = await site.start()
  await eventually('the end of every accepted removal', () => {
    const open = "deletions where state in ('draining', 'removing')"
    return count(database, open) === 0 && count(database, "projects where status = 'deleting'") === 0
  })
  for (const id of projects) {
    const { status } = await server.client.get(`/api/v1/projects/${id}`)
    expect({ id, status }).toEqual({ id, status: stateOf(database, id) === undefined ? 200 : 404 })
  }
  database.close()
  await server.end('SIGTERM')
})

test('an organization: the answer is replayed after the crash, and then its credentials are gone', async () => {
  const site = await siteOf({ TROUPE_CANCEL_GRACE_MS: '2500', TROUPE_LEASE_TTL_MS: '60000' })
  const before = await site.start()
  const database = openFile(site.storePath)
  const tree = await plant(before.client, database, ['running', 'completed'], 20)
  const path = `/api/v1/organizations/${tree.organizationId}`
  const options = { headers: { 'idempotency-key': 'once' } }
  const first = await before.client.delete(path, options)
  expect(first.status).toBe(202)
  await before.end('SIGKILL')

  const after = await site.start({ TROUPE_BOOTSTRAP_API_KEY: '' })
  const again = await after.client.delete(path, options)
  expect({ status: again.status, replayed: again.headers.get('idempotency-replayed'), body: again.body }).toEqual({
    status: 202,
    replayed: 'true',
    body: first.body,
  })
  await eventually('the end of the organization', () => stateOf(database, tree.organizationId) === 'settling')
  await eventually('a key that is gone', async () => (await after.client.get(path)).status === 401)
  const left = traces(database, [tree.organizationId, ...tree.ids])
  expect(Object.keys(left).filter((place) => !/^(deletions|transitions|timers|effects)\./.test(place))).toEqual([])
  expect(after.output()).not.toContain('"level":"error"')
  database.close()
  await after.end('SIGTERM')
})

test('killed and stopped while the versions of a deleted variable are removed, it finds none of them, and removes the rest', async () => {
  const site = await siteOf({ TROUPE_SWEEP_INTERVAL_MS: '100' })
  let server = await site.start()
  const database = openFile(site.storePath)
  const { id: projectId } = await data(server.client.post('/api/v1/projects', { slug: 'shop', name: 'Shop' }))
  const { items } = await data<{ items: { id: string }[] }>(
    server.client.get(`/api/v1/projects/${projectId}/environments`),
  )
  const collection = `/api/v1/projects/${projectId}/environments/${items[0]?.id}/variables`
  const { id } = await data(server.client.post(collection, { name: 'TOKEN', value: 'hunter2' }))
  const sealed = 'x'.repeat(20_000)
  database.transaction(() => {
    for (let version = 2; version <= 2_000; version += 1)
      insert(database, 'variable_versions', {
        variable_id: id,
        version,
        sealed,
        digest: 'hmac',
        length: 7,
        created_at: 1,
      })
  })()
  const path = `${collection}/${id}`
  expect((await server.client.delete(path)).status).toBe(200)
  for (const [left, signal] of [
    [1_500, 'SIGKILL'],
    [800, 'SIGTERM'],
  ] as const) {
    await eventually('a part that is gone', () => count(database, 'variable_versions') < left)
    await server.end(signal)
    // the variable goes last
    const isThere = count(database, 'variables') === 1
    expect(isThere).toBe(count(database, 'variable_versions') > 0)
    server = await site.start()
    expect((await server.client.get(path)).status).toBe(404)
  }
  await eventually('the end of the variable', () => count(database, 'variables') === 0)
  expect(count(database, 'variable_versions')).toBe(0)
  expect(server.output()).not.toContain('"level":"error"')
  database.close()
  await server.end('SIGTERM')
})
