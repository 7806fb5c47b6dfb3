/** Events that steps of workflows wait for. Source: contract 14, "Workflows". */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eventually } from '../../support/process.ts'
import { data } from '../../support/world/replies.ts'
import { fillUp } from '../../tenancy/quotas/fill.ts'
import { anyParams, openWorld, type Run, type Served, stepsOf, type World } from './world.ts'

let world: World
let served: Served
const day = 86_400_000
const waitFor = (more: object = {}) => ({
  id: 'paid',
  waitFor: { event: 'payment.received', correlation: '{{params.order}}', timeoutMs: 30 * day, ...more },
})
const tell = { id: 'tell', operation: 'shop.echo', input: { sum: '{{steps.paid.output.sum}}' } }

beforeAll(async () => {
  world = await openWorld()
  served = await world.serving({
    wait: { params: anyParams, steps: [waitFor(), tell] },
    late: {
      params: anyParams,
      steps: [{ id: 'ask', operation: 'shop.approved' }, { ...waitFor(), after: ['ask'] }, tell],
    },
    impatient: {
      params: anyParams,
      steps: [{ ...waitFor({ timeoutMs: 1 }), onError: 'continue', retry: { maxAttempts: 2, backoffMs: 0 } }, tell],
    },
    beside: {
      params: anyParams,
      steps: [waitFor(), tell, { id: 'ask', operation: 'shop.approved' }],
    },
    crowd: {
      params: anyParams,
      steps: Array.from({ length: 20 }, (_, index) => ({ ...waitFor(), id: `paid-${index}`, onError: 'continue' })),
    },
    unasked: {
      params: anyParams,
      steps: [{ ...waitFor(), when: '{{params.order}} == "none"' }, tell],
    },
  })
})
afterAll(() => world?.stop())

const send = (body: object, headers: Record<string, string> = {}) =>
  world.owner.post(`${served.place.path}/workflow-events`, { event: 'payment.received', ...body }, { headers })
const started = async (name: string, params: object) =>
  (await data<Run>(world.start(served, name, { params }))).workflowRunId
const waiting = async (name: string, params: object) => {
  const id = await started(name, params)
  await world.until(served, id, ['waiting'])
  // it has looked whether its event was there already
  await eventually(`the look of ${id}`, () => world.rows('select id from effects where actor_id = ?', id).length === 0)
  return id
}
const completed = (id: string) => world.until(served, id, ['completed'])

describe('an event', () => {
  test('ends the wait of every run that waits for it, and is the output of the step', async () => {
    const ids = [await waiting('wait', { order: 'A-1' }), await waiting('wait', { order: 'A-1' })]
    const other = await waiting('wait', { order: 'A-2' })
    expect((await world.get(served, ids[0]!)).steps[0]).toMatchObject({
      state: 'waiting',
      operation: null,
      waitsFor: { event: 'payment.received', correlation: 'A-1' },
      waitsUntil: expect.any(String),
    })
    const { status, body } = await send({ correlation: 'A-1', data: { sum: 7 } })
    expect([status, body.data]).toEqual([
      202,
      {
        id: expect.stringMatching(/^wev_/),
        event: 'payment.received',
        correlation: 'A-1',
        createdAt: expect.any(String),
      },
    ])
    for (const id of ids) {
      const run = await completed(id)
      expect([stepsOf(run), run.steps[0]!.output, run.steps[1]!.output]).toEqual([
        'paid:succeeded tell:succeeded',
        { sum: 7 },
        { sum: 7 },
      ])
    }
    expect((await world.get(served, other)).state).toBe('waiting')
  })

  test('that comes first is given to the first wait for it, and to no other', async () => {
    await data(send({ correlation: 'B-1', data: { sum: 1 } }))
    await data(send({ correlation: 'B-1', data: { sum: 2 } }))
    const sums = []
    for (let each = 0; each < 2; each += 1)
      sums.push((await completed(await started('wait', { order: 'B-1' }))).steps[1]!.output)
    expect(sums).toEqual([{ sum: 1 }, { sum: 2 }])
    expect((await world.get(served, await waiting('wait', { order: 'B-1' }))).state).toBe('waiting')
  })

  test.each([
    ['of another name', { event: 'payment.refunded' }],
    ['with another correlation', { correlation: 'E-0' }],
  ])('%s ends no wait, neither when it comes nor when one begins later', async (_, changes) => {
    for (const order of ['E-1', 'E-2']) {
      const before = order === 'E-1' ? await waiting('wait', { order }) : undefined
      await data(send({ correlation: order, data: { sum: 1 }, ...changes }))
      const id = before ?? (await waiting('wait', { order }))
      await data(send({ correlation: order, data: { sum: 2 } }))
      expect((await completed(id)).steps[1]!.output).toEqual({ sum: 2 })
    }
  })

  test('that ended a wait is not kept for others', async () => {
    const id = await waiting('wait', { order: 'C-1' })
    await data(send({ correlation: 'C-1' }))
    expect((await completed(id)).steps[0]!.output).toBeNull()
    await waiting('wait', { order: 'C-1' })
  })

  test('that comes while its run does something else is there when the run waits for it', async () => {
    const id = await waiting('late', { order: 'D-1' })
    await data(send({ correlation: 'D-1', data: { sum: 3 } }))
    const [approval] = await world.approvals(served)
    await data(world.decide(served, approval!.id, 'approve'))
    expect((await completed(id)).steps[2]!.output).toEqual({ sum: 3 })
  })

  test('correlates with a number as text', async () => {
    const id = await waiting('wait', { order: 17 })
    await data(send({ correlation: '17' }))
    await completed(id)
  })

  test('is accepted once with an Idempotency-Key', async () => {
    const key = { 'idempotency-key': 'E-1' }
    const [first, again] = [await send({ correlation: 'E-1' }, key), await send({ correlation: 'E-1' }, key)]
    expect(again.body.data).toEqual(first.body.data)
    await completed(await started('wait', { order: 'E-1' }))
    await waiting('wait', { order: 'E-1' })
    expect((await send({ correlation: 'E-2' }, key)).body.error.code).toBe('idempotency_key_reused')
  })

  test('sent at the same time as its run starts to wait is never lost', async () => {
    const orders = Array.from({ length: 8 }, (_, index) => `F-${index}`)
    const ids = await Promise.all(
      orders.map(async (order) => {
        const [id] = await Promise.all([
          started('wait', { order }),
          data(send({ correlation: order, data: { sum: 1 } })),
        ])
        return id
      }),
    )
    for (const id of ids) expect((await completed(id)).steps[1]!.output).toEqual({ sum: 1 })
  })
})

describe('an event that a run was given and has not looked at yet', () => {
  /** As after a crash in between. */
  const give = (correlation: string, sum: number, ids: readonly string[]) => {
    const event = `wev_given_${correlation}`
    world.rows(
      `insert into workflow_events (id, organization_id, environment_id, event, correlation, data, is_kept, created_at)
        values (?, ?, ?, 'payment.received', ?, ?, 0, ?)`,
      ...[event, world.ours, served.place.environmentId, correlation, JSON.stringify({ sum }), world.clock.now()],
    )
    for (const id of ids) world.rows('update workflow_waits set event_id = ? where workflow_run_id = ?', event, id)
  }
  const cancel = (id: string) => data<Run>(world.owner.post(`${served.path}/${id}/cancel`))
  const given = (id: string) =>
    world.rows<{ event_id: string | null }>('select event_id from workflow_waits where workflow_run_id = ?', id)
  const notGiven = [{ event_id: null }]
  /** Its time has passed, and its run does not know it yet. */
  const passTimeOf = (id: string) => world.rows('update workflow_waits set until_at = 0 where workflow_run_id = ?', id)
  const sumOf = async (id: string) => (await completed(id)).steps[1]!.output

  test('goes to those that wait when the run is canceled', async () => {
    const first = await waiting('wait', { order: 'K-1' })
    give('K-1', 8, [first])
    const others = [await waiting('wait', { order: 'K-1' }), await waiting('wait', { order: 'K-1' })]
    const elsewhere = await waiting('wait', { order: 'K-2' })
    const late = await waiting('wait', { order: 'K-1' })
    passTimeOf(late)
    expect(stepsOf(await cancel(first))).toBe('paid:canceled tell:canceled')
    expect(given(late)).toEqual(notGiven)
    for (const id of others) expect(await sumOf(id)).toEqual({ sum: 8 })
    expect((await world.get(served, elsewhere)).state).toBe('waiting')
    await waiting('wait', { order: 'K-1' })
  })

  test('is kept for the next wait if none waits', async () => {
    const first = await waiting('wait', { order: 'L-1' })
    give('L-1', 9, [first])
    await cancel(first)
    expect(await sumOf(await started('wait', { order: 'L-1' }))).toEqual({ sum: 9 })
    await waiting('wait', { order: 'L-1' })
  })

  test('stays with the other runs that have it', async () => {
    const [first, second] = [await waiting('wait', { order: 'M-1' }), await waiting('wait', { order: 'M-1' })]
    give('M-1', 10, [first, second])
    const third = await waiting('wait', { order: 'M-1' })
    await cancel(first)
    expect(given(third)).toEqual(notGiven)
    await cancel(second)
    expect(await sumOf(third)).toEqual({ sum: 10 })
  })

  test('is not passed on if another run took it', async () => {
    const [first, second] = [await waiting('wait', { order: 'N-1' }), await waiting('wait', { order: 'N-1' })]
    passTimeOf(second)
    const { id: event } = await data<{ id: string }>(send({ correlation: 'N-1', data: { sum: 11 } }))
    expect(given(second)).toEqual(notGiven)
    expect(await sumOf(first)).toEqual({ sum: 11 })
    world.rows('update workflow_waits set event_id = ? where workflow_run_id = ?', event, second)
    const third = await waiting('wait', { order: 'N-1' })
    await cancel(second)
    await data(send({ correlation: 'N-1', data: { sum: 12 } }))
    expect(await sumOf(third)).toEqual({ sum: 12 })
  })

  test('is there again when the failed run is resumed', async () => {
    const id = await waiting('beside', { order: 'O-1' })
    give('O-1', 13, [id])
    const [approval] = await world.approvals(served)
    await data(world.decide(served, approval!.id, 'reject'))
    expect(stepsOf(await world.until(served, id, ['failed']))).toBe('paid:canceled tell:skipped ask:failed')
    await data(world.owner.post(`${served.path}/${id}/resume`))
    await world.until(served, id, ['waiting'])
    const [again] = await world.approvals(served)
    await data(world.decide(served, again!.id, 'approve'))
    expect(await sumOf(id)).toEqual({ sum: 13 })
  })
})

describe('a wait', () => {
  test('beside a thousand for the same event fails, and the event ends the thousand', async () => {
    const id = await waiting('wait', { order: 'J-1' })
    fillUp(world.file, 'workflow_waits', 'correlation', 'J-1', 1_001, (index) => ({ step_id: `other-${index}` }))
    const run = await world.run(served, 'wait', { order: 'J-1' })
    expect([run.state, run.steps[0]!.error?.code]).toEqual(['failed', 'too_many_waits'])
    await waiting('wait', { order: 'J-2' })
    await data(send({ correlation: 'J-1', data: { sum: 4 } }))
    expect((await completed(id)).steps[1]!.output).toEqual({ sum: 4 })
    await waiting('wait', { order: 'J-1' })
  })

  test('that begins with others at the same time is not beyond the thousand either', async () => {
    await waiting('wait', { order: 'K-1' })
    fillUp(world.file, 'workflow_waits', 'correlation', 'K-1', 991, (index) => ({ step_id: `other-${index}` }))
    const { steps } = await world.run(served, 'crowd', { order: 'K-1' })
    const failed = steps.filter(({ error }) => error?.code === 'too_many_waits')
    expect([steps.filter(({ state }) => state === 'waiting').length, failed.length]).toEqual([10, 10])
  })

  test('that was canceled takes no event', async () => {
    const id = await waiting('wait', { order: 'G-1' })
    const run = await data<Run>(world.owner.post(`${served.path}/${id}/cancel`))
    expect([run.state, stepsOf(run)]).toEqual(['canceled', 'paid:canceled tell:canceled'])
    await data(send({ correlation: 'G-1', data: { sum: 5 } }))
    expect((await completed(await started('wait', { order: 'G-1' }))).steps[1]!.output).toEqual({ sum: 5 })
  })

  test('fails when its time has passed, and is retried', async () => {
    const run = await completed(await started('impatient', { order: 'H-1' }))
    expect(run.steps[0]).toMatchObject({ state: 'failed', attempts: 2, error: { code: 'wait_timed_out' } })
    expect(run.steps[1]!.output).toEqual({ sum: null })
  })

  test('whose condition does not hold takes no event', async () => {
    expect(stepsOf(await completed(await started('unasked', { order: 'I-1' })))).toBe('paid:skipped tell:succeeded')
  })

  test.each([[{ a: 1 }], [null], [''], ['x'.repeat(257)], ['a\u0001b'], ['x'.repeat(5_000)]])(
    'with a correlation that is none fails: %j',
    async (order) => {
      const run = await world.run(served, 'wait', { order })
      expect([run.state, run.steps[0]!.error?.code]).toEqual(['failed', 'invalid_correlation'])
    },
  )
})

test.each<[object, string]>([
  [{ event: 'a b', correlation: 'x' }, '/body/event'],
  [{ event: 'x'.repeat(65), correlation: 'x' }, '/body/event'],
  [{ correlation: '' }, '/body/correlation'],
  [{ correlation: 'x'.repeat(257) }, '/body/correlation'],
  [{ correlation: 'a\u0000b' }, '/body/correlation'],
  [{}, '/body/correlation'],
  [{ correlation: 'x', data: 'x'.repeat(65_536) }, '/body/data'],
])('an event that is none is refused', async (body, path) => {
  const { status, body: answer } = await send(body)
  expect([status, answer.error.code]).toEqual([422, 'validation_failed'])
  expect(answer.error.details.issues.map((issue: { path: string }) => issue.path)).toEqual([path])
})
