/** Damaged records: the damage of one run does not affect others. Source: design 3; contract 5. */
import { Database } from 'bun:sqlite'
import { afterAll, expect, test } from 'bun:test'
import { endAll, eventually, Site } from '../../support/process.ts'
import { checkpointOf, expectWhole, inState, start, timesTold } from '../../support/run-records.ts'
import { lease } from '../../support/simulated-runner.ts'

const quick = { TROUPE_LEASE_TTL_MS: '2000', TROUPE_ATTEMPT_BACKOFF_MS: '50' }
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

/** Changes the file behind the server's back, also where the schema would not allow it. */
function damage(site: Site, sql: string, ...parameters: string[]) {
  const database = new Database(site.storePath)
  try {
    database.run('pragma ignore_check_constraints = on')
    expect(database.query(sql).run(...parameters).changes).toBe(1)
  } finally {
    database.close()
  }
}
function rowOf(site: Site, id: string) {
  const database = new Database(site.storePath)
  try {
    return database.query('select * from runs where id = ?').get(id)
  } finally {
    database.close()
  }
}

test.concurrent('a run with a damaged snapshot answers with an error and is left as it is, and all others continue', async () => {
  const site = await siteOf()
  const before = await site.start({ TROUPE_RUNNER: 'none', TROUPE_LEASE_TTL_MS: '60000' })
  const runs: Record<string, string> = {}
  // The first four are leased, so that the reaper of lost attempts encounters the damage too.
  for (const name of ['running', 'leaseless', 'odd', 'healthyRunning']) {
    runs[name] = (await start(before.client, `/say ${name}`)).id
    const attempt = await lease(before.client, site.runnerToken)
    expect(attempt.runId).toBe(runs[name] as string)
    await attempt.boot()
  }
  for (const name of ['queued', 'future', 'limbo', 'list', 'healthyQueued', 'another']) {
    runs[name] = (await start(before.client, `/say ${name}`)).id
  }
  await before.end('SIGKILL')

  const id = (name: string) => runs[name] as string
  damage(site, "update runs set context = '{' where id = ?", id('running'))
  damage(site, "update runs set context = 'null' where id = ?", id('leaseless'))
  damage(site, 'update runs set context = replace(context, \'"machine":\', \'"device":\') where id = ?', id('odd'))
  damage(site, "update runs set context = 'not JSON' where id = ?", id('queued'))
  damage(site, "update runs set machine_version = '99' where id = ?", id('future'))
  damage(site, "update runs set state = 'limbo' where id = ?", id('limbo'))
  damage(site, "update runs set context = '[]' where id = ?", id('list'))
  const damaged = ['running', 'leaseless', 'odd', 'queued', 'future', 'limbo', 'list']
  const rows = damaged.map((name) => rowOf(site, id(name)))

  const after = await site.start()
  const { client } = after
  for (const name of ['healthyRunning', 'healthyQueued', 'another']) {
    await inState(client, id(name), 'completed')
    await expectWhole(client, id(name))
  }
  await inState(client, (await start(client, '/say new')).id, 'completed')
  for (const name of ['queued', 'future', 'limbo', 'list', 'running', 'leaseless']) {
    const { status, body, requestId } = await client.post(`/api/v1/agent-runs/${id(name)}/cancel`)
    expect({ name, status, error: body.error }).toEqual({
      name,
      status: 500,
      error: { code: 'damaged_record', message: expect.any(String), requestId },
    })
  }
  for (const name of ['queued', 'running', 'leaseless']) {
    const { status, body } = await client.get(`/api/v1/agent-runs/${id(name)}`)
    expect({ name, status, code: body.error?.code }).toEqual({ name, status: 500, code: 'damaged_record' })
  }
  const list = await client.get('/api/v1/agent-runs?limit=100')
  const listed = list.body.agentRuns.map((run: { id: string }) => run.id)
  expect(list.status).toBe(200)
  expect(listed).not.toContain(id('queued'))
  expect(listed.length).toBeGreaterThan(0)
  const named = ['queued', 'list', 'another']
  const begun = await client.post('/api/v1/bulk-actions', { action: 'cancel', filter: { ids: named.map(id) } })
  const ended = await eventually('the end of the bulk action', async () => {
    const { data } = (await client.get(`/api/v1/bulk-actions/${begun.body.data.id}`)).body
    return data.state !== 'running' && data
  })
  expect(ended).toMatchObject({ state: 'completed', done: 0, failed: 3 })
  expect(new Set(ended.failures.map(({ code }: { code: string }) => code))).toEqual(
    new Set(['damaged_record', 'invalid_transition']),
  )
  expect(damaged.map((name) => rowOf(site, id(name)))).toEqual(rows)
  expect(await after.end('SIGTERM')).toBe(0)
})

const damages = {
  'has other messages': `update checkpoints set messages = '[]' where checkpoint_id = ?`,
  'has messages that are not JSON': `update checkpoints set messages = '[{' where checkpoint_id = ?`,
  'has another digest': `update checkpoints set digest = 'sha256:00' where checkpoint_id = ?`,
  'has lost its base': 'update checkpoints set base_checkpoint_id = 999999 where checkpoint_id = ?',
}

test.concurrent('a continuation uses the checkpoint before a damaged one', async () => {
  const site = await siteOf()
  const before = await site.start()
  const query = '/call echo {"text":"kept"}\n/say lost with the checkpoint'
  const ids: string[] = []
  const latest: string[] = []
  for (const _ of Object.keys(damages)) {
    const { id } = await start(before.client, query)
    await inState(before.client, id, 'completed')
    const { checkpoint } = await checkpointOf(before.client, id)
    expect(checkpoint.sequence).toBe(3)
    ids.push(id)
    latest.push(checkpoint.checkpointId)
  }
  await before.end('SIGTERM')
  for (const [index, sql] of Object.values(damages).entries()) damage(site, sql, latest[index] as string)

  const { client, end } = await site.start()
  for (const [index, how] of Object.keys(damages).entries()) {
    const id = ids[index] as string
    expect({ how, sequence: (await checkpointOf(client, id)).checkpoint.sequence }).toEqual({ how, sequence: 2 })
    expect((await client.post(`/api/v1/agent-runs/${id}/continue`, { query: '/say and again' })).status).toBe(200)
    await inState(client, id, 'completed')
    const { checkpoint, runtimeCheckpoint } = await checkpointOf(client, id)
    expect({ how, sequence: checkpoint.sequence }).toEqual({ how, sequence: 4 })
    expect(JSON.stringify(runtimeCheckpoint.messages)).not.toContain('"lost with the checkpoint"')
    const roles = runtimeCheckpoint.messages.map(({ role }: { role: string }) => role)
    expect({ how, roles }).toEqual({ how, roles: ['user', 'assistant', 'tool', 'user', 'assistant'] })
    expect(await timesTold(client, id, query)).toBe(1)
    await expectWhole(client, id)
  }
  await end('SIGTERM')
})
