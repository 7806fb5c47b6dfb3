/** Actions on many runs. Source: contract 14, "Bulk". */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { permissions } from '../../src/platform/http/guard/permissions.ts'
import { pieceMax } from '../../src/runs/bulk-actions/bulk-work.ts'
import type { Client, Reply } from '../support/client.ts'
import { eventually } from '../support/process.ts'
import { walk } from '../support/world/replies.ts'
import { openWorld, type World } from '../support/world/world.ts'

const path = '/api/v1/bulk-actions'
const runs = '/api/v1/agent-runs'
const agentId = 'agt_system_assistant'
let world: World
let owner: Client
beforeAll(async () => {
  world = await openWorld({ environment: { TROUPE_RUNNER: 'none' } })
  owner = world.owner
})
afterAll(() => world?.stop())

let threads = 0
/**
 * This many queued runs, oldest first, and a filter that matches only them: the key of the client that started them.
 */
async function started(count: number, query = 'Hello') {
  threads += 1
  const operations = permissions.filter((name) => name.startsWith('agent-runs:'))
  const made = await owner.post('/api/v1/api-keys', { name: `Client ${threads}`, operations })
  expect(made.status).toBe(201)
  const client = world.as(made.body.data.secret)
  const ids: string[] = []
  for (let index = 0; index < count; index += 1) {
    const run = await client.post(runs, { agentId, query: `${query} ${index}` })
    expect(run.status).toBe(200)
    ids.push(run.body.data.id)
  }
  // runs of one millisecond are in the order of their ids
  ids.sort()
  return { client, keyId: made.body.data.id as string, filter: { createdBy: made.body.data.id as string }, ids }
}
const stateOf = async (id: string) => (await owner.get(`${runs}/${id}`)).body.data.state as string
const begin = (body: object, client = owner) => client.post(path, body)
const ended = async ({ body }: Reply, client = owner) => {
  let found: Reply['body'] = body
  await eventually('a bulk action that has ended', async () => {
    found = (await client.get(`${path}/${body.data.id}`)).body
    return found.data.state !== 'running'
  })
  return found.data
}

describe('the matching runs', () => {
  test('are fixed at the beginning, and all are canceled, in several batches', async () => {
    const { filter, ids, client } = await started(pieceMax + 3)
    const answer = await begin({ action: 'cancel', filter })
    expect(answer.status).toBe(202)
    expect(answer.body.data).toMatchObject({
      action: 'cancel',
      filter,
      matched: ids.length,
      dryRun: false,
      query: null,
    })
    expect(answer.body.data.id).toMatch(/^blk_/)
    const later = (await client.post(runs, { agentId, query: 'Later' })).body.data.id
    expect(await ended(answer)).toMatchObject({
      state: 'completed',
      done: ids.length,
      failed: 0,
      failures: [],
      error: null,
    })
    for (const id of ids) expect(await stateOf(id)).toBe('canceled')
    expect(await stateOf(later)).toBe('queued')
  })

  test('are counted and unchanged in a dry run', async () => {
    const { filter, ids } = await started(3)
    const { status, body } = await begin({ action: 'cancel', filter, dryRun: true })
    expect([status, body.data]).toEqual([
      202,
      expect.objectContaining({ state: 'completed', matched: 3, done: 0, failed: 0, dryRun: true }),
    ])
    expect((await owner.get(`${path}/${body.data.id}`)).body.data).toEqual(body.data)
    for (const id of ids) expect(await stateOf(id)).toBe('queued')
  })

  test('are the oldest if max is lower', async () => {
    const { filter, ids } = await started(4)
    expect(await ended(await begin({ action: 'cancel', filter, max: 2 }))).toMatchObject({ matched: 2, done: 2 })
    expect(await Promise.all(ids.map(stateOf))).toEqual(['canceled', 'canceled', 'queued', 'queued'])
  })

  test('match every filter of the list: states, ids, words, times', async () => {
    const { ids } = await started(3, 'Rhubarb')
    const only = async (filter: object) =>
      (await begin({ action: 'cancel', filter, dryRun: true })).body.data.matched as number
    expect(await only({ ids: ids.slice(0, 2), states: ['queued'] })).toBe(2)
    expect(await only({ ids, states: ['completed'] })).toBe(0)
    expect(await only({ search: 'rhubarb 2' })).toBe(1)
    expect(await only({ search: 'rhubarb', states: ['queued', 'running'] })).toBe(3)
    const createdAt = (await owner.get(`${runs}/${ids[0]}`)).body.data.createdAt as string
    expect(await only({ search: 'rhubarb', until: createdAt })).toBe(0)
  })

  test('if there are none, it is completed at once', async () => {
    const { body } = await begin({ action: 'cancel', filter: { createdBy: 'key_nobody' } })
    expect(body.data).toMatchObject({ state: 'completed', matched: 0 })
  })
})

describe('each action', () => {
  test('is refused as for a single run: counted, and reported with its code, up to twenty times', async () => {
    const { filter, ids } = await started(pieceMax + 2)
    const { failures, ...rest } = await ended(await begin({ action: 'continue', filter, query: 'Go on' }))
    expect(rest).toMatchObject({ state: 'completed', matched: ids.length, done: 0, failed: ids.length })
    expect(failures).toHaveLength(20)
    expect(failures[0]).toEqual({ agentRunId: ids[0], code: 'invalid_transition', message: expect.any(String) })
  })

  test('continue gives every run the query as its next turn', async () => {
    const { filter, ids } = await started(3)
    await ended(await begin({ action: 'cancel', filter }))
    const done = await ended(await begin({ action: 'continue', filter, query: 'And then?' }))
    expect(done).toMatchObject({ done: 3, failed: 0, query: 'And then?' })
    for (const id of ids)
      expect((await owner.get(`${runs}/${id}`)).body.data).toMatchObject({ state: 'queued', turn: 2 })
  })

  test('fork starts a run with the same input, or with the query instead, and does not change the source', async () => {
    const { filter, ids } = await started(2, 'Once')
    expect(await ended(await begin({ action: 'fork', filter }))).toMatchObject({ done: 2, failed: 0 })
    const since = new Date(Date.parse((await owner.get(`${runs}/${ids[0]}`)).body.data.createdAt)).toISOString()
    const list = async () => (await owner.get(`${runs}?since=${since}&include=summary&limit=100`)).body.agentRuns
    const forks = async () =>
      (await list()).filter(({ forkedFrom }: { forkedFrom?: { agentRunId: string } }) =>
        ids.includes(forkedFrom?.agentRunId ?? ''),
      )
    const found = await forks()
    expect(found).toHaveLength(2)
    for (const fork of found) {
      const source = (await owner.get(`${runs}/${fork.forkedFrom.agentRunId}`)).body.data
      expect(fork).toMatchObject({ state: 'queued', inputDigest: source.inputDigest, forkedFrom: { checkpointId: 0 } })
      expect(fork.agentRevisionId).toBe(source.agentRevisionId)
      expect(source.forkedFrom).toBeUndefined()
    }
    await ended(await begin({ action: 'fork', filter: { ids: [ids[0] as string] }, query: 'Otherwise' }))
    expect((await forks()).map(({ summary }: { summary: { query: string } }) => summary.query)).toContain('Otherwise')
    expect(await stateOf(ids[0] as string)).toBe('queued')
  })

  test("leaves a line for each run in the audit log, with the request's id", async () => {
    const { filter, ids, keyId } = await started(1)
    const answer = await owner.post(
      path,
      { action: 'cancel', filter },
      { headers: { 'x-request-id': `bulk of ${keyId}` } },
    )
    await ended(answer)
    const { items } = await walk(owner, `/api/v1/organizations/${world.ours}/audit-events`, 100)
    const lines = items.filter(({ requestId }) => requestId === `bulk of ${keyId}`)
    const audited = lines.map(({ operation, resource }) => [operation, (resource as { id: string }).id])
    expect(audited.sort()).toEqual([
      ['cancelAgentRun', ids[0]],
      ['createBulkAction', answer.body.data.id],
    ])
  })
})

describe('permissions', () => {
  const keyWith = async (operations: readonly string[], scope: object = {}) => {
    const made = await owner.post('/api/v1/api-keys', { name: 'Bulk', operations, ...scope })
    expect(made.status).toBe(201)
    return { client: world.as(made.body.data.secret), id: made.body.data.id as string }
  }

  test.each([
    ['cancel', 'agent-runs:cancel', {}],
    ['continue', 'agent-runs:continue', { query: 'Go on' }],
    ['fork', 'agent-runs:create', {}],
  ])('%s requires %s', async (action, permission, more) => {
    const { client } = await keyWith(['agent-runs:list', 'agent-runs:get'])
    const { status, body } = await client.post(path, { action, filter: {}, ...more, dryRun: true })
    expect([status, body.error?.details]).toEqual([403, { permission }])
    const able = await keyWith([permission])
    expect((await able.client.post(path, { action, filter: {}, ...more, dryRun: true })).status).toBe(202)
    // so does the end of one that runs
    const { filter } = await started(1)
    const begun = await begin({ action, filter, ...more, dryRun: true })
    const refused = await client.post(`${path}/${begun.body.data.id}/cancel`)
    expect([refused.status, refused.body.error?.details]).toEqual([403, { permission }])
  })

  test("reading requires agent-runs:list, within the action's scope", async () => {
    const { filter } = await started(1)
    const { body } = await begin({ action: 'cancel', filter, dryRun: true })
    const project = await world.project()
    const bound = await keyWith(['agent-runs:list', 'agent-runs:cancel'], { projectId: project.id })
    expect((await bound.client.get(`${path}/${body.data.id}`)).status).toBe(404)
    const own = await bound.client.post(path, { action: 'cancel', filter: {}, dryRun: true })
    expect([own.status, own.body.data.matched]).toEqual([202, 0])
    expect((await bound.client.get(`${path}/${own.body.data.id}`)).status).toBe(200)
    const actor = await bound.client.get(`/api/v1/actors/bulk-action/${own.body.data.id}`)
    expect([actor.status, actor.body.data.state]).toEqual([200, 'completed'])
  })

  test('a key that is revoked in the middle acts on no further run', async () => {
    const { filter, ids } = await started(3)
    const { client, id } = await keyWith(['agent-runs:list', 'agent-runs:cancel', 'agent-runs:get'])
    const answer = await client.post(path, { action: 'cancel', filter, dryRun: true })
    expect(answer.status).toBe(202)
    // the first batch is processed after the answer: the key must be valid then
    const [begun] = await Promise.all([
      client.post(path, { action: 'cancel', filter }),
      owner.delete(`/api/v1/api-keys/${id}`),
    ])
    if (begun.status !== 202) return expect(begun.status).toBe(401)
    const end = await ended(begun)
    if (end.state === 'failed') {
      expect(end).toMatchObject({ done: 0, error: { code: 'credential_ended' } })
      for (const each of ids) expect(await stateOf(each)).toBe('queued')
    } else expect(end.done).toBe(3)
  })
})

test('after its cancellation it acts on no further run; after its end it cannot be canceled', async () => {
  const { filter } = await started(1)
  const done = await begin({ action: 'cancel', filter })
  await ended(done)
  const refused = await owner.post(`${path}/${done.body.data.id}/cancel`)
  expect([refused.status, refused.body.error.details]).toEqual([409, { currentState: 'completed' }])
  const many = await started(3 * pieceMax)
  const answer = await begin({ action: 'cancel', filter: many.filter })
  const canceled = await owner.post(`${path}/${answer.body.data.id}/cancel`)
  expect([canceled.status, canceled.body.data.state]).toEqual([200, 'canceled'])
  expect((await owner.post(`${path}/${answer.body.data.id}/cancel`)).status).toBe(200)
  let now: Reply['body']
  await eventually('as many canceled runs as it says', async () => {
    now = (await owner.get(`${path}/${answer.body.data.id}`)).body.data
    const states = await owner.get(`${runs}?createdBy=${many.keyId}&limit=100`)
    const count = states.body.agentRuns.filter(({ state }: { state: string }) => state === 'canceled').length
    return now.done === count
  })
  expect(now.done).toBeLessThan(3 * pieceMax)
})

test('the same Idempotency-Key starts it once', async () => {
  const { filter } = await started(1)
  const key = { headers: { 'idempotency-key': `once-${filter.createdBy}` } }
  const first = await owner.post(path, { action: 'fork', filter }, key)
  const second = await owner.post(path, { action: 'fork', filter }, key)
  expect([second.status, second.body.data.id]).toEqual([202, first.body.data.id])
})

test.each([
  ['a dry run', { dryRun: true }],
  ['an action without a match', { filter: { ids: ['run_00000000000000000000000000'] } }],
])('%s is answered by a repeat as at first', async (_, changes) => {
  const { filter } = await started(1)
  const key = { headers: { 'idempotency-key': `same-${filter.createdBy}` } }
  const first = await owner.post(path, { action: 'fork', filter, ...changes }, key)
  const second = await owner.post(path, { action: 'fork', filter, ...changes }, key)
  expect(first.body.data.state).toBe('completed')
  expect([second.status, second.body]).toEqual([202, first.body])
})

test.each([
  ['without a filter', { action: 'cancel' }, '/body/filter'],
  ['with an unknown action', { action: 'retry', filter: {} }, '/body/action'],
  ['continue without a query', { action: 'continue', filter: {} }, '/body/query'],
  ['cancel with a query', { action: 'cancel', filter: {}, query: 'Why?' }, '/body/query'],
  ['fork with a blank query', { action: 'fork', filter: {}, query: ' ' }, '/body/query'],
  ['with a max of 0', { action: 'cancel', filter: {}, max: 0 }, '/body/max'],
  ['with a max of more than 100,000', { action: 'cancel', filter: {}, max: 100_001 }, '/body/max'],
  ['with an unknown filter', { action: 'cancel', filter: { stat: ['queued'] } }, '/body/filter/stat'],
  ['with an unknown state', { action: 'cancel', filter: { states: ['quiet'] } }, '/body/filter/states/0'],
  [
    'with a filter that no index serves',
    { action: 'cancel', filter: { createdBy: 'x', agentId: 'y' } },
    '/body/filter/agentId',
  ],
])('%s: 422, and says where', async (_, body, at) => {
  const { status, body: answer } = await begin(body)
  expect(status).toBe(422)
  expect(answer.error.details.issues.map(({ path }: { path: string }) => path)).toContain(at)
})
