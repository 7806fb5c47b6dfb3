/** A recovery whose webhook is disabled or deleted during it. Source: contract 7, "Decided since". */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { pieceMax as piece } from '../../../src/events/webhooks/recoveries/recovery-work.ts'
import { endPause } from '../../../storage/events/webhook-pauses.ts'
import { newId } from '../../../storage/ids.ts'
import { Meddled, numbers, openWorld, type World } from './sender-world.ts'

/** Three batches, the last one short. */
const missed = 2 * piece + piece / 2

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.close())

/** A webhook that was enabled again, and missed this many events while it was disabled. */
async function place() {
  const environmentId = await world.environment()
  const webhookId = await world.webhook(environmentId, { enabled: 0 })
  const { db } = world.store
  await db.insertInto('webhook_pauses').values({ webhook_id: webhookId, from_sequence: 0, to_sequence: null }).execute()
  await world.emit(environmentId, missed)
  const enable = async (enabled: 0 | 1) => {
    await db.updateTable('webhooks').set({ enabled }).where('id', '=', webhookId).execute()
    if (enabled) await world.store.commit([endPause(world.store, { environmentId, webhookId })])
  }
  await enable(1)
  return { environmentId, webhookId, enable }
}
type Unit = readonly { sql: string }[]
const isPiece = (unit: Unit) => unit.some(({ sql }) => sql.startsWith('insert or fail into "deliveries"'))
const isOfRecovery = (unit: Unit) => unit.some(({ sql }) => sql.includes('"webhook_recoveries"'))

/** Acts at the unit of work with this number. */
function atUnit(nth: number, isMeant: (unit: Unit) => boolean, happens: () => Promise<void>) {
  let seen = 0
  return async (unit: Unit) => {
    if (!isMeant(unit)) return
    seen += 1
    if (seen === nth) await happens()
  }
}

test.each([
  ['before the query of its second batch', 'afterCommit', 1],
  ['during the commit of its second batch', 'beforeCommit', 2],
] as const)('a webhook that is disabled %s gets the rest from the next recovery', async (_, moment, nth) => {
  const { webhookId, environmentId, enable } = await place()
  const store = new Meddled(world.store)
  store[moment] = atUnit(nth, isPiece, () => enable(0))
  const recovering = world.recovering(store)
  await recovering.start()
  try {
    const end = await recovering.ended(await recovering.begin(webhookId, environmentId))
    expect(end).toMatchObject({ state: 'failed', cause: { code: 'webhook_disabled' }, made: piece, left: ['missed'] })
    expect(await world.sequences(webhookId)).toEqual(numbers(1, piece))

    await enable(1)
    const again = await recovering.ended(await recovering.begin(webhookId, environmentId))
    expect(again).toMatchObject({ state: 'completed', made: missed - piece, left: [] })
    expect(await world.sequences(webhookId)).toEqual(numbers(1, missed))
  } finally {
    await recovering.stop()
  }
})

test('a webhook that misses further events while its recovery begins gets them from the next one', async () => {
  const { webhookId, environmentId } = await place()
  const further = 3
  const store = new Meddled(world.store)
  // disabled and enabled again, while the pointer of the history was where it was before
  store.afterCommit = atUnit(1, isOfRecovery, async () => {
    const range = world.store.db.updateTable('webhook_pauses').where('webhook_id', '=', webhookId)
    await range.set({ to_sequence: null }).execute()
    await world.emit(environmentId, further)
    await world.store.commit([endPause(world.store, { environmentId, webhookId })])
  })
  const recovering = world.recovering(store)
  await recovering.start()
  try {
    const end = await recovering.ended(await recovering.begin(webhookId, environmentId))
    expect(end).toMatchObject({ state: 'completed', made: missed, left: [] })
    const again = await recovering.ended(await recovering.begin(webhookId, environmentId))
    expect(again).toMatchObject({ state: 'completed', made: further, left: [] })
    expect(await world.sequences(webhookId)).toEqual(numbers(1, missed + further))
  } finally {
    await recovering.stop()
  }
})

test('a webhook that is deleted during its recovery gets nothing more', async () => {
  const { webhookId, environmentId } = await place()
  const { db } = world.store
  const store = new Meddled(world.store)
  store.beforeCommit = atUnit(2, isPiece, async () => {
    await db.updateTable('webhooks').set({ enabled: 0, deleted_at: 1 }).where('id', '=', webhookId).execute()
  })
  const recovering = world.recovering(store)
  await recovering.start()
  try {
    const end = await recovering.ended(await recovering.begin(webhookId, environmentId))
    expect(end).toMatchObject({ state: 'failed', made: piece })
    expect(await world.sequences(webhookId)).toEqual(numbers(1, piece))
  } finally {
    await recovering.stop()
  }
})

test('dead letters put back before the webhook was disabled stay queued, the others stay dead letters', async () => {
  const { webhookId, environmentId, enable } = await place()
  const { db } = world.store
  const ofWebhook = db.selectFrom('deliveries').select('id').where('webhook_id', '=', webhookId)
  const count = async (state: string) => (await ofWebhook.where('state', '=', state).execute()).length
  const store = new Meddled(world.store)
  const recovering = world.recovering(store)
  await recovering.start()
  try {
    await recovering.ended(await recovering.begin(webhookId, environmentId))
    const dead = { state: 'dead-letter', due_at: null }
    await db.updateTable('deliveries').set(dead).where('webhook_id', '=', webhookId).execute()
    // the first unit stores the start of the recovery
    store.afterCommit = atUnit(2, isOfRecovery, () => enable(0))
    const end = await recovering.ended(await recovering.begin(webhookId, environmentId, ['dead-letter']))
    expect(end).toMatchObject({ state: 'failed', cause: { code: 'webhook_disabled' }, retried: piece })
    expect([await count('pending'), await count('dead-letter')]).toEqual([piece, missed - piece])

    await enable(1)
    const again = await recovering.ended(await recovering.begin(webhookId, environmentId, ['dead-letter']))
    expect(again).toMatchObject({ state: 'completed', retried: missed - piece })
    expect(await count('pending')).toBe(missed)
  } finally {
    await recovering.stop()
  }
})

test('dead letters that are created during a recovery, or whose events have expired, are left', async () => {
  const { webhookId, environmentId } = await place()
  const { db } = world.store
  const first = world.recovering(world.store)
  await first.start()
  await first.ended(await first.begin(webhookId, environmentId))
  await first.stop()
  const ofWebhook = db.updateTable('deliveries').where('webhook_id', '=', webhookId)
  const numbered = (sequence: number) => ofWebhook.where('event_sequence', '=', sequence)
  await ofWebhook.set({ state: 'dead-letter', due_at: null, event_at: 2_000 }).execute()
  await numbered(1).set({ event_at: 999 }).execute()
  await numbered(2)
    .set({ id: newId('dlv', world.clock.now() + 3_600_000) })
    .execute()

  const recovering = world.recovering(world.store, () => 1_000)
  await recovering.start()
  try {
    const end = await recovering.ended(await recovering.begin(webhookId, environmentId, ['dead-letter']))
    expect(end).toMatchObject({ state: 'completed', retried: missed - 2 })
    const left = db.selectFrom('deliveries').select('event_sequence').where('webhook_id', '=', webhookId)
    const dead = await left.where('state', '=', 'dead-letter').orderBy('event_sequence').execute()
    expect(dead.map(({ event_sequence }) => event_sequence)).toEqual([1, 2])
  } finally {
    await recovering.stop()
  }
})

test('dead letters that cannot be read do not hold up the others', async () => {
  const { webhookId, environmentId } = await place()
  const { db } = world.store
  const recovering = world.recovering(world.store)
  await recovering.start()
  try {
    await recovering.ended(await recovering.begin(webhookId, environmentId))
    const dead = { state: 'dead-letter', due_at: null }
    await db.updateTable('deliveries').set(dead).where('webhook_id', '=', webhookId).execute()
  } finally {
    await recovering.stop()
  }
  const ids = await db.selectFrom('deliveries').select('id').where('webhook_id', '=', webhookId).execute()
  const damaged = [ids[0]!.id, ids[piece]!.id]
  await db.updateTable('deliveries').set({ context: '{' }).where('id', 'in', damaged).execute()
  const again = world.recovering(world.store)
  await again.start()
  try {
    const end = await again.ended(await again.begin(webhookId, environmentId, ['dead-letter']))
    expect(end).toMatchObject({ state: 'completed', retried: missed - damaged.length })
    const names = world.errors.map((error) => (error as Error).name)
    expect(names.filter((name) => name === 'CorruptSnapshot')).toHaveLength(damaged.length)
  } finally {
    await again.stop()
  }
})
