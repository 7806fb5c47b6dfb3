/** What is reserved of a budget before a run begins, and what becomes of it. Source: contract 8, `Usage`, "Precise points". */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { ApiError } from '../../src/platform/http/answers/errors.ts'
import type { Reservation } from '../../src/runs/record.ts'
import { countWithin } from '../../storage/billing/usage.ts'
import { LimitReached } from '../../storage/bounds.ts'
import { removeDamagedRun } from '../../storage/runs/run-removal.ts'
import { minute, openMetering, second, type World } from './books-world.ts'

let world: World
let store: World['store']
let runner: World['runner']
let open: World['open']
beforeAll(async () => {
  world = await openMetering()
  ;({ store, runner, open } = world)
})
afterAll(() => world?.close())

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

test('a statement that is refused leaves the counters as they were', async () => {
  const { organizationId, terms, counted } = await open()
  const { start: period_start, end: period_end } = terms.period
  const delta = { organization_id: organizationId, period_start, period_end, used_ms: 0, reserved_ms: minute }
  const counts = { runs_started: 1, runs_completed: 0, runs_failed: 0, input_tokens: 0, output_tokens: 0 }
  const write = countWithin(store, { ...delta, ...counts, boundMs: 2 * minute })
  const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => store.commit([write])))
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
  expect(await counted()).toMatchObject({ reserved_ms: 2 * minute, runs_started: 2 })
})
