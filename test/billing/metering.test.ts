/**
 * Metering of runs, with a manually advanced clock: every transition is counted once, in the period of its time, and
 * no reservation outlives its purpose. Source: contract 8, `Usage`, "Precise points".
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { defaultRunLimits } from '../../machines/run.ts'
import { findUsage } from '../../storage/billing/usage.ts'
import { type Customer, minute, openMetering, second, type World } from './books-world.ts'

let world: World
let store: World['store']
let clock: World['clock']
let runner: World['runner']
let open: World['open']
beforeAll(async () => {
  world = await openMetering()
  ;({ store, clock, runner, open } = world)
})
afterAll(() => world?.close())

const cases: {
  what: string
  lives: (customer: Customer, id: string) => Promise<void>
  seconds: number
  failed?: number
}[] = [
  {
    what: 'a run that completes: from its lease to its last report',
    seconds: 90,
    async lives({ pass }, id) {
      pass(20 * second) // in the queue
      await runner.begin(id)
      pass(90 * second)
      await runner.complete(id)
      pass(20 * second)
    },
  },
  {
    what: 'lost attempts, and not the time between them',
    seconds: 10 + 20 + 30,
    async lives({ pass, lose }, id) {
      for (const held of [10, 20]) {
        await runner.begin(id)
        pass(held * second)
        await lose(id)
        pass(minute)
      }
      await runner.begin(id)
      pass(30 * second)
      await runner.complete(id)
    },
  },
  {
    what: 'an attempt that is released because the server stops',
    seconds: 7 + 5,
    async lives({ pass, lose }, id) {
      await runner.begin(id)
      pass(7 * second)
      await lose(id, { drained: true })
      pass(minute)
      await runner.begin(id)
      pass(5 * second)
      await runner.complete(id)
    },
  },
  {
    what: 'an attempt lost with its server: until its last heartbeat',
    seconds: 12 + 1,
    async lives({ pass, lose }, id) {
      await runner.begin(id)
      pass(12 * second)
      const heldUntil = clock.now()
      pass(5 * 60 * minute)
      await lose(id, { heldUntil })
      await runner.begin(id)
      pass(second)
      await runner.complete(id)
    },
  },
  {
    what: 'a run canceled while working: until its last report',
    seconds: 30 + 4,
    async lives({ send, pass }, id) {
      await runner.begin(id)
      pass(30 * second)
      await send(id, { type: 'cancel' })
      pass(4 * second)
      await runner.end(id, { type: 'reported' })
    },
  },
  {
    what: 'a run canceled while its machine starts',
    seconds: 3,
    async lives({ send, pass }, id) {
      await runner.lead(id, 'starting')
      pass(3 * second)
      await send(id, { type: 'cancel' })
    },
  },
  {
    what: 'nothing of a run canceled in the queue',
    seconds: 0,
    async lives({ send, pass }, id) {
      pass(minute)
      await send(id, { type: 'cancel' })
    },
  },
  {
    what: 'nothing of a run that expires in the queue',
    seconds: 0,
    async lives({ pass }, id) {
      pass(minute)
      await runner.lead(id, 'expired')
    },
  },
  {
    what: 'nothing while a run waits for a tool',
    seconds: 8 + 9,
    async lives({ pass, goOn }, id) {
      await runner.begin(id)
      pass(8 * second)
      await runner.awaitTools(id, 'call_1')
      pass(60 * minute)
      await goOn(id)
      await runner.begin(id)
      pass(9 * second)
      await runner.complete(id)
    },
  },
  {
    what: 'nothing while a run waits for a delegate',
    seconds: 8 + 9,
    async lives({ pass, send }, id) {
      await runner.begin(id)
      pass(8 * second)
      await runner.awaitDelegates(id, 'call_1')
      pass(60 * minute)
      await send(id, { type: 'delegateResult', toolCallId: 'call_1', result: 1 })
      await runner.begin(id)
      pass(9 * second)
      await runner.complete(id)
    },
  },
  {
    what: 'a run that fails',
    seconds: 61,
    failed: 1,
    async lives({ pass }, id) {
      await runner.begin(id)
      pass(61 * second)
      await runner.end(id, { type: 'failed', cause: { code: 'provider_error', message: 'Ill.' } })
    },
  },
  {
    what: 'a run that exceeds its active time, but not the delay until that is detected',
    seconds: defaultRunLimits.activeLimitMs / second,
    failed: 1,
    async lives({ send, pass }, id) {
      await runner.begin(id)
      pass(90 * minute)
      await send(id, { type: 'activeDeadline' })
    },
  },
  {
    what: 'a run that is continued, once more',
    seconds: 100 + 50,
    async lives({ pass, goOn }, id) {
      await runner.begin(id)
      pass(100 * second)
      await runner.complete(id)
      pass(minute)
      await goOn(id)
      await runner.begin(id)
      pass(50 * second)
      await runner.complete(id)
    },
  },
]

test.each(cases)('counts $what', async ({ lives, seconds, failed = 0 }) => {
  const customer = await open()
  const id = await customer.start(await customer.reserve())
  expect(await customer.counted()).toMatchObject({ used_ms: 0, reserved_ms: minute, runs_started: 1 })
  await lives(customer, id)
  expect(await customer.counted()).toMatchObject({
    used_ms: seconds * second,
    reserved_ms: 0,
    runs_started: 1,
    runs_failed: failed,
  })
})

test('time belongs to the period in which the attempt ends, a reservation to the one in which it was made', async () => {
  const customer = await open()
  const { start, reserve, pass, lose, counted, terms } = customer
  const id = await start(await reserve())
  await runner.begin(id)
  pass(10 * second)
  const first = terms.period
  terms.period = { start: clock.now(), end: first.end }
  pass(15 * second)
  await lose(id)
  expect(await counted(first.start)).toMatchObject({ used_ms: 0, reserved_ms: 35 * second, runs_started: 1 })
  expect(await counted()).toMatchObject({ used_ms: 25 * second, reserved_ms: 0, runs_started: 0 })
  await runner.begin(id)
  pass(5 * second)
  await runner.complete(id)
  expect(await counted(first.start)).toMatchObject({ used_ms: 0, reserved_ms: 0, runs_completed: 0 })
  expect(await counted()).toMatchObject({ used_ms: 30 * second, reserved_ms: 0, runs_completed: 1 })
})

const usage = (inputTokens: number, outputTokens: number) =>
  JSON.stringify({
    inputTokens,
    outputTokens,
    totalTokens: inputTokens + outputTokens,
    cachedInputTokens: 1,
    reasoningTokens: 1,
  })
const ending = { status: 'completed' as const, output: null, error: null, execution: '{}' }

test('tokens of model steps are counted, also of lost attempts; sums in other steps are not counted again', async () => {
  const { start, reserve, lose, counted } = await open()
  const id = await start(await reserve())
  const root = await runner.begin(id)
  const delegate = await runner.startStep(id, { kind: 'delegate', name: 'helper', parent_agent_step_id: root })
  const model = await runner.startStep(id, { parent_agent_step_id: delegate })
  await runner.report(id, {
    report: 'stepEnded',
    agentStepId: model,
    ending: { ...ending, token_usage: usage(100, 20) },
  })
  await runner.report(id, { report: 'stepEnded', agentStepId: delegate, ending: { ...ending, token_usage: null } })
  expect(await counted()).toMatchObject({ input_tokens: 100, output_tokens: 20 })
  await runner.startStep(id, { parent_agent_step_id: root })
  await lose(id)
  await runner.begin(id)
  await runner.complete(id)
  expect(await counted()).toMatchObject({ input_tokens: 100, output_tokens: 20, runs_completed: 1 })
})

test('the counters are looked up by primary key', async () => {
  const planOf = (statement: { sql: string; parameters: readonly unknown[] }) =>
    store.all<{ detail: string }>({ ...statement, sql: `explain query plan ${statement.sql}` })
  const plan = await planOf(findUsage(store, { organizationId: 'org_a', periodStart: 1 }))
  expect(plan.map(({ detail }) => detail)).toEqual([
    'SEARCH usage_counters USING PRIMARY KEY (organization_id=? AND period_start=?)',
  ])
})
