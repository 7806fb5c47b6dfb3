/** How long the moves of a job stay in its journal. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Verification } from '../../../src/runtime/statecharts/live/verify.ts'
import { eventually } from '../../support/process.ts'
import { data } from '../../support/world/replies.ts'
import { day, type Job, type JobsWorld, minute, openJobs } from './world.ts'

let world: JobsWorld
beforeAll(async () => {
  world = await openJobs({ environment: { TROUPE_EVENT_RETENTION_DAYS: '30' } })
})
afterAll(() => world?.stop())

/** A job with the moves of a thousand ticks besides those of its creation, this often, the last one now. */
async function jobWithTicksEvery(everyMs: number) {
  const place = await world.served()
  const { id } = await data<Job>(world.job(place, { schedule: { cron: '0 0 29 2 *' } }))
  const now = world.clock.now()
  world.rows('update transitions set at = ? where actor_id = ?', now - 1_001 * everyMs, id)
  world.rows(
    `insert into transitions (kind, actor_id, sequence, from_state, to_state, event, by_type, by_id, attempt, at)
     with recursive ticks(number) as (select 1 union all select number + 1 from ticks where number < 1000)
     select 'agent-job', ?1, 1 + number * 2, 'scheduled', 'firing', 'tick', 'system', 'troupe', 0, ?2 - (1000 - number) * ?3
     from ticks
     union all
     select 'agent-job', ?1, 2 + number * 2, 'firing', 'scheduled', 'fired', 'system', 'troupe', 0, ?2 - (1000 - number) * ?3
     from ticks`,
    id,
    now,
    everyMs,
  )
  return id
}

const journalOf = (id: string) =>
  world.rows<{ count: number; first: number; last: number }>(
    'select count(*) as count, min(sequence) as first, max(sequence) as last from transitions where actor_id = ?',
    id,
  )[0]
const verified = (id: string) => data<Verification>(world.owner.get(`/api/v1/actors/agent-job/${id}/verify`))

test('old moves are removed, except the last thousand, and the journal stays valid', async () => {
  const hourly = await jobWithTicksEvery(60 * minute)
  const daily = await jobWithTicksEvery(day)
  const often = await jobWithTicksEvery(minute)
  expect((await verified(hourly)).valid).toBe(true)
  world.clock.advance(11 * minute)

  // the ticks of the last thirty days
  const left = { count: 2 * 720, first: 563, last: 2_002 }
  await eventually('the removal of old moves', () => journalOf(hourly)?.count === left.count)
  expect(journalOf(hourly)).toEqual(left)
  await eventually('the removal of old moves', () => journalOf(daily)?.count === 1_000)
  expect(journalOf(daily)).toEqual({ count: 1_000, first: 1_003, last: 2_002 })
  expect(journalOf(often)).toMatchObject({ first: 2, last: 2_002 })
  const valid = { valid: true, storedState: 'scheduled', replayedState: 'scheduled', problem: null }
  for (const id of [hourly, daily, often]) expect(await verified(id)).toEqual(valid)
})

test('a gap within the rest is reported', async () => {
  const id = await jobWithTicksEvery(minute)
  world.rows('delete from transitions where actor_id = ? and sequence = 900', id)
  expect(await verified(id)).toMatchObject({ valid: false, problem: 'Transition 900 is missing.' })
})
