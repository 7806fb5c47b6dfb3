/** Reservations of a budget before a run starts, and their use. Source: contract 8, `Usage`, "Precise points". */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { ApiError } from '../../src/platform/http/answers/errors.ts'
import type { Reservation } from '../../src/runs/record.ts'
import { announceBudgetMark, countUsage, countWithin, noteBudgetMark } from '../../storage/billing/usage.ts'
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

test('attempts use up the reservation, and the rest is kept for the next one', async () => {
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

test('a period that ends before its first run is stored keeps its end', async () => {
  const { start, reserve, counted, pass, terms } = await open()
  const reservation = await reserve()
  const { period } = terms
  pass(second)
  terms.period = { start: period.start + second, end: period.end }
  await start(reservation)
  expect(await counted(period.start)).toMatchObject({ reserved_ms: minute, runs_started: 0, period_end: period.end })
  expect(await counted()).toMatchObject({ reserved_ms: 0, runs_started: 1, period_end: period.end })
})

async function refusalOf(reserve: () => Reservation | Promise<Reservation>) {
  try {
    return await reserve()
  } catch (error) {
    const { status, code } = error as ApiError
    return [status, code]
  }
}

test('reserves a minute, the rest of the budget, or nothing', async () => {
  const { reserve, start, counted } = await open(2.25)
  for (const ms of [minute, minute, 15 * second]) {
    const reservation = await reserve(true)
    expect(reservation).toMatchObject({ ms, boundMs: 135 * second })
    await start(reservation)
  }
  expect(await refusalOf(() => reserve(true))).toEqual([402, 'budget_exhausted'])
  // from now on checked first, without being told to
  expect(await refusalOf(() => reserve())).toEqual([402, 'budget_exhausted'])
  expect(await counted()).toMatchObject({ reserved_ms: 135 * second, runs_started: 3 })
})

test('a plan without minutes admits nothing; one without a limit admits and counts everything', async () => {
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

test('an organization short of budget is checked until it has enough again', async () => {
  const { reserve, start, send } = await open(1)
  const id = await start(await reserve())
  expect(await refusalOf(() => reserve(true))).toEqual([402, 'budget_exhausted'])
  await send(id, { type: 'cancel' })
  expect(await reserve()).toMatchObject({ ms: minute })
})

test('removing a run whose record cannot be read releases its reservation', async () => {
  const { reserve, start, counted } = await open()
  const [id] = [await start(await reserve()), await start(await reserve())]
  await store.commit(removeDamagedRun(store, id))
  expect(await counted()).toMatchObject({ reserved_ms: minute, runs_started: 2 })
})

test('a rejected statement leaves the counters unchanged', async () => {
  const { organizationId, terms, counted } = await open()
  const { start: period_start, end: period_end } = terms.period
  const delta = { organization_id: organizationId, period_start, period_end, used_ms: 0, reserved_ms: minute }
  const counts = { runs_started: 1, runs_completed: 0, runs_failed: 0, input_tokens: 0, output_tokens: 0 }
  const write = countWithin(store, { ...delta, ...counts, boundMs: 2 * minute })
  const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => store.commit([write])))
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
  expect(await counted()).toMatchObject({ reserved_ms: 2 * minute, runs_started: 2 })
})

test('concurrent transactions are counted once each, and a failed one not at all', async () => {
  const [one, other] = [await open(), await open()]
  const counting = ({ organizationId, terms }: typeof one, used_ms: number) => {
    const { start: period_start, end: period_end } = terms.period
    const counts = {
      reserved_ms: -1,
      runs_started: 0,
      runs_completed: 1,
      runs_failed: 0,
      input_tokens: 3,
      output_tokens: 2,
    }
    return countUsage(store, { organization_id: organizationId, period_start, period_end, used_ms, ...counts })
  }
  const stale = { ...counting(one, 0), sql: 'update runs set version = version where 1 = 0', parameters: [], rows: 1 }
  const units = [1, 2, 3].flatMap((ms) => [[counting(one, ms)], [counting(other, 10 * ms), counting(other, 100 * ms)]])
  const outcomes = await Promise.allSettled(
    [...units.slice(0, 4), [counting(one, 1_000), stale], ...units.slice(4)].map((unit) => store.commit(unit)),
  )
  expect(outcomes.map(({ status }) => status).filter((status) => status === 'rejected')).toHaveLength(1)
  expect(await one.counted()).toMatchObject({ used_ms: 6, reserved_ms: -3, runs_completed: 3, output_tokens: 6 })
  expect(await other.counted()).toMatchObject({ used_ms: 660, reserved_ms: -6, runs_completed: 6, input_tokens: 18 })
})

test('a budget threshold reached by concurrent transactions is announced once, and only then', async () => {
  const { organizationId, terms } = await open()
  const { start: period_start, end: period_end } = terms.period
  const counts = {
    reserved_ms: 0,
    runs_started: 0,
    runs_completed: 0,
    runs_failed: 0,
    input_tokens: 0,
    output_tokens: 0,
  }
  let heard = 0
  const committed = () => {
    heard += 1
  }
  const mark = { organizationId, periodStart: period_start, percent: 80, thresholdMs: minute }
  const unit = (used_ms: number) => [
    countUsage(store, { organization_id: organizationId, period_start, period_end, used_ms, ...counts }),
    announceBudgetMark(store, {
      ...mark,
      type: 'budget.warning',
      actorType: 'system',
      actorId: 'x',
      data: '{}',
      at: 1,
    }),
    { ...noteBudgetMark(store, mark), committed },
  ]
  const warnings = () =>
    store.all(
      store.db
        .selectFrom('announcements')
        .select('id')
        .where('organization_id', '=', organizationId)
        .where('actor_id', '=', 'x')
        .compile(),
    )
  await Promise.all([5, 5].map((seconds) => store.commit(unit(seconds * second))))
  expect([await warnings(), heard]).toEqual([[], 0])
  await Promise.all([20, 20, 20].map((seconds) => store.commit(unit(seconds * second))))
  await store.commit(unit(second))
  expect([(await warnings()).length, heard]).toEqual([1, 1])
})
