/** Performances of invocations when the store is away, and when the server stops. */
import { expect, test } from 'bun:test'
import { toolError } from '../../../src/automation/operations/failure.ts'
import {
  InvocationExecutor,
  type InvocationExecutorParts,
} from '../../../src/automation/operations/invocations/invocation-executor.ts'
import { notFound, storeUnavailable } from '../../../src/platform/http/answers/errors.ts'
import { StoreUnavailable } from '../../../storage/errors.ts'
import { HandClock } from '../../runtime/statecharts/clock.ts'

type Perform = (call: { callKey: string; signal: AbortSignal }) => Promise<unknown>

function open(
  perform: Perform,
  { repeatable = false, performances = 2, canceled = false }: Partial<Record<string, unknown>> = {},
) {
  const clock = new HandClock()
  const reports: Record<string, unknown>[] = []
  const errors: unknown[] = []
  const calledOff: string[] = []
  const refusals: Error[] = []
  const unread: Error[] = []
  const row = {
    id: 'opi_1',
    deployment_id: 'dep_1',
    agent_id: 'agt_1',
    operation: 'shop.send',
    input: '{"n":1}',
    trace: null,
  }
  const actors = {
    async read() {
      const refusal = unread.shift()
      if (refusal) throw refusal
      return { state: 'running', row, context: { performances, performer: 'here', repeatable, canceled } }
    },
    recall: () => undefined,
    hasRow: () => true,
    async send(_: unknown, report: Record<string, unknown>) {
      const refusal = refusals.shift()
      if (refusal) throw refusal
      reports.push(structuredClone(report))
    },
  }
  const performer = new InvocationExecutor({
    name: 'here',
    clock,
    actors,
    bundles: { find: () => ({ agent: () => ({ agentId: 'agt_1' }) }) },
    operations: {
      perform,
      async assertOutput() {},
      async cancel(callKey: string) {
        calledOff.push(callKey)
        const refusal = refusals.shift()
        if (refusal) throw refusal
      },
    },
    onError: (error: unknown) => void errors.push(error),
  } as unknown as InvocationExecutorParts)
  return { clock, reports, errors, refusals, unread, calledOff, performer }
}
const settle = async () => {
  for (let count = 0; count < 20; count += 1) await Promise.resolve()
}

test('what came of it is told with the number of the performance', async () => {
  const { performer, reports } = open(async ({ callKey }) => ({ callKey }))
  performer.begin('opi_1', 2)
  await settle()
  expect(reports).toEqual([{ type: 'performed', output: { callKey: 'opi_1' }, performance: 2 }])
})

test('one that cannot be read while the store is away is made later', async () => {
  const { performer, clock, reports, unread, errors } = open(async () => 'done')
  unread.push(storeUnavailable(new Error('away')))
  performer.begin('opi_1', 2)
  await settle()
  expect(reports).toEqual([])
  clock.advance(1_000)
  await settle()
  expect([reports, errors]).toEqual([[{ type: 'performed', output: 'done', performance: 2 }], []])
})

test('one whose commit was not heard of is made when it is found, once', async () => {
  let times = 0
  const ended = Promise.withResolvers<string>()
  const { performer, reports } = open(() => {
    times += 1
    return ended.promise
  })
  await performer.beginUnheard('opi_1')
  await Promise.all([performer.beginUnheard('opi_1'), performer.beginUnheard('opi_1')])
  performer.begin('opi_1', 2)
  ended.resolve('done')
  await settle()
  expect([times, reports]).toEqual([1, [{ type: 'performed', output: 'done', performance: 2 }]])
})

test('an earlier performance, or one of another process, is not made', async () => {
  const { performer, reports } = open(() => Promise.reject(new Error('made')))
  performer.begin('opi_1', 1)
  await settle()
  expect(reports).toEqual([])
})

test('an outcome that could not be stored at once is told later, and the operation is not performed again', async () => {
  let times = 0
  const { performer, clock, reports, refusals } = open(async () => {
    times += 1
    return 'done'
  })
  refusals.push(storeUnavailable(new Error('full')), storeUnavailable(new Error('full')))
  performer.begin('opi_1', 2)
  for (let round = 0; round < 2; round += 1) {
    await settle()
    expect(reports).toEqual([])
    clock.advance(1_000)
  }
  await settle()
  expect(reports).toMatchObject([{ type: 'performed', output: 'done' }])
  expect(times).toBe(1)
})

test('a store that is away before anything was sent is waited for', async () => {
  let times = 0
  const { performer, clock, reports } = open(async () => {
    times += 1
    if (times === 1) throw new StoreUnavailable('locked')
    return times
  })
  performer.begin('opi_1', 2)
  await settle()
  clock.advance(1_000)
  await settle()
  expect(reports).toMatchObject([{ type: 'performed', output: 2 }])
})

test.each([
  ['a failure', () => toolError('No.'), false, 'failed', 0],
  ['an uncertain failure', () => toolError('Hm.', { isUncertain: true }), false, 'lost', 0],
  ['a fault of the server in what may not be done twice', () => new Error('secret=hunter2'), false, 'lost', 1],
  ['a fault of the server in what may be done twice', () => new Error('secret=hunter2'), true, 'failed', 1],
] as const)('%s is told as %s', async (_, error, repeatable, type, logged) => {
  const { performer, reports, errors } = open(() => Promise.reject(error()), { repeatable })
  performer.begin('opi_1', 2)
  await settle()
  expect(reports).toMatchObject([{ type }])
  expect(JSON.stringify(reports)).not.toContain('hunter2')
  expect(errors).toHaveLength(logged)
})

test('an invocation that was removed meanwhile is nobody’s failure', async () => {
  const { performer, refusals, errors } = open(async () => 1)
  refusals.push(notFound())
  performer.begin('opi_1', 2)
  await settle()
  expect(errors).toEqual([])
})

const untilAborted: Perform = ({ signal }) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

test.each([
  [true, 'failed'],
  [false, 'lost'],
] as const)('what is broken off under way, repeatable: %p, is told as %s', async (repeatable, type) => {
  const { performer, reports, calledOff, errors } = open(untilAborted, { repeatable, performances: 1 })
  performer.begin('opi_1', 1)
  await settle()
  performer.abort('opi_1')
  await settle()
  expect(reports).toMatchObject([{ type, performance: 1, cause: { code: 'call_canceled' } }])
  expect([calledOff, errors]).toEqual([['opi_1'], []])
})

test('what is broken off before it was made is not made, and has failed', async () => {
  const { performer, reports } = open(() => Promise.reject(new Error('made')), { performances: 1 })
  performer.begin('opi_1', 1)
  performer.abort('opi_1')
  await settle()
  expect(reports).toMatchObject([{ type: 'failed', cause: { message: expect.stringContaining('not made') } }])
})

test('what an earlier process was to break off is called off, and not made again', async () => {
  const made = () => Promise.reject(new Error('made'))
  const { performer, reports, calledOff } = open(made, { repeatable: true, canceled: true })
  performer.begin('opi_1', 2)
  await settle()
  expect(reports).toMatchObject([{ type: 'failed', cause: { message: expect.stringContaining('was aborted') } }])
  expect(calledOff).toEqual(['opi_1'])
})

test('what comes of it all the same is told as it came', async () => {
  const given = Promise.withResolvers<unknown>()
  const { performer, reports } = open(() => given.promise)
  performer.begin('opi_1', 2)
  await settle()
  performer.abort('opi_1')
  given.resolve('done')
  await settle()
  expect(reports).toMatchObject([{ type: 'performed', output: 'done' }])
})

test('a calling off that could not be stored is made again', async () => {
  const { performer, reports, refusals, calledOff, clock } = open(untilAborted, { repeatable: true })
  performer.begin('opi_1', 2)
  await settle()
  refusals.push(storeUnavailable(new Error('full')))
  performer.abort('opi_1')
  await settle()
  expect(reports).toEqual([])
  clock.advance(1_000)
  await settle()
  expect([calledOff.length, reports.length]).toEqual([2, 1])
})

test('a stop breaks off what is under way, tells nothing of it, and begins nothing more', async () => {
  const { performer, reports } = open(
    ({ signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason))
      }),
  )
  performer.begin('opi_1', 2)
  await settle()
  expect(performer.size).toBe(1)
  await performer.stop(0)
  performer.begin('opi_1', 2)
  await settle()
  expect([performer.size, reports]).toEqual([0, []])
})
