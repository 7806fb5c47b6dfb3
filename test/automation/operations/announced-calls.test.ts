/** Calls that must not be repeated, which are announced before they are sent. Source: contract 5, "not repeated". */
import { expect, test } from 'bun:test'
import { ApiError, storeUnavailable } from '../../../src/platform/http/answers/errors.ts'
import { open, type Perform, settle } from './executor-world.ts'

/** Sends the call once that is announced, and answers when told to. */
function sending() {
  const sent: string[] = []
  const answered = Promise.withResolvers<unknown>()
  const perform: Perform = async ({ callKey, onSending }) => {
    await onSending()
    sent.push(callKey)
    return await answered.promise
  }
  return { sent, perform, answer: answered.resolve }
}

test('a call that must not be repeated is announced before it is sent, and finishes from then on', async () => {
  const { sent, perform, answer } = sending()
  const { performer, reports } = open(perform)
  performer.begin('opi_1', 2)
  await settle()
  expect([reports, sent]).toEqual([[{ type: 'sending', performance: 2 }], ['opi_1']])
  performer.abort('opi_1')
  answer('done')
  await settle()
  expect(reports.at(-1)).toEqual({ type: 'performed', output: 'done', performance: 2 })
})

test('a call that another process has taken over is not sent, and nothing is reported', async () => {
  const { sent, perform } = sending()
  const { performer, reports, refusals, errors } = open(perform)
  refusals.push(new ApiError(409, 'invalid_transition', 'No.'))
  performer.begin('opi_1', 2)
  await settle()
  expect([sent, reports, errors, performer.size]).toEqual([[], [], [], 0])
})

test('a call that cannot be announced while the store is unavailable is sent later', async () => {
  const { sent, perform } = sending()
  const { performer, reports, refusals, clock } = open(perform)
  refusals.push(storeUnavailable(new Error('full')))
  performer.begin('opi_1', 2)
  await settle()
  expect(sent).toEqual([])
  clock.advance(1_000)
  await settle()
  expect([reports, sent]).toEqual([[{ type: 'sending', performance: 2 }], ['opi_1']])
})

test('a call that is aborted while it is announced is not sent', async () => {
  const { sent, perform } = sending()
  const { performer, reports } = open(async (call) => {
    performer.abort('opi_1')
    return await perform(call)
  })
  performer.begin('opi_1', 2)
  await settle()
  expect(sent).toEqual([])
  expect(reports.at(-1)).toMatchObject({ type: 'failed', cause: { message: expect.stringContaining('not made') } })
})
