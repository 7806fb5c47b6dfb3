/** Executions of invocations while the store is unavailable, and when the server stops. */
import { expect, test } from 'bun:test'
import { toolError } from '../../../src/automation/operations/failure.ts'
import { concurrentChange, notFound, storeUnavailable } from '../../../src/platform/http/answers/errors.ts'
import { StoreUnavailable } from '../../../storage/errors.ts'
import { open, type Perform, settle } from './executor-world.ts'

test('the outcome is reported with the number of the execution', async () => {
  const { performer, reports } = open(async ({ callKey }) => ({ callKey }))
  performer.begin('opi_1', 2)
  await settle()
  expect(reports).toEqual([{ type: 'performed', output: { callKey: 'opi_1' }, performance: 2 }])
})

test('one that cannot be read while the store is unavailable is executed later', async () => {
  const { performer, clock, reports, unread, errors } = open(async () => 'done')
  unread.push(storeUnavailable(new Error('away')))
  performer.begin('opi_1', 2)
  await settle()
  expect(reports).toEqual([])
  clock.advance(1_000)
  await settle()
  expect([reports, errors]).toEqual([[{ type: 'performed', output: 'done', performance: 2 }], []])
})

test('one whose commit was not confirmed is executed once, when it is found', async () => {
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

test('an earlier execution, or one of another process, is not repeated', async () => {
  const { performer, reports } = open(() => Promise.reject(new Error('made')))
  performer.begin('opi_1', 1)
  await settle()
  expect(reports).toEqual([])
})

test('an outcome that could not be stored is reported later, without executing the operation again', async () => {
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

test('if the store is unavailable before anything was sent, the execution waits for it', async () => {
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

test('an invocation aborted while it waits for the store is known not to be executed', async () => {
  const { performer, clock, reports } = open(() => Promise.reject(new StoreUnavailable('locked')), { performances: 1 })
  performer.begin('opi_1', 1)
  await settle()
  performer.abort('opi_1')
  clock.advance(1_000)
  await settle()
  expect(reports).toMatchObject([{ type: 'failed', cause: { message: expect.stringContaining('not made') } }])
})

test.each([
  ['a failure', () => toolError('No.'), false, 'failed', 0],
  ['an uncertain failure', () => toolError('Hm.', { isUncertain: true }), false, 'lost', 0],
  ['an unusable answer of a write', () => toolError('Odd.', { isAnswered: true }), false, 'lost', 0],
  ['an unusable answer of a read', () => toolError('Odd.', { isAnswered: true }), true, 'failed', 0],
  ['an internal error in an operation that is not repeatable', () => new Error('secret=hunter2'), false, 'lost', 1],
  ['an internal error in a repeatable operation', () => new Error('secret=hunter2'), true, 'failed', 1],
] as const)('%s is reported as %s', async (_, error, repeatable, type, logged) => {
  const { performer, reports, errors } = open(() => Promise.reject(error()), { repeatable })
  performer.begin('opi_1', 2)
  await settle()
  expect(reports).toMatchObject([{ type }])
  expect(JSON.stringify(reports)).not.toContain('hunter2')
  expect(errors).toHaveLength(logged)
})

test('an invocation removed meanwhile causes no error', async () => {
  const { performer, refusals, errors } = open(async () => 1)
  refusals.push(notFound())
  performer.begin('opi_1', 2)
  await settle()
  expect(errors).toEqual([])
})

const untilAborted: Perform = ({ signal }) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

test.each([
  ['an idempotent one', { repeatable: true }, 'failed', 'may have taken effect'],
  [
    'one whose handler recognizes a repetition',
    { repeatable: true, idempotent: false },
    'lost',
    'may have taken effect',
  ],
  ['one that is not repeated and was not sent yet', {}, 'failed', 'not made'],
  ['one that is not repeated, and an earlier process had not sent', { performances: 2 }, 'failed', 'not made'],
] as const)('aborted in progress: %s is reported as it may have ended', async (_, given, type, message) => {
  const { performances, ...options } = { performances: 1, ...given }
  const { performer, reports, calledOff, errors } = open(untilAborted, { ...options, performances })
  performer.begin('opi_1', performances)
  await settle()
  performer.abort('opi_1')
  await settle()
  const cause = { code: 'call_canceled', message: expect.stringContaining(message) }
  expect(reports).toMatchObject([{ type, performance: performances, cause }])
  expect([calledOff, errors]).toEqual([['opi_1'], []])
})

test('an invocation aborted before its execution is not executed, and fails', async () => {
  const { performer, reports } = open(() => Promise.reject(new Error('made')), { performances: 1 })
  performer.begin('opi_1', 1)
  performer.abort('opi_1')
  await settle()
  expect(reports).toMatchObject([{ type: 'failed', cause: { message: expect.stringContaining('not made') } }])
})

test('an abort that an earlier process left is completed, without executing again', async () => {
  const made = () => Promise.reject(new Error('made'))
  const { performer, reports, calledOff } = open(made, { repeatable: true, canceled: true })
  performer.begin('opi_1', 2)
  await settle()
  expect(reports).toMatchObject([{ type: 'failed', cause: { message: expect.stringContaining('was aborted') } }])
  expect(calledOff).toEqual(['opi_1'])
})

test('a result that arrives despite the abort is reported as it is', async () => {
  const given = Promise.withResolvers<unknown>()
  const { performer, reports } = open(() => given.promise)
  performer.begin('opi_1', 2)
  await settle()
  performer.abort('opi_1')
  given.resolve('done')
  await settle()
  expect(reports).toMatchObject([{ type: 'performed', output: 'done' }])
})

test('a call that had ended at a worker before its abort keeps its outcome', async () => {
  const { performer, reports } = open(async () => 'done', { canceled: true, fate: 'ended' })
  performer.begin('opi_1', 2)
  await settle()
  expect(reports).toMatchObject([{ type: 'performed', output: 'done' }])
})

test.each([
  ['while the store is unavailable', storeUnavailable(new Error('full'))],
  ['because of concurrent changes', concurrentChange(new Error('stale'))],
])(
  'an abort that could not be stored %s is repeated after a pause, and the call is not said to be unmade',
  async (_, refusal) => {
    const { performer, reports, refusals, calledOff, clock } = open(untilAborted, { repeatable: true, performances: 1 })
    performer.begin('opi_1', 1)
    await settle()
    refusals.push(refusal, refusal)
    performer.abort('opi_1')
    await settle()
    expect([calledOff.length, reports]).toEqual([1, []])
    for (let count = 0; count < 2; count += 1) {
      clock.advance(1_000)
      await settle()
    }
    expect([calledOff.length, reports]).toMatchObject([
      3,
      [{ type: 'failed', cause: { message: expect.stringContaining('was aborted') } }],
    ])
  },
)

test('a stop aborts executions, reports nothing of them, and starts no more', async () => {
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
