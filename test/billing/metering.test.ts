/**
 * What runs cost, on a clock that is moved by hand: every move of a run is counted once, in the period of its moment, and
 * no reservation outlives what it was made for. Source: contract 8, `Usage`, "Precise points".
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createRunMachine, defaultRunLimits } from '../../machines/run.ts'
import { Metering } from '../../src/billing/metering/metering.ts'
import type { Terms } from '../../src/billing/terms.ts'
import type { ApiError } from '../../src/http/errors.ts'
import { type RunSeed, runAddress, runKind } from '../../src/runs/actor.ts'
import type { Reservation } from '../../src/runs/usage.ts'
import { Actors } from '../../src/runtime/actors.ts'
import { LimitReached } from '../../storage/errors.ts'
import { newId } from '../../storage/ids.ts'
import { openStore } from '../../storage/open.ts'
import { insertOrganization } from '../../storage/organizations.ts'
import { removeDamagedRun } from '../../storage/run-removal.ts'
import type { Store } from '../../storage/store.ts'
import { countWithin, findUsage } from '../../storage/usage.ts'
import { HandRunner } from '../api/runs/hand-runner.ts'
import { HandClock } from '../statecharts/clock.ts'

const second = 1_000
const minute = 60 * second

const nothing = () => {}
const effects = {
  offerToRunners: nothing,
  lookForDecisions: async () => {},
  withdrawApprovals: nothing,
  breakOffCalls: nothing,
  signalWorker: nothing,
  releaseMachine: nothing,
}

const clock = new HandClock()
/** By organization. */
const contracts = new Map<string, Terms>()
let store: Store
let metering: Metering
let actors: Actors
let runner: HandRunner
beforeAll(async () => {
  store = await openStore('sqlite::memory:')
  metering = new Metering({ store, terms: { of: (id) => contracts.get(id) as Terms } })
  const kinds = [runKind(createRunMachine(), effects, metering.periodOf)]
  actors = new Actors({ store, clock, kinds, random: () => 0 })
  runner = new HandRunner(actors, clock)
})
afterAll(() => store.close())

/** An organization of its own, with a budget. */
async function open(minuteBudget: number | null = 100) {
  const at = clock.now()
  const organizationId = newId('org')
  await store.commit([
    insertOrganization(store, {
      id: organizationId,
      slug: organizationId.slice(-20),
      name: 'Ours',
      kind: 'team',
      status: 'active',
      created_at: at,
      updated_at: at,
    }),
  ])
  const terms: Terms = { planKey: 'p', minuteBudget, period: { start: at, end: at + 1_000 * minute } }
  contracts.set(organizationId, terms)
  const send = (id: string, event: { type: string } & Record<string, unknown>) => actors.send(runAddress(id), event)
  const counted = (periodStart = terms.period.start) => store.first(findUsage(store, { organizationId, periodStart }))

  return {
    terms,
    organizationId,
    send,
    counted,
    pass: (ms: number) => clock.advance(ms),
    reserve: (look = false) => metering.reserve(organizationId, look),
    async start(reservation: Reservation | undefined, maxRetries = 5) {
      const id = newId('run')
      const now = clock.now()
      const row: RunSeed['row'] = {
        id,
        organization_id: organizationId,
        project_id: null,
        environment_id: null,
        deployment_id: null,
        agent_id: 'agt_system_assistant',
        agent_revision_id: 'agr_1',
        agent_job_id: null,
        created_by_type: 'apiKey',
        created_by_id: 'key_1',
        subject_user_id: null,
        binding: '{}',
        input_digest: 'sha256:00',
        output_digest: null,
        runtime_version: '0',
        retention_expires_at: now,
        created_at: now,
      }
      const seed: RunSeed = { row, input: { query: 'hi', contents: [] }, reservation }
      await actors.create(runAddress(id), { input: { maxRetries, at: now }, seed, named: 'start' })
      return id
    },
    lose: (id: string, more: object = {}) =>
      runner.end(id, { type: 'attemptLost', cause: { code: 'lease_lost', message: 'It is gone.' }, ...more }),
    goOn: async (id: string) =>
      send(id, {
        type: 'continue',
        input: { query: 'more', contents: [] },
        reservation: await metering.reserve(organizationId, true),
        answered: ['call_1'],
        results: [],
      }),
  }
}
type World = Awaited<ReturnType<typeof open>>

const cases: { what: string; lives: (world: World, id: string) => Promise<void>; seconds: number; failed?: number }[] =
  [
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
      what: 'attempts that are lost, and not the time between them',
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
      what: 'an attempt that is handed back because the server stops',
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
      what: 'an attempt that went with its server: until its last sign of life',
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
      what: 'a run that is canceled at work: until its last report',
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
      what: 'a run that is canceled while its machine starts',
      seconds: 3,
      async lives({ send, pass }, id) {
        await runner.lead(id, 'starting')
        pass(3 * second)
        await send(id, { type: 'cancel' })
      },
    },
    {
      what: 'nothing of a run that is canceled in the queue',
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
      what: 'nothing of the time for which a run waits for a tool',
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
      what: 'nothing of the time for which a run waits for a delegate',
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
      what: 'a run that uses up its active time, and not the time for which nobody noticed',
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
  const world = await open()
  const id = await world.start(await world.reserve())
  expect(await world.counted()).toMatchObject({ used_ms: 0, reserved_ms: minute, runs_started: 1 })
  await lives(world, id)
  expect(await world.counted()).toMatchObject({
    used_ms: seconds * second,
    reserved_ms: 0,
    runs_started: 1,
    runs_failed: failed,
  })
})

test('what is reserved is used up by the attempts, and the rest kept for the next one', async () => {
  const { start, reserve, pass, lose, counted, send } = await open()
  const id = await start(await reserve())
  await runner.begin(id)
  pass(25 * second)
  await lose(id)
  expect(await counted()).toMatchObject({ used_ms: 25 * second, reserved_ms: 35 * second })
  await runner.begin(id)
  pass(50 * second)
  await lose(id)
  expect(await counted()).toMatchObject({ used_ms: 75 * second, reserved_ms: 0 })
  await send(id, { type: 'cancel' })
  expect(await counted()).toMatchObject({ used_ms: 75 * second, reserved_ms: 0 })
})

test('time belongs to the period in which the attempt is closed, a reservation to the one in which it was made', async () => {
  const world = await open()
  const { start, reserve, pass, lose, counted, terms } = world
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

test('tokens are those of model steps, also of attempts that are lost; sums of other steps are not counted again', async () => {
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

test('what cannot be stored is not counted', async () => {
  const { start, reserve, counted } = await open(1.5)
  const reservations = await Promise.all([reserve(), reserve()])
  const outcomes = await Promise.allSettled(reservations.map((reservation) => start(reservation)))
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  const refused = outcomes.find((outcome) => outcome.status === 'rejected')
  expect(refused?.reason).toBeInstanceOf(LimitReached)
  expect(await counted()).toMatchObject({ runs_started: 1, reserved_ms: minute })
})

async function refusalOf(reserve: () => Reservation | Promise<Reservation>) {
  try {
    return await reserve()
  } catch (error) {
    const { status, code } = error as ApiError
    return [status, code]
  }
}

test('reserves a minute, what remains of the budget, or nothing', async () => {
  const { reserve, start, counted } = await open(2.25)
  for (const ms of [minute, minute, 15 * second]) {
    const reservation = await reserve(true)
    expect(reservation).toMatchObject({ ms, boundMs: 135 * second })
    await start(reservation)
  }
  expect(await refusalOf(() => reserve(true))).toEqual([402, 'budget_exhausted'])
  // asked first from now on, without being told to
  expect(await refusalOf(() => reserve())).toEqual([402, 'budget_exhausted'])
  expect(await counted()).toMatchObject({ reserved_ms: 135 * second, runs_started: 3 })
})

test('a plan without minutes admits nothing, one without a bound everything, which is counted', async () => {
  const without = await open(0)
  expect(await refusalOf(() => without.reserve())).toEqual([402, 'budget_exhausted'])
  const unbound = await open(null)
  const reservation = await unbound.reserve()
  expect(reservation).toMatchObject({ ms: minute, boundMs: null })
  const id = await unbound.start(reservation)
  await runner.begin(id)
  unbound.pass(40 * minute)
  await runner.complete(id)
  expect(await unbound.counted()).toMatchObject({ used_ms: 40 * minute, reserved_ms: 0, runs_completed: 1 })
})

test('an organization that had too little is asked until it has enough again', async () => {
  const { reserve, start, send } = await open(1)
  const id = await start(await reserve())
  expect(await refusalOf(() => reserve(true))).toEqual([402, 'budget_exhausted'])
  await send(id, { type: 'cancel' })
  expect(await reserve()).toMatchObject({ ms: minute })
})

test('a run whose record cannot be read takes its reservation with it when it is removed', async () => {
  const { reserve, start, counted } = await open()
  const [id] = [await start(await reserve()), await start(await reserve())]
  await store.commit(removeDamagedRun(store, id))
  expect(await counted()).toMatchObject({ reserved_ms: minute, runs_started: 2 })
})

test('the counters are found by their key', async () => {
  const planOf = (statement: { sql: string; parameters: readonly unknown[] }) =>
    store.all<{ detail: string }>({ ...statement, sql: `explain query plan ${statement.sql}` })
  const plan = await planOf(findUsage(store, { organizationId: 'org_a', periodStart: 1 }))
  expect(plan.map(({ detail }) => detail)).toEqual([
    'SEARCH usage_counters USING PRIMARY KEY (organization_id=? AND period_start=?)',
  ])
})

test('a statement that is refused leaves the counters as they were', async () => {
  const { organizationId, terms, counted } = await open()
  const delta = { organization_id: organizationId, period_start: terms.period.start, used_ms: 0, reserved_ms: minute }
  const counts = { runs_started: 1, runs_completed: 0, runs_failed: 0, input_tokens: 0, output_tokens: 0 }
  const write = countWithin(store, { ...delta, ...counts, boundMs: 2 * minute })
  const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => store.commit([write])))
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
  expect(await counted()).toMatchObject({ reserved_ms: 2 * minute, runs_started: 2 })
})
