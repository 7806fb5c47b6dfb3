/** Statistics of runs: what they include, permissions, and live runs. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { keptMs } from '../../../src/runs/statistics/window.ts'
import { pruneTallies } from '../../../storage/runs/run-tallies.ts'
import { insertRun } from '../../../storage/runs/runs.ts'
import { nextRows } from '../../../storage/runtime/removal.ts'
import type { RunRow } from '../../../storage/tables.ts'
import { environment, organizations, project } from '../world.ts'
import { day, hour, minute, openWorld, path, second, totals, type World } from './world.ts'

const otherProject = project.replaceAll('1', '2')
const otherEnvironment = environment.replaceAll('1', '2')

let world: World
beforeAll(async () => {
  world = await openWorld()
  await world.plant(project, environment, otherEnvironment)
  await world.plant(otherProject)
})
afterAll(() => world?.close())
// each test uses two separate days
beforeEach(() => world.clock.advance(2 * day))

describe('a run', () => {
  test('none: nothing is counted or measured', async () => {
    const nothing = { count: 0, p50Ms: null, p90Ms: null, p99Ms: null }
    const figures = await world.figures()
    expect(figures).toMatchObject({ interval: 'hour', totals: totals(), queueTime: nothing, workTime: nothing })
    expect(figures.buckets).toHaveLength(25)
    expect(figures.current).toEqual({
      queued: 0,
      acquiring: 0,
      starting: 0,
      running: 0,
      awaitingToolResult: 0,
      awaitingDelegateResult: 0,
      canceling: 0,
      oldestQueuedAt: null,
    })
  })

  test('is counted when it ends, not when it begins', async () => {
    const id = await world.start()
    await world.runner.begin(id)
    expect((await world.figures()).totals).toEqual(totals())
    world.clock.advance(3 * hour)
    await world.runner.complete(id)
    const { buckets } = await world.figures()
    expect(buckets.at(-1).completed).toBe(1)
  })

  test.each([['in memory'], ['read again after a restart']])(
    'that is continued counts again, with the times since then: %s',
    async (how) => {
      const id = await world.ran('completed', { queueMs: second, workMs: second })
      world.clock.advance(5 * hour)
      const { status } = await world.owner.post(`${path}/${id}/continue`, { query: 'Go on' })
      expect(status).toBe(200)
      if (how !== 'in memory') world.forget(id)
      world.clock.advance(second)
      await world.runner.begin(id)
      if (how !== 'in memory') world.forget(id)
      world.clock.advance(second)
      await world.end(id, 'failed')
      const figures = await world.figures()
      expect(figures.totals).toEqual(totals({ completed: 1, failed: 1 }))
      expect(figures.queueTime).toMatchObject({ count: 2, p50Ms: 768 })
      expect(figures.workTime).toMatchObject({ count: 2, p99Ms: 1019 })
    },
  )

  test('that never started has no queue time and no work time', async () => {
    await world.ran('canceled', { queueMs: hour })
    const figures = await world.figures()
    expect(figures.totals).toEqual(totals({ canceled: 1 }))
    expect([figures.queueTime.count, figures.workTime.count]).toEqual([0, 0])
  })
})

describe('the scope', () => {
  beforeEach(async () => {
    await world.ran('completed')
    await world.ran('failed', { place: { projectId: project, environmentId: environment } })
    await world.ran('completed', { place: { projectId: project, environmentId: otherEnvironment } })
    await world.ran('canceled', { place: { projectId: otherProject } })
    await world.queued({ projectId: project, environmentId: environment })
  })

  const everything = totals({ completed: 2, failed: 1, canceled: 1 })
  const ofProject = totals({ completed: 1, failed: 1 })
  test.each([
    ['owner', {}, everything],
    ['owner', { projectId: project }, ofProject],
    ['owner', { environmentId: environment }, totals({ failed: 1 })],
    ['owner', { projectId: project, environmentId: environment }, totals({ failed: 1 })],
    ['owner', { projectId: otherProject, environmentId: environment }, totals()],
    ['bound', {}, ofProject],
    ['bound', { environmentId: otherEnvironment }, totals({ completed: 1 })],
    ['bound', { projectId: otherProject }, totals()],
    ['granted', {}, totals({ completed: 1, failed: 1, canceled: 1 })],
    ['granted', { projectId: otherProject }, totals({ canceled: 1 })],
    ['foreigner', {}, totals()],
    ['foreigner', { projectId: project }, totals()],
  ] as const)('of %s with %j is that of the list', async (who, query, expected) => {
    const figures = await world.figures(query, world[who])
    expect(figures.totals).toEqual(expected)
    const live = await world[who].get(path, { query: { ...query, states: 'queued', limit: 100 } })
    expect(figures.current.queued).toBe(live.body.agentRuns.length)
    expect(figures.current.oldestQueuedAt).toBe(live.body.agentRuns.at(-1)?.createdAt ?? null)
  })

  test.each(['powerless', 'boundToAgent'] as const)('of %s is refused: 403', async (who) => {
    const { status, body } = await world[who].get(`${path}/statistics`)
    expect([status, body.error.code, body.error.details.permission]).toEqual([
      403,
      'permission_denied',
      'analytics:read',
    ])
  })

  test('is removed with its Project, hour by hour, and nothing else', async () => {
    await world.ran('failed', { queueMs: hour, place: { projectId: otherProject } })
    expect((await world.figures({ projectId: otherProject })).totals).toEqual(totals({ canceled: 1, failed: 1 }))
    const doomed = { target: 'project', id: otherProject, organizationId: organizations.ours } as const
    const { background } = world.store
    for (let rows = await nextRows(background, doomed); rows.length > 0; rows = await nextRows(background, doomed)) {
      for (const { writes } of rows) await background.commit(writes)
    }
    expect((await world.figures()).totals).toEqual(totals({ completed: 2, failed: 1 }))
  })
})

describe('invalid requests', () => {
  const past = (ms: number) => new Date(world.clock.now() - ms).toISOString()
  test.each([
    ['a malformed start', () => ({ from: 'yesterday' }), 'from'],
    ['an invalid date', () => ({ to: '2025-02-30T00:00:00Z' }), 'to'],
    ['an end before the start', () => ({ from: past(hour), to: past(2 * hour) }), 'from'],
    ['a start in the future', () => ({ from: past(-hour) }), 'from'],
    ['an end in the far future', () => ({ to: past(-2 * day) }), 'to'],
    ['a start before 1970', () => ({ from: '1969-12-31T23:00:00Z', to: '1970-01-02T00:00:00Z' }), 'from'],
    ['more than 400 days', () => ({ from: past(400 * day + 1) }), 'from'],
    ['more than 400 hours', () => ({ from: past(400 * hour + 1), interval: 'hour' }), 'interval'],
    ['another interval', () => ({ interval: 'week' }), 'interval'],
  ])('%s is refused: 422', async (_, query, name) => {
    const { status, body } = await world.owner.get(`${path}/statistics`, { query: query() as Record<string, string> })
    expect([status, body.error.code]).toEqual([422, 'validation_failed'])
    expect(body.error.details.issues[0].path).toBe(`/query/${name}`)
  })

  test.each([
    [7 * day, undefined, 'hour'],
    [7 * day + 1, undefined, 'day'],
    [hour, 'day', 'day'],
  ])('%d ms, divided into %s, is shown by the %s', async (length, interval, shown) => {
    const figures = await world.figures({ from: past(length), ...(interval && { interval }) })
    expect(figures.interval).toBe(shown)
    expect(Date.parse(figures.from)).toBeLessThanOrEqual(world.clock.now() - length)
    expect(Date.parse(figures.to)).toBeGreaterThanOrEqual(world.clock.now())
  })
})

describe('live runs', () => {
  test("are counted by state, and the queue's age is that of the run that could have been leased first", async () => {
    const other = await openWorld()
    const at = other.clock.now()
    for (const state of ['queued', 'acquiring', 'starting', 'running', 'awaitingToolResult', 'canceling']) {
      await other.startIn(state)
    }
    other.clock.advance(minute)
    await other.startIn('queued')
    expect((await other.figures()).current).toEqual({
      queued: 2,
      acquiring: 1,
      starting: 1,
      running: 1,
      awaitingToolResult: 1,
      awaitingDelegateResult: 0,
      canceling: 1,
      oldestQueuedAt: new Date(at).toISOString(),
    })
    await other.close()
  })

  test('are counted exactly, however many there are', async () => {
    const other = await openWorld()
    const id = await other.start()
    const row = await other.store.first<RunRow>({ sql: 'select * from runs where id = ?', parameters: [id] })
    const rows = Array.from({ length: 4_500 }, (_, place) => ({
      ...(row as RunRow),
      id: `run_${String(place).padStart(26, '0')}`,
      project_id: place % 3 === 0 ? project : null,
    }))
    await other.store.commit(rows.map((each) => insertRun(other.store, each)))
    expect((await other.figures()).current.queued).toBe(4_501)
    expect((await other.figures({ projectId: project })).current.queued).toBe(1_500)
    await other.close()
  })
})

test('statistics are kept for 400 days', async () => {
  const other = await openWorld()
  await other.ran('completed')
  const ended = other.clock.now()
  const prune = () => pruneTallies(other.store.background, other.clock.now() - keptMs, 500)
  other.clock.advance(400 * day)
  expect(await prune()).toBe(0)
  expect((await other.figures({ from: new Date(ended).toISOString() })).totals.completed).toBe(1)
  other.clock.advance(2 * day)
  expect(await prune()).toBe(1)
  expect(await prune()).toBe(0)
  await other.close()
})
