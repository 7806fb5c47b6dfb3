/** An event goes to those that wait for it, in its Environment and in time, and to no other. Source: contract 14, "Workflows". */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import {
  endWorkflowWait,
  insertWorkflowEvent,
  insertWorkflowWait,
  listOpenWaits,
  takeWorkflowEvent,
} from '../../../storage/automation/workflow-events.ts'
import { type Guards, openGuards, type Row, type Tree } from './world.ts'

let world: Guards
beforeAll(async () => {
  world = await openGuards()
})
afterAll(() => world?.close())

const awaited = { event: 'paid', correlation: 'A-1' }
/** What of a wait or an event is another than what is awaited. */
const others = [
  ['of another Environment', { environment_id: 'env_other' }],
  ['of another name', { event: 'refunded' }],
  ['with another correlation', { correlation: 'A-2' }],
] as const

let count = 0
const waitOf = ({ environment_id }: Tree, values: object = {}): Row => {
  count += 1
  const row = {
    workflow_run_id: `wfr_${count}`,
    step_id: 'paid',
    attempt: 1,
    environment_id,
    ...awaited,
    until_at: 100,
  }
  return { ...row, event_id: null, ...values }
}
const waiting = (at: Tree, values: object = {}) => world.plant('workflow_waits', waitOf(at, values))
const keyOf = ({ workflow_run_id: workflowRunId, step_id: stepId }: Row) => ({ workflowRunId, stepId })

const kept = (at: Tree, values: object = {}) =>
  world.plant('workflow_events', { ...at, ...awaited, data: '1', is_kept: 1, is_taken: 0, created_at: 10, ...values })
const isKept = ({ id }: Row) => world.rows('select is_kept from workflow_events where id = ?', id)[0].is_kept === 1
const given = ({ workflow_run_id }: Row) =>
  world.rows('select event_id from workflow_waits where workflow_run_id = ?', workflow_run_id)[0]?.event_id ?? null
const told = ({ workflow_run_id }: Row) =>
  world.rows('select id from effects where actor_id = ?', workflow_run_id).length

const send = async (at: Tree, createdAt = 50): Promise<Row> => {
  const { is_kept: _, is_taken: __, ...row } = world.row('workflow_events', { ...at, ...awaited, data: '2' })
  await world.store.commit(insertWorkflowEvent(world.store, { ...row, created_at: createdAt }))
  return row
}

test('only open waits for the same event count towards the limit', async () => {
  const at = world.tree()
  for (const [, changes] of others) waiting(at, changes)
  waiting(at, { event_id: 'wev_given' })
  const open = [waiting(at), waiting(at)]
  const count_ = async (limit: number) =>
    (await world.store.all(listOpenWaits(world.store, { ...at, ...awaited, limit }))).length
  expect([await count_(10), await count_(1)]).toEqual([open.length, 1])
})

test('an event is given to all that wait for it in time, and not kept', async () => {
  const at = world.tree()
  const waits = [waiting(at), waiting(at, { until_at: 51 })]
  const late = waiting(at, { until_at: 50 })
  const before = waiting(at, { event_id: 'wev_before' })
  const elsewhere = others.map(([, changes]) => waiting(at, changes))
  const event = await send(at)
  expect(waits.map(given)).toEqual([event.id, event.id])
  expect([isKept(event), given(late), given(before), ...elsewhere.map(given)]).toEqual([
    false,
    null,
    'wev_before',
    ...others.map(() => null),
  ])
  expect([...waits, late, before, ...elsewhere].map(told)).toEqual([1, 1, 0, 0, ...others.map(() => 0)])
})

test('an event for which nothing waits in time is kept, whatever others were given', async () => {
  const at = world.tree()
  waiting(at, { until_at: 50 })
  waiting(at, { event_id: 'wev_before' })
  for (const [, changes] of others) waiting(at, changes)
  expect(isKept(await send(at))).toBe(true)
})

const begin = async (at: Tree, since = 0): Promise<Row> => {
  const row = waitOf(at)
  world.plant('workflow_runs', { ...at, id: row.workflow_run_id, state: 'running', context: '{}' })
  await world.store.commit(insertWorkflowWait(world.store, row, since))
  return row
}

test('a wait takes the oldest event that is kept, which is kept no longer', async () => {
  const at = world.tree()
  const [first, second] = [kept(at, { id: 'wev_1' }), kept(at, { id: 'wev_2' })]
  expect(given(await begin(at))).toBe('wev_1')
  expect([isKept(first), isKept(second)]).toEqual([false, true])
  expect([given(await begin(at)), given(await begin(at))]).toEqual(['wev_2', null])
})

test.each([
  ...others,
  ['that was given to others', { is_kept: 0 }],
  ['that was kept for too long', { created_at: 9 }],
] as const)('a wait takes no event %s', async (_, changes) => {
  const at = world.tree()
  const event = kept(at, changes)
  const before = isKept(event)
  expect([given(await begin(at, 9)), isKept(event)]).toEqual([null, before])
})

const end = (wait: Row, { environment_id: environmentId }: Tree) => {
  const of = { environmentId, ...awaited, at: 50 }
  return world.store.commit(endWorkflowWait(world.store, keyOf(wait), of))
}

test('the event of a wait that ends without it goes to those that wait in time', async () => {
  const at = world.tree()
  const event = kept(at, { is_kept: 0 })
  const wait = waiting(at, { event_id: event.id })
  const [open, late, before] = [waiting(at), waiting(at, { until_at: 50 }), waiting(at, { event_id: 'wev_before' })]
  const elsewhere = others.map(([, changes]) => waiting(at, changes))
  await end(wait, at)
  expect([given(wait), given(open), given(late), given(before), ...elsewhere.map(given)]).toEqual([
    null,
    event.id,
    null,
    'wev_before',
    ...others.map(() => null),
  ])
  expect([isKept(event), ...[wait, open, late, before, ...elsewhere].map(told)]).toEqual([
    false,
    0,
    1,
    0,
    0,
    ...others.map(() => 0),
  ])
})

test('it is kept if none waits, and stays with those that have it or took it', async () => {
  const at = world.tree()
  const [alone, shared, taken] = [kept(at, { is_kept: 0 }), kept(at, { is_kept: 0 }), kept(at, { is_kept: 0 })]
  const [one, other, sharing, taking, last] = [alone, shared, shared, taken, taken].map(({ id }) =>
    waiting(at, { event_id: id }),
  )
  await world.store.commit(takeWorkflowEvent(world.store, keyOf(taking)))
  for (const wait of [one, other, last]) await end(wait, at)
  expect([alone, shared, taken].map(isKept)).toEqual([true, false, false])
  expect([given(sharing), given(taking)]).toEqual([shared.id, null])
})
