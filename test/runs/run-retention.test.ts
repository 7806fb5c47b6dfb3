/** How long ended runs are kept, and when expired ones are removed. Source: contract 9, "Decided since". */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { HandClock } from '../runtime/statecharts/clock.ts'
import { eventually } from '../support/process.ts'
import { endedStates, insertRun, liveStates, traces } from '../tenancy/deletions/rows.ts'
import { openWorld, type World } from '../tenancy/deletions/world.ts'

const [second, minute, day] = [1_000, 60_000, 86_400_000]
const agentId = 'agt_system_assistant'

const statusOf = async (world: World, id: string) => (await world.owner.get(`/api/v1/agent-runs/${id}`)).status

/** A run that ended, or moved last, this long ago. */
function runFrom(
  world: World,
  clock: HandClock,
  state: Parameters<typeof insertRun>[2],
  ago: number,
  events = 1,
): string {
  const { database, organizationId } = world
  const id = insertRun(database, { organizationId, agentId }, state, events)
  const at = clock.now() - ago
  database.query('update runs set updated_at = ?, retention_expires_at = ? where id = ?').run(at, at + 30 * day, id)
  database.query('update runs set due_at = ? where id = ?').run(clock.now() + 1e12, id)
  database.query('delete from effects where actor_id = ?').run(id)
  return id
}

describe('TROUPE_RUN_RETENTION_DAYS=1.5', () => {
  const clock = new HandClock()
  let world: World
  beforeAll(async () => {
    const environment = { TROUPE_RUN_RETENTION_DAYS: '1.5', TROUPE_SWEEP_INTERVAL_MS: String(minute) }
    world = await openWorld({ clock, environment })
  })
  afterAll(() => world?.stop())

  test('expired runs are removed completely within ten seconds of the start; live, younger and unfinished ones stay', async () => {
    const gone = endedStates.map((state) => runFrom(world, clock, state, 1.6 * day))
    const huge = runFrom(world, clock, 'completed', 3 * day, 1_200)
    const live = liveStates.map((state) => runFrom(world, clock, state, 100 * day))
    const recent = runFrom(world, clock, 'completed', 1.4 * day)
    const telling = runFrom(world, clock, 'completed', 5 * day)
    const effect =
      'insert into effects (id, kind, actor_id, name, params, due_at, attempts) values (?, ?, ?, ?, ?, ?, 0)'
    world.database.query(effect).run('later', 'run', telling, 'none', 'null', clock.now() + 1e12)

    clock.advance(10 * second)
    await eventually(
      'the end of the last one',
      async () => Object.keys(traces(world.database, [...gone, huge])).length === 0,
    )
    for (const id of [...gone, huge]) expect(await statusOf(world, id)).toBe(404)
    for (const id of [...live, recent, telling]) expect(await statusOf(world, id)).toBe(200)
    const whole = traces(world.database, [recent])
    expect(whole).toMatchObject({ 'run_events.run_id': 1, 'checkpoints.run_id': 1, 'transitions.actor_id': 1 })

    // newly expired ones are found at the next sweep
    clock.advance(day / 5)
    await eventually('the end of the recent one', async () => {
      clock.advance(minute)
      return (await statusOf(world, recent)) === 404
    })
    for (const id of [...live, telling]) expect(await statusOf(world, id)).toBe(200)
    expect(world.lines).toEqual([])
  })
})

test('without it runs stay forever; only their content is removed', async () => {
  const clock = new HandClock()
  const world = await openWorld({ clock })
  const run = runFrom(world, clock, 'completed', 1_000 * day)
  await eventually('a sweep', () => {
    clock.advance(10 * minute)
    const row = world.database.query<{ at: number | null }, [string]>(
      'select content_removed_at as at from runs where id = ?',
    )
    return row.get(run)?.at !== null
  })
  clock.advance(10 * minute)
  expect(await statusOf(world, run)).toBe(200)
  await world.stop()
})
