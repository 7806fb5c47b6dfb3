/** Maintenance of bulk actions: ended ones are kept for thirty days, and the runs of a running one until they are due. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { newId } from '../../storage/ids.ts'
import { HandClock } from '../runtime/statecharts/clock.ts'
import { eventually } from '../support/process.ts'
import { data } from '../support/world/replies.ts'
import { openWorld, type World } from '../support/world/world.ts'

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]
const path = '/api/v1/bulk-actions'

let world: World
const clock = new HandClock()
beforeAll(async () => {
  const environment = { TROUPE_RUNNER: 'none', TROUPE_SWEEP_INTERVAL_MS: String(minute) }
  world = await openWorld({ clock, environment })
})
afterAll(() => world?.stop())

/** An action that ended this long ago. */
async function ended(agoMs: number): Promise<string> {
  const { id } = await data(world.owner.post(path, { action: 'cancel', filter: {}, dryRun: true }))
  world.rows('update bulk_actions set updated_at = ? where id = ?', clock.now() - agoMs, id)
  return id
}
const statusOf = async (id: string) => (await world.owner.get(`${path}/${id}`)).status

/** An action in this state that began this long ago. */
async function begun(state: string, agoMs: number): Promise<string> {
  const [row] = world.rows<Record<string, string | number>>('select * from bulk_actions where id = ?', await ended(0))
  const id = newId('blk', clock.now() - agoMs)
  const copy = { ...row, id, state }
  const names = Object.keys(copy)
  world.rows(`insert into bulk_actions (${names}) values (${names.map(() => '?')})`, ...Object.values(copy))
  return id
}
const withRuns = (id: string): string => {
  world.rows('insert into bulk_action_pieces (bulk_action_id, piece, runs) values (?, ?, ?)', id, 7, '[]')
  return id
}
const hasRuns = (id: string): boolean =>
  world.rows('select piece from bulk_action_pieces where bulk_action_id = ?', id).length > 0

test('an action is removed thirty days after its end, and not before', async () => {
  const [expired, recent] = [await ended(31 * day), await ended(20 * day)]
  await eventually('the removal of the expired one', async () => {
    await clock.advance(minute)
    return (await statusOf(expired)) === 404
  })
  expect(await statusOf(recent)).toBe(200)
})

test('selected runs are removed if no action waits for them, and those of a running action stay', async () => {
  const running = withRuns(await begun('running', 2 * hour))
  const canceled = withRuns(await begun('canceled', 2 * hour))
  const abandoned = withRuns(newId('blk', clock.now() - 2 * hour))
  // later than every sweep of this test
  const beginning = withRuns(newId('blk', clock.now() + day))
  await eventually('the removal of the others', async () => {
    await clock.advance(minute)
    return !hasRuns(canceled) && !hasRuns(abandoned)
  })
  expect([running, beginning].map(hasRuns)).toEqual([true, true])
})
