/** Delays, timeouts and retention of workflow runs. Source: contract 6. */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import { eventually } from '../../support/process.ts'
import { brokenOff, data } from '../../support/world/replies.ts'
import { anyParams, openWorld, type Run, type Served, stepsOf, type World } from './world.ts'

const clock = new HandClock()
const [minute, hour] = [60_000, 3_600_000]
let world: World
let served: Served
beforeAll(async () => {
  world = await openWorld({ clock, environment: { TROUPE_OPERATION_RETENTION_DAYS: '30' } })
  const find = { id: 'find', operation: 'shop.read', input: { what: 'x' } }
  served = await world.serving({
    patient: { params: anyParams, steps: [{ ...find, retry: { maxAttempts: 3, backoffMs: minute } }] },
    dozing: {
      params: anyParams,
      steps: [
        { id: 'one', operation: 'shop.echo', input: { n: 1 } },
        { id: 'nap', sleep: 30 * 24 * hour, after: ['one'], when: '{{steps.one.output.n}} == 1' },
        { id: 'none', sleep: hour, when: '{{steps.one.output.n}} == 2' },
        { id: 'two', operation: 'shop.echo', input: { slept: '{{steps.nap.output}}' } },
      ],
    },
    ordered: {
      params: anyParams,
      steps: [{ id: 'paid', waitFor: { event: 'paid', correlation: 'A-17', timeoutMs: 48 * hour } }],
    },
    held: { params: anyParams, steps: [{ id: 'ask', operation: 'shop.approved' }] },
    quick: { params: anyParams, steps: [{ id: 'say', operation: 'shop.echo' }] },
    stuck: {
      params: anyParams,
      steps: [
        { id: 'say', operation: 'shop.echo' },
        { id: 'charge', operation: 'shop.charge', input: { what: 'x' }, after: ['say'] },
      ],
    },
  })
})
afterAll(() => world?.stop())

const attempted = (id: string, attempts: number) =>
  eventually(`attempt ${attempts}, over`, async () => {
    const run = await world.get(served, id)
    return run.steps[0]!.attempts === attempts && run.steps[0]!.state !== 'running' && run
  })

test('a step is retried when its delay has passed, and not before', async () => {
  world.shop.answer = () => new Response(null, { status: 503 })
  const { workflowRunId: id } = await data<Run>(world.start(served, 'patient'))
  expect((await attempted(id, 1)).steps[0]!).toMatchObject({ state: 'pending', error: { code: 'tool_error' } })
  clock.advance(minute - 1)
  expect(stepsOf(await world.get(served, id))).toBe('find:pending')
  clock.advance(1)
  expect((await attempted(id, 2)).state).toBe('running')
  clock.advance(minute)
  expect(await attempted(id, 3)).toMatchObject({ state: 'failed', steps: [{ state: 'failed' }] })
  expect(world.shop.asked).toHaveLength(3)
})

test('a run that waits for another attempt is canceled immediately, and the attempt is never made', async () => {
  const { workflowRunId: id } = await data<Run>(world.start(served, 'patient'))
  await attempted(id, 1)
  const before = world.shop.asked.length
  expect((await data<Run>(world.owner.post(`${served.path}/${id}/cancel`))).state).toBe('canceled')
  clock.advance(hour)
  expect(world.rows('select 1 from timers where actor_id = ?', id)).toEqual([])
  expect(world.shop.asked).toHaveLength(before)
})

const month = 30 * 24 * hour

test('a step sleeps for its time, and the run waits', async () => {
  const run = await world.run(served, 'dozing')
  expect([run.state, stepsOf(run)]).toEqual(['waiting', 'one:succeeded nap:waiting none:skipped two:pending'])
  const { startedAt, operation, waitsUntil } = run.steps[1]!
  expect([operation, Date.parse(waitsUntil!) - Date.parse(startedAt!)]).toEqual([null, month])
  clock.advance(month - minute)
  expect((await world.get(served, run.workflowRunId)).state).toBe('waiting')
  clock.advance(minute)
  const ended = await world.until(served, run.workflowRunId, ['completed'])
  expect(stepsOf(ended)).toBe('one:succeeded nap:succeeded none:skipped two:succeeded')
  expect(ended.steps[1]).toMatchObject({ attempts: 1, output: null, error: null, waitsUntil: null })
  expect(ended.steps[3]!.output).toEqual({ slept: null })
})

test('a run that sleeps is canceled at once, with its step', async () => {
  const { workflowRunId: id } = await world.run(served, 'dozing')
  const run = await data<Run>(world.owner.post(`${served.path}/${id}/cancel`))
  expect([run.state, stepsOf(run)]).toEqual(['canceled', 'one:succeeded nap:canceled none:skipped two:canceled'])
  expect(world.rows('select 1 from timers where actor_id = ?', id)).toEqual([])
})

test('an event is kept for 24 hours', async () => {
  const send = () =>
    data(world.owner.post(`${served.place.path}/workflow-events`, { event: 'paid', correlation: 'A-17' }))
  await send()
  clock.advance(24 * hour)
  await send()
  const [first, second] = [await world.run(served, 'ordered'), await world.run(served, 'ordered')]
  expect([(await world.until(served, first.workflowRunId, ['completed'])).state, second.state]).toEqual([
    'completed',
    'waiting',
  ])
  clock.advance(48 * hour)
  expect(await world.until(served, second.workflowRunId, ['failed'])).toMatchObject({
    steps: [{ error: { code: 'wait_timed_out' } }],
  })
  await eventually('no more events and waits', async () => {
    clock.advance(10 * minute)
    return world.rows('select id from workflow_events').length === 0
  })
  expect(world.rows('select 1 from workflow_waits')).toEqual([])
})

test('an event that a run was given and has not looked at yet is kept for longer than a day, as nothing else is', async () => {
  const { workflowRunId: id } = await world.run(served, 'ordered')
  const of = [world.ours, served.place.environmentId] as const
  for (const [event, age] of Object.entries({ wev_given: 0, wev_old: 24, wev_new: 23 })) {
    world.rows(
      `insert into workflow_events (id, organization_id, environment_id, event, correlation, data, is_kept, created_at)
        values (?, ?, ?, 'paid', 'elsewhere', 'null', 1, ?)`,
      ...[event, ...of, clock.now() - age * hour],
    )
  }
  world.rows("update workflow_waits set event_id = 'wev_given' where workflow_run_id = ?", id)
  // not before it is given: a removal that still goes on would take it
  world.rows("update workflow_events set created_at = ? where id = 'wev_given'", clock.now() - 25 * hour)
  const left = () => world.rows<{ id: string }>('select id from workflow_events order by id').map((row) => row.id)
  await eventually('the removal of the old one', async () => {
    clock.advance(minute)
    return !left().includes('wev_old')
  })
  expect(left()).toEqual(['wev_given', 'wev_new'])
  await data(world.owner.post(`${served.path}/${id}/cancel`))
})

test('an undecided approval expires, and its step fails', async () => {
  const { workflowRunId: id } = await world.run(served, 'held')
  clock.advance(72 * hour)
  const run = await world.until(served, id, ['failed'])
  expect(run.steps[0]).toMatchObject({ state: 'failed', error: { code: 'approval_expired' } })
})

test('with a retention of 30 days a run is deleted that long after its end, with all its records; a stopped one is kept with its invocations', async () => {
  world.shop.answer = brokenOff
  const { workflowRunId: stuck } = await data<Run>(world.start(served, 'stuck'))
  const isAsked = () => world.shop.asked.some(({ path }) => path.includes('/charge/'))
  await eventually('the charge', async () => isAsked())
  clock.advance(100)
  expect((await world.until(served, stuck)).state).toBe('unknown')
  const body = { requestKey: 'quick' }
  const { workflowRunId: quick } = await data<Run>(world.start(served, 'quick', body))
  await world.until(served, quick, ['completed'])
  clock.advance(30 * 24 * hour)
  await eventually('the removal of the run and its invocation', () => {
    clock.advance(10 * minute)
    return Promise.resolve(leftOf(quick) === 0)
  })
  expect((await world.owner.get(`${served.path}/${quick}`)).status).toBe(404)
  expect(world.rows('select 1 from operation_invocations where workflow_run_id = ?', stuck)).toHaveLength(2)
  expect((await world.get(served, stuck)).state).toBe('unknown')
  expect((await data<Run>(world.start(served, 'quick', body))).workflowRunId).not.toBe(quick)
})

const leftOf = (id: string) => {
  const tables = [
    ['workflow_runs', 'id'],
    ['workflow_values', 'workflow_run_id'],
    ['operation_invocations', 'workflow_run_id'],
    ['transitions', 'actor_id'],
  ]
  return tables.reduce(
    (sum, [table, column]) => sum + world.rows(`select 1 from ${table} where ${column} = ?`, id).length,
    0,
  )
}
