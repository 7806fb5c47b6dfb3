/** Alerts whose rule another server changes while one measures, changes or deletes it. The clock is advanced manually. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { AlertContext } from '../../../machines/alert.ts'
import { alertAddress } from '../../../src/automation/alerts/actor.ts'
import { Alerts } from '../../../src/automation/alerts/service.ts'
import { AlertWork } from '../../../src/automation/alerts/watch.ts'
import { recordNothing } from '../../../src/platform/http/changes/request-record.ts'
import type { Cursors } from '../../../src/platform/http/cursor.ts'
import { Actors } from '../../../src/runtime/actors.ts'
import type { Store } from '../../../storage/store.ts'
import type { AlertRuleRow } from '../../../storage/tables.ts'
import { planting } from '../../events/history/feed-world.ts'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import { callerWith } from '../../support/callers.ts'
import { committingAfter, readingBefore } from '../../support/meanwhile.ts'
import { openMigrated } from '../../support/stores/migrated-store.ts'

const minute = 60_000
const caller = callerWith({ organizationId: 'org_1', permissions: new Set(['alerts:list', 'alerts:manage']) })
const nothing = async () => {}

let store: Store
let clock: HandClock
let actors: Actors
let alertWork: AlertWork
/** The used share of the minutes. */
let percent: number
/** Happens during the next measurement, after the rule was read. */
let meanwhile: () => Promise<unknown>
beforeEach(async () => {
  store = await openMigrated()
  clock = new HandClock()
  await store.commit(planting({ organizationId: 'org_1', projectId: 'prj_1', environmentId: 'env_1' }))
  percent = 10
  meanwhile = nothing
  actors = new Actors({ store, clock })
  alertWork = new AlertWork({
    store,
    clock,
    actors,
    notices: null,
    onError: () => {},
    async budgetOf() {
      const measured = percent
      const work = meanwhile
      meanwhile = nothing
      await work()
      return { percent: measured, period: { start: 0, end: 0 } }
    },
  })
  actors.register([alertWork.kind])
})
afterEach(() => store?.close())

const alertsOver = (over: Store) => new Alerts({ store: over, clock, actors, cursors: {} as Cursors, alertWork })
const budget = (from: number) => ({ type: 'budget' as const, percent: from })

async function newRule(times: { holdMinutes?: number; resolveAfterMinutes?: number } = {}): Promise<string> {
  const body = { name: 'Minutes', condition: budget(50), ...times }
  return (await alertsOver(store).create(caller, body, recordNothing)).id
}
const change = (id: string, changes: object, over: Store = store) =>
  alertsOver(over).change(caller, id, changes, recordNothing)

async function read(id: string) {
  const actor = await actors.read<AlertRuleRow, AlertContext>(alertAddress(id))
  return { state: actor?.state, ...actor?.context }
}
const announced = async () =>
  (await store.all<{ type: string }>({ sql: 'select type from announcements order by id', parameters: [] })).map(
    ({ type }) => type,
  )

test('a measurement of the former condition does not make the changed rule fire', async () => {
  const id = await newRule()
  percent = 60
  meanwhile = () => change(id, { condition: budget(90) })
  await alertWork.look(id)
  expect(await read(id)).toMatchObject({ state: 'ok' })
  expect(await announced()).toEqual([])
  percent = 95
  await alertWork.look(id)
  expect(await read(id)).toMatchObject({ state: 'firing', value: 95 })
})

test('a measurement from before the alert fired does not resolve it', async () => {
  const id = await newRule({ resolveAfterMinutes: 0 })
  percent = 60
  await alertWork.look(id)
  percent = 10
  meanwhile = async () => {
    // another server resolves it, and finds the condition to hold again
    await alertWork.look(id)
    percent = 70
    await alertWork.look(id)
  }
  await alertWork.look(id)
  expect(await read(id)).toMatchObject({ state: 'firing', value: 70 })
  expect(await announced()).toEqual(['alert.firing', 'alert.resolved', 'alert.firing'])
})

test('two concurrent changes of different times both count', async () => {
  const id = await newRule()
  const over = readingBefore(store, 'alert_rules', () => change(id, { holdMinutes: 3 }))
  await change(id, { resolveAfterMinutes: 7 }, over)
  expect(await read(id)).toMatchObject({ holdMs: 3 * minute, coolDownMs: 7 * minute })
  percent = 60
  await alertWork.look(id)
  expect(await read(id)).toMatchObject({ state: 'pending' })
})

test('a rule that is enabled again while it is deleted leaves no alert without an end', async () => {
  const id = await newRule()
  percent = 60
  await alertWork.look(id)
  const over = committingAfter(store, () => change(id, { enabled: true }))
  await alertsOver(over).remove(caller, id, recordNothing)
  expect(await actors.read(alertAddress(id))).toBeUndefined()
  expect(await announced()).toEqual(['alert.firing', 'alert.resolved'])
})

test('a change that also disables the rule is stored at once, so that a crash cannot leave half of it', async () => {
  const id = await newRule()
  percent = 60
  await alertWork.look(id)
  const commits: string[][] = []
  actors.subscribe(alertAddress(id), ({ moves }) => void commits.push(moves.map(({ event }) => event.type)))
  await change(id, { condition: budget(90), enabled: false })
  expect(commits).toEqual([['change', 'disable']])
  expect(await announced()).toEqual(['alert.firing', 'alert.resolved'])
})
