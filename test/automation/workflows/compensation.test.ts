/** Steps that are taken back when a run fails or is canceled. Source: contract 14, "Workflows". */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { eventually } from '../../support/process.ts'
import { brokenOff, data } from '../../support/world/replies.ts'
import { anyParams, openWorld, type Run, type Served, stepsOf, type World } from './world.ts'

let world: World
let served: Served
const write = (what: string) => ({ operation: 'shop.write', input: { what } })
const booking = (id: string, more: object = {}) => ({
  id,
  ...write(id),
  compensate: write(`undo-${id}-{{steps.${id}.output.id}}-{{params.trip}}`),
  ...more,
})

beforeAll(async () => {
  world = await openWorld()
  served = await world.serving({
    trip: {
      params: anyParams,
      steps: [
        booking('hotel'),
        booking('flight', { after: ['hotel'] }),
        booking('car', { after: ['flight'], when: '{{params.car}}' }),
        { id: 'pay', ...write('pay'), after: ['car'] },
      ],
    },
    held: { params: anyParams, steps: [booking('hotel'), { id: 'ask', operation: 'shop.approved', after: ['hotel'] }] },
    doubtful: {
      params: anyParams,
      steps: [
        { ...booking('hotel'), operation: 'shop.charge' },
        { id: 'ask', operation: 'shop.approved' },
      ],
    },
    careful: {
      params: anyParams,
      steps: [
        { ...booking('hotel'), compensate: { operation: 'shop.approved', input: { what: 'hotel' } } },
        { id: 'pay', ...write('pay'), after: ['hotel'] },
      ],
    },
  })
})
afterAll(() => world?.stop())
beforeEach(() => {
  world.shop.asked.length = 0
  world.shop.answer = ({ path }) =>
    path.endsWith('/pay') ? new Response(null, { status: 402 }) : Response.json({ id: path.length })
})

const asked = () => world.shop.asked.map(({ path }) => path.split('/').at(-1))
const undone = ({ steps }: Run) => steps.map(({ compensation }) => compensation?.state ?? null)

test('a failed run takes back what was done, in reverse order, with the outputs of its steps', async () => {
  const run = await world.run(served, 'trip', { trip: 't' })
  expect([run.state, stepsOf(run)]).toEqual(['failed', 'hotel:succeeded flight:succeeded car:skipped pay:failed'])
  expect(undone(run)).toEqual(['succeeded', 'succeeded', null, null])
  expect(run.steps).toHaveLength(4)
  expect(run.steps[0]).toMatchObject({
    attempts: 1,
    compensation: { operation: 'shop.write', attempts: 1, error: null },
  })
  const [hotel, flight] = run.steps.map(({ output }) => (output as { id: number } | null)?.id)
  expect(asked()).toEqual(['hotel', 'flight', 'pay', `undo-flight-${flight}-t`, `undo-hotel-${hotel}-t`])
  const { items } = await data<{ items: { stepId: string; workflowRunId: string }[] }>(
    world.owner.get(`${served.place.path}/operation-invocations`, { query: { operation: 'shop.write', limit: 2 } }),
  )
  expect(items.map(({ stepId, workflowRunId }) => [stepId, workflowRunId])).toEqual([
    ['hotel:compensate', run.workflowRunId],
    ['flight:compensate', run.workflowRunId],
  ])
})

test('a compensation that fails stops no other, and the run can be resumed', async () => {
  let pays = 0
  world.shop.answer = ({ path }) => {
    if (path.endsWith('/pay')) pays += 1
    const fails = (path.endsWith('/pay') && pays === 1) || path.includes('undo-flight')
    return fails ? new Response(null, { status: 500 }) : Response.json({ id: 1 })
  }
  const run = await world.run(served, 'trip', { trip: 't', car: true })
  expect([run.state, undone(run)]).toEqual(['failed', ['succeeded', 'failed', 'succeeded', null]])
  expect(run.steps[1]!.compensation!.error?.code).toBe('tool_error')
  await data(world.owner.post(`${served.path}/${run.workflowRunId}/resume`))
  const resumed = await world.until(served, run.workflowRunId, ['completed'])
  expect([stepsOf(resumed), undone(resumed)]).toEqual([
    'hotel:succeeded flight:succeeded car:succeeded pay:succeeded',
    [null, null, null, null],
  ])
  const again = asked().slice(asked().lastIndexOf('undo-hotel-1-t') + 1)
  expect(again.sort()).toEqual(['car', 'hotel', 'pay'])
})

test('a canceled run takes back what was done before it is canceled', async () => {
  const { promise: released, resolve } = Promise.withResolvers<void>()
  world.shop.answer = async ({ path }) => {
    if (path.includes('undo')) await released
    return Response.json({ id: 1 })
  }
  const run = await world.run(served, 'held', { trip: 't' })
  expect(run.state).toBe('waiting')
  const canceled = await data<Run>(world.owner.post(`${served.path}/${run.workflowRunId}/cancel`))
  expect([canceled.state, stepsOf(canceled)]).toEqual(['canceling', 'hotel:succeeded ask:canceled'])
  await eventually('the compensation', async () => asked().includes('undo-hotel-1-t'))
  expect(undone(await world.get(served, run.workflowRunId))).toEqual(['running', null])
  resolve()
  expect(undone(await world.until(served, run.workflowRunId, ['canceled']))).toEqual(['succeeded', null])
})

describe('a step whose outcome is unknown', () => {
  /** A run with such a step, whose other step is not done yet. */
  async function doubtful(): Promise<string> {
    world.shop.answer = ({ path }) => (path.includes('/charge/') ? brokenOff() : Response.json({ id: 1 }))
    const { workflowRunId: id } = await data<Run>(world.start(served, 'doubtful', { params: { trip: 't' } }))
    await eventually('an unknown step', async () => (await world.get(served, id)).steps[0]!.state === 'unknown')
    return id
  }
  const resolve = (id: string) =>
    world.owner.post(`${served.path}/${id}/resolve-unknown`, {
      stepId: 'hotel',
      outcome: { status: 'succeeded', output: { id: 7 } },
    })

  test('is taken back after the run has failed, once it is resolved as succeeded', async () => {
    const id = await doubtful()
    const [approval] = await world.approvals(served)
    await data(world.decide(served, approval!.id, 'reject'))
    const failed = await world.until(served, id, ['failed'])
    expect([stepsOf(failed), undone(failed)[0]]).toEqual(['hotel:unknown ask:failed', null])
    expect((await data<Run>(resolve(id))).state).toBe('running')
    const after = await world.until(served, id, ['failed'])
    expect([stepsOf(after), undone(after)[0]]).toEqual(['hotel:succeeded ask:failed', 'succeeded'])
    expect(asked()).toEqual(['hotel', 'undo-hotel-7-t'])
  })

  test('is not taken back by a run that was canceled, and its call is resolved by itself', async () => {
    const id = await doubtful()
    await data(world.owner.post(`${served.path}/${id}/cancel`))
    expect(stepsOf(await world.until(served, id, ['canceled']))).toBe('hotel:unknown ask:canceled')
    const { status, body } = await resolve(id)
    const [, path] = /POST (operation-invocations\/[^)]+)/.exec(body.error.message) ?? []
    expect([status, path]).toEqual([409, expect.stringMatching(/\/resolve$/)])
    await data(world.owner.post(`${served.place.path}/${path}`, { outcome: 'succeeded' }))
    expect(asked()).toEqual(['hotel'])
  })
})

test.each(['approve', 'reject'] as const)('a compensation may wait for a person: %s', async (decision) => {
  const { workflowRunId: id } = await data<Run>(world.start(served, 'careful', { params: { trip: 't' } }))
  const run = await eventually('a compensation that waits', async () => {
    const found = await world.get(served, id)
    return undone(found)[0] === 'waiting_approval' && found
  })
  expect(run.state).toBe('running')
  const [approval] = await world.approvals(served)
  const canceled = await data<Run>(world.owner.post(`${served.path}/${id}/cancel`))
  expect([canceled.state, undone(canceled)]).toEqual(['canceling', ['waiting_approval', null]])
  await data(world.decide(served, approval!.id, decision))
  const ended = await world.until(served, id, ['canceled'])
  expect(undone(ended)).toEqual([decision === 'approve' ? 'succeeded' : 'failed', null])
})
