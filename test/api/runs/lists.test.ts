import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type RunListShape, runListQueries } from '../../../storage/run-lists.ts'
import { insertRun } from '../../../storage/runs.ts'
import type { RunRow } from '../../../storage/tables.ts'
import { callers, environment, openWorld, organizations, project, type World } from './world.ts'

const path = '/api/v1/agent-runs'
const states = ['queued', 'running', 'completed', 'failed', 'canceled', 'expired']
const total = 240
let world: World
/** All runs of our organization, oldest first. */
let ours: RunRow[]

const runId = (index: number) => `run_${String(index).padStart(26, '0')}`

const context = JSON.stringify({
  awaiting: [],
  cause: null,
  stopReason: null,
  attempt: 0,
  startedAt: null,
  endedAt: null,
})
const row = (index: number, changes: Partial<RunRow> = {}): RunRow => ({
  id: runId(index),
  organization_id: organizations.ours,
  project_id: index % 2 === 0 ? project : null,
  environment_id: index % 4 === 0 ? environment : null,
  deployment_id: null,
  agent_id: `agt_${index % 3}`,
  agent_revision_id: 'agr_1',
  agent_job_id: index % 10 === 0 ? 'job_1' : null,
  created_by_type: 'apiKey',
  created_by_id: index % 5 === 0 ? 'key_other' : callers.owner.principal.id,
  subject_user_id: null,
  state: states[index % states.length] as string,
  version: 1,
  machine_version: '1',
  context,
  binding: '{}',
  input_digest: `sha256:${'0'.repeat(64)}`,
  output_digest: null,
  runtime_version: '1',
  retention_expires_at: 1,
  content_removed_at: null,
  available_at: 1,
  reserved_ms: 0,
  reserved_in: null,
  counted_bytes: 0,
  last_activity_kind: 'start',
  last_activity_at: 1,
  created_at: 1_000 + index,
  // many runs share an instant, and the order is not that of creation
  updated_at: 5_000 + ((index * 7) % 50),
  ...changes,
})

beforeAll(async () => {
  world = await openWorld()
  ours = Array.from({ length: total }, (_, index) => row(index))
  const foreign = Array.from({ length: 20 }, (_, index) =>
    row(1_000 + index, {
      organization_id: organizations.foreign,
      project_id: 'prj_foreign',
      environment_id: null,
      agent_job_id: null,
    }),
  )
  await world.store.commit([...ours, ...foreign].map((each) => insertRun(world.store, each)))
})
afterAll(() => world?.close())

/** Follows the cursors to the end. */
async function all(
  query: Record<string, string | readonly string[]>,
  limit: number,
  client = world.owner,
): Promise<string[]> {
  const ids: string[] = []
  for (let cursor: string | undefined; ; ) {
    const { status, body } = await client.get(path, { query: { ...query, limit, cursor } })
    if (status !== 200) throw new Error(JSON.stringify(body))
    ids.push(...body.agentRuns.map(({ id }: { id: string }) => id))
    if (!body.pagination.hasMore) return ids
    expect(body.agentRuns).toHaveLength(limit)
    cursor = body.pagination.nextCursor
  }
}

const filters: [Record<string, string | readonly string[]>, (run: RunRow) => boolean][] = [
  [{}, () => true],
  [{ projectId: project }, (run) => run.project_id === project],
  [{ environmentId: environment }, (run) => run.environment_id === environment],
  [{ agentId: 'agt_1' }, (run) => run.agent_id === 'agt_1'],
  [{ agentJobId: 'job_1' }, (run) => run.agent_job_id === 'job_1'],
  [{ createdBy: 'key_other' }, (run) => run.created_by_id === 'key_other'],
  [{ states: 'running' }, (run) => run.state === 'running'],
  [{ states: 'running,queued' }, (run) => ['running', 'queued'].includes(run.state)],
  [{ states: ['completed', 'failed', 'queued'] }, (run) => ['completed', 'failed', 'queued'].includes(run.state)],
  [
    { states: 'running,queued', agentId: 'agt_1' },
    (run) => ['running', 'queued'].includes(run.state) && run.agent_id === 'agt_1',
  ],
  [{ states: 'completed', agentId: 'agt_2' }, (run) => run.state === 'completed' && run.agent_id === 'agt_2'],
  [
    { projectId: project, agentId: 'agt_0', createdBy: 'key_other' },
    (run) => run.project_id === project && run.agent_id === 'agt_0' && run.created_by_id === 'key_other',
  ],
  [{ projectId: 'prj_foreign' }, () => false],
  [{ agentId: 'agt_nobody' }, () => false],
]
const orders = [
  { sort: 'createdAt', order: 'desc' },
  { sort: 'createdAt', order: 'asc' },
  { sort: 'updatedAt', order: 'desc' },
  { sort: 'updatedAt', order: 'asc' },
] as const

describe.each(orders)('the list by $sort, $order', ({ sort, order }) => {
  test.each(filters)('with %j is complete, in order and without repeats', async (filter, passes) => {
    const sign = order === 'asc' ? 1 : -1
    const expected = ours
      .filter(passes)
      .sort((a, b) => sign * ((sort === 'updatedAt' ? a.updated_at - b.updated_at : 0) || (a.id < b.id ? -1 : 1)))
      .map(({ id }) => id)
    expect(await all({ ...filter, sort, order }, 7)).toEqual(expected)
    expect(await all({ ...filter, sort, order }, 100)).toEqual(expected)
  })
})

test('newest first, 20 runs, unless said otherwise', async () => {
  const { body } = await world.owner.get(path)
  expect(body.agentRuns.map(({ id }: { id: string }) => id)).toEqual(
    ours
      .slice(-20)
      .map(({ id }) => id)
      .reverse(),
  )
  expect(body.pagination).toEqual({ limit: 20, hasMore: true, nextCursor: expect.any(String) })
})

test('the last page has no cursor', async () => {
  const { body } = await world.owner.get(path, { query: { agentJobId: 'job_1', limit: 24 } })
  expect([body.agentRuns.length, body.pagination]).toEqual([24, { limit: 24, hasMore: false }])
})

test('a key that is bound to a Project sees its runs only, before the page is cut', async () => {
  const bound = ours
    .filter((run) => run.project_id === project)
    .map(({ id }) => id)
    .reverse()
  expect(await all({}, 50, world.bound)).toEqual(bound)
  expect(await all({ projectId: 'prj_other' }, 50, world.bound)).toEqual([])
  expect(await all({ environmentId: environment }, 50, world.bound)).toHaveLength(60)
})

test('another organization sees its own', async () => {
  expect(await all({}, 50, world.foreigner)).toHaveLength(20)
  expect(await all({ projectId: project }, 50, world.foreigner)).toEqual([])
})

test('finds the few among very many', async () => {
  const other = await openWorld()
  try {
    const needles = new Set([0, 999, 1_000, 3_400])
    const many = Array.from({ length: 3_500 }, (_, index) =>
      row(index, {
        agent_id: 'agt_many',
        state: 'completed',
        created_by_id: needles.has(index) ? 'key_rare' : 'key_often',
      }),
    )
    await other.store.commit(many.map((each) => insertRun(other.store, each)))
    const found = [3_400, 1_000, 999, 0].map(runId)
    for (const limit of [1, 3, 4, 10]) {
      expect(await all({ agentId: 'agt_many', createdBy: 'key_rare' }, limit, other.owner)).toEqual(found)
      const byUpdate = await all({ createdBy: 'key_rare', sort: 'updatedAt' }, limit, other.owner)
      expect(byUpdate.toSorted().reverse()).toEqual(found)
    }
  } finally {
    await other.close()
  }
})

test('without the permission it is 403', async () => {
  expect((await world.powerless.get(path)).status).toBe(403)
})

describe('a cursor', () => {
  const cursorOf = async (query: object) =>
    (await world.owner.get(path, { query: { limit: 2, ...query } })).body.pagination.nextCursor
  const follow = (query: object, client = world.owner) => client.get(path, { query: query as never })

  test.each([
    ['other filters', {}, { agentId: 'agt_1' }],
    ['fewer filters', { agentId: 'agt_1' }, {}],
    ['other states', { states: 'queued' }, { states: 'running' }],
    ['another sort', {}, { sort: 'updatedAt' }],
    ['another order', {}, { order: 'asc' }],
  ])('with %s is 422', async (_what, given, then) => {
    const { status, body } = await follow({ ...then, cursor: await cursorOf(given) })
    expect([status, body.error.code]).toEqual([422, 'invalid_cursor'])
  })

  test('of another organization is 422', async () => {
    expect((await follow({ cursor: await cursorOf({}) }, world.foreigner)).status).toBe(422)
  })

  test('of the list of steps is 422, and the other way round', async () => {
    const steps = await world.owner.get(`${path}/${runId(1)}/steps`, { query: { cursor: await cursorOf({}) } })
    expect(steps.status).toBe(422)
  })

  test.each(['x', 'AAAA', '', '-'.repeat(2000), '{"id":1}'])('like %j is 422', async (cursor) => {
    expect((await follow({ cursor })).status).toBe(422)
  })

  test('takes another limit, and states in another order', async () => {
    const cursor = await cursorOf({ states: 'queued,running' })
    expect((await follow({ states: ['running', 'queued'], cursor, limit: 5 })).body.agentRuns).toHaveLength(5)
  })
})

test.each([
  ['limit', '0'],
  ['limit', '101'],
  ['limit', 'x'],
  ['limit', '1.5'],
  ['sort', 'state'],
  ['order', 'up'],
  ['states', 'sleeping'],
  ['states', 'queued,'],
  ['states', ''],
  ['agentId', ''],
])('the query %s=%s is 422', async (name, value) => {
  const { status, body } = await world.owner.get(path, { query: { [name]: value } })
  expect([status, body.error.code]).toEqual([422, 'validation_failed'])
})

test('an unknown parameter is refused by its name', async () => {
  const { status, body } = await world.owner.get(path, { query: { colour: 'red' } })
  expect([status, body.error.code]).toEqual([422, 'unknown_parameter'])
  expect(body.error.details.issues[0].path).toBe('/query/colour')
})

const walks = ['update', 'creation', 'project', 'environment', 'job', 'agent', 'creator', 'state'] as const
const shapes: RunListShape[] = walks.flatMap((walk) =>
  (['asc', 'desc'] as const).flatMap((order) =>
    [false, true].map((resumed) => ({ walk, order, resumed, filters: [], states: 0 })),
  ),
)

test.each(shapes)(
  'the walk by $walk, $order, resumed: $resumed, is one search of an index, without a sort',
  async (shape) => {
    const { list } = runListQueries(shape)
    const { sql, parameters } = list(world.store, {
      organizationId: 'o',
      walked: 'w',
      id: 'r',
      updatedAt: 1,
      limit: 21,
    })
    const plan = await world.store.all<{ detail: string }>({ sql: `explain query plan ${sql}`, parameters })
    const steps = plan.map(({ detail }) => detail)
    expect(steps.filter((detail) => detail.startsWith('SEARCH runs USING INDEX runs_by_'))).toHaveLength(1)
    // what is scanned is the stretch that the walk has found
    expect(steps.filter((detail) => !detail.startsWith('SEARCH runs'))).toEqual(['CO-ROUTINE walked', 'SCAN walked'])
  },
)
