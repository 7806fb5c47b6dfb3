import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type RunListShape, type RunWalk, runListQueries, runWalks } from '../../../storage/runs/run-lists.ts'
import { insertRun } from '../../../storage/runs/runs.ts'
import type { RunRow } from '../../../storage/tables.ts'
import { id } from '../tenants.ts'
import { environment, openWorld, project } from '../world.ts'
import { aJob, anAgent, anotherAgent, type ListedRuns, openListedRuns, row, runId } from './listed-runs.ts'

const path = '/api/v1/agent-runs'
let world: ListedRuns
beforeAll(async () => {
  world = await openListedRuns()
})
afterAll(() => world?.close())

const given = {
  projectId: project,
  environmentId: environment,
  agentId: anAgent,
  agentJobId: aJob,
  createdBy: 'key_other',
} as const
type Filter = keyof typeof given
const columns = {
  projectId: 'project_id',
  environmentId: 'environment_id',
  agentId: 'agent_id',
  agentJobId: 'agent_job_id',
  createdBy: 'created_by_id',
} as const satisfies Record<Filter, keyof RunRow>

/** All combinations of filters. */
const combinations = Array.from({ length: 2 ** 5 }, (_, bits) =>
  (Object.keys(given) as Filter[]).filter((_, place) => bits & (1 << place)),
)
/** None, those that runs only pass through, those in which they stay, and both. */
const statesAsked = [
  undefined,
  ['running', 'queued', 'canceling'],
  ['completed', 'awaitingToolResult'],
  ['failed', 'running', 'expired'],
]

const orders = [
  { sort: 'createdAt', order: 'desc' },
  { sort: 'createdAt', order: 'asc' },
  { sort: 'updatedAt', order: 'desc' },
  { sort: 'updatedAt', order: 'asc' },
] as const

describe.each(orders)('the list by $sort, $order', ({ sort, order }) => {
  const sign = order === 'asc' ? 1 : -1
  const inOrder = (a: RunRow, b: RunRow) =>
    sign * ((sort === 'updatedAt' ? a.updated_at - b.updated_at : 0) || (a.id < b.id ? -1 : 1))

  test.each(combinations)('by %p %p %p %p %p is complete, in order and without repeats', async (...filters) => {
    const named = filters.filter((name) => name in given)
    const query = Object.fromEntries(named.map((name) => [name, given[name]]))
    for (const wanted of statesAsked) {
      const request = { ...query, ...(wanted && { states: wanted }), sort, order }
      const expected = world.ours
        .filter((run) => named.every((name) => run[columns[name]] === given[name]))
        .filter((run) => wanted?.includes(run.state) ?? true)
        .sort(inOrder)
      expect([request, await world.all(request, 7)]).toEqual([request, expected.map(({ id }) => id)])
    }
  })

  test.each([
    ['an Agent outside of Projects', { agentId: 'agt_system_1' }, (run: RunRow) => run.agent_id === 'agt_system_1'],
    ["another organization's Project", { projectId: id('prj', '8') }, () => false],
    ["another organization's Environment", { environmentId: id('env', '8') }, () => false],
    ['nobody', { createdBy: 'key_nobody' }, () => false],
    ['an Environment of another Project', { projectId: id('prj', '2'), environmentId: environment }, () => false],
    ['an Agent of another Project', { projectId: id('prj', '2'), agentId: anotherAgent }, () => false],
  ])('of %s', async (_, filter: Record<string, string>, passes) => {
    const expected = world.ours.filter(passes).sort(inOrder)
    expect(await world.all({ ...filter, sort, order }, 7)).toEqual(expected.map(({ id }) => id))
    const settled = expected.filter(({ state }) => state === 'completed')
    expect(await world.all({ ...filter, states: 'completed', sort, order }, 3)).toEqual(settled.map(({ id }) => id))
  })
})

describe('the forks of a run', () => {
  const forkedFrom = runId(9)
  const of = (passes: (run: RunRow) => boolean) =>
    world.ours.filter((run) => run.forked_from === forkedFrom && passes(run)).map(({ id }) => id)

  test.each<[string, Record<string, string>, (run: RunRow) => boolean]>([
    ['all', {}, () => true],
    ['of a Project', { projectId: id('prj', '2') }, (run) => run.project_id === id('prj', '2')],
    ['that have completed', { states: 'completed' }, ({ state }) => state === 'completed'],
    ['of a creator', { createdBy: 'key_other' }, (run) => run.created_by_id === 'key_other'],
    ['that are live', { states: 'running,queued' }, ({ state }) => state === 'running' || state === 'queued'],
    ['of none', { forkedFrom: runId(2) }, () => false],
  ])('%s are complete, in order and without repeats', async (_, query, passes) => {
    const expected = of(passes)
    expect(await world.all({ forkedFrom, ...query, order: 'asc' }, 3)).toEqual(expected)
    expect(await world.all({ forkedFrom, ...query }, 3)).toEqual(expected.toReversed())
  })

  test('are those of the organization', async () => {
    const forks = await world.all({ forkedFrom }, 50, world.foreigner)
    expect([forks.length > 0, forks.some((run) => of(() => true).includes(run))]).toEqual([true, false])
  })
})

test('newest first, 20 runs, by default', async () => {
  const { body } = await world.owner.get(path)
  expect(body.agentRuns.map(({ id }: { id: string }) => id)).toEqual(
    world.ours
      .slice(-20)
      .map(({ id }) => id)
      .reverse(),
  )
  expect(body.pagination).toEqual({ limit: 20, hasMore: true, nextCursor: expect.any(String) })
})

test('the last page has no cursor', async () => {
  const { body } = await world.owner.get(path, { query: { agentJobId: aJob, limit: 20 } })
  expect([body.agentRuns.length, body.pagination]).toEqual([20, { limit: 20, hasMore: false }])
})

test('a key that is bound to a Project sees only its runs, filtered before paging', async () => {
  const bound = world.ours
    .filter((run) => run.project_id === project)
    .map(({ id }) => id)
    .reverse()
  expect(await world.all({}, 50, world.bound)).toEqual(bound)
  expect(await world.all({ projectId: id('prj', '9') }, 50, world.bound)).toEqual([])
  expect(await world.all({ environmentId: environment }, 50, world.bound)).toHaveLength(60)
})

test('a key that is bound to an Agent sees its runs in every order, and by every filter', async () => {
  const bound = world.ours.filter((run) => run.project_id === project && run.agent_id === anAgent)
  const byUpdate = bound.toSorted((a, b) => b.updated_at - a.updated_at || (a.id < b.id ? 1 : -1))
  expect(await world.all({ sort: 'updatedAt' }, 7, world.boundToAgent)).toEqual(byUpdate.map(({ id }) => id))
  const ofOther = bound.filter((run) => run.created_by_id === 'key_other').map(({ id }) => id)
  expect(await world.all({ createdBy: 'key_other' }, 2, world.boundToAgent)).toEqual(ofOther.reverse())
})

test('a member sees the runs of the Projects of their grants, in any order and of any state', async () => {
  const granted = world.ours.filter((run) => run.project_id !== null)
  const newest = (rows: RunRow[]) => rows.map(({ id }) => id).reverse()
  expect(await world.all({}, 50, world.granted)).toEqual(newest(granted))
  expect(await world.all({ createdBy: 'key_other' }, 7, world.granted)).toEqual(
    newest(granted.filter((run) => run.created_by_id === 'key_other')),
  )
  expect(await world.all({ states: ['completed', 'queued'] }, 7, world.granted)).toEqual(
    newest(granted.filter((run) => ['completed', 'queued'].includes(run.state))),
  )
  expect(await world.all({ projectId: project }, 50, world.granted)).toEqual(
    newest(granted.filter((run) => run.project_id === project)),
  )
  expect(await world.all({ projectId: id('prj', '9') }, 50, world.granted)).toEqual([])
  const byUpdate = granted.toSorted((a, b) => b.updated_at - a.updated_at || (a.id < b.id ? 1 : -1))
  expect(await world.all({ sort: 'updatedAt' }, 7, world.granted)).toEqual(byUpdate.map(({ id }) => id))
})

test('another organization sees its own', async () => {
  expect(await world.all({}, 50, world.foreigner)).toHaveLength(20)
  expect(await world.all({ projectId: project }, 50, world.foreigner)).toEqual([])
})

test('finds the few among very many', async () => {
  const other = await openWorld()
  try {
    const needles = new Set([0, 999, 1_000, 3_400])
    const many = Array.from({ length: 3_500 }, (_, index) =>
      row(index, {
        agent_id: anAgent,
        state: 'queued',
        created_by_id: needles.has(index) ? 'key_rare' : 'key_often',
      }),
    )
    await other.store.commit(many.map((each) => insertRun(other.store, each)))
    const found = [3_400, 1_000, 999, 0].map(runId)
    for (const limit of [1, 3, 4, 10]) {
      const rare = { agentId: anAgent, createdBy: 'key_rare' }
      expect(await world.all({ ...rare, states: 'queued' }, limit, other.owner)).toEqual(found)
      expect(await world.all({ ...rare, states: ['running', 'queued'] }, limit, other.owner)).toEqual(found)
      expect(await world.all(rare, limit, other.owner)).toEqual(found)
    }
  } finally {
    await other.close()
  }
})

test('without the permission it is 403', async () => {
  expect((await world.powerless.get(path)).status).toBe(403)
})

const shapes: RunListShape[] = (Object.keys(runWalks) as RunWalk[]).flatMap((walk) =>
  (['asc', 'desc'] as const).flatMap((order) =>
    [false, true].map((resumed) => ({ walk, order, resumed, beside: ['created_by_id' as const] })),
  ),
)

test.each(shapes)(
  'the walk by $walk, $order, resumed: $resumed, is one search of its index by all its columns, without a sort',
  async (shape) => {
    const queries = runListQueries(shape)
    const { index } = runWalks[shape.walk]
    const indexed = await world.store.all<{ name: string }>({ sql: `pragma index_info(${index})`, parameters: [] })
    const lookedUp = indexed.map(({ name }) => name).filter((name) => name !== 'id' && name !== 'updated_at')
    const found = `INDEX ${index} (${lookedUp.map((column) => `${column}=?`).join(' AND ')}`
    const values = { organization_id: 'o', id: 'r', updatedAt: 1, limit: 21 }
    for (const { sql, parameters } of [queries.rows(world.store, values), queries.positions(world.store, values)]) {
      const plan = await world.store.all<{ detail: string }>({ sql: `explain query plan ${sql}`, parameters })
      const steps = plan.map(({ detail }) => detail)
      const [search] = steps.filter((detail) => detail.startsWith('SEARCH runs'))
      expect(search).toContain(found)
      expect(/[<>]/.test(search as string)).toBe(shape.resumed)
      // the scan reads only the part that the walk has found
      expect(steps.filter((detail) => detail !== search)).toEqual(['CO-ROUTINE walked', 'SCAN walked'])
    }
  },
)
