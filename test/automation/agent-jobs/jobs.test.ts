/** Agent jobs over the API. Source: requirement 4.9, 5; contract 6, Jobs. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { EventReader } from '../../runs/stream/event-stream.ts'
import { bothAtOnce, data, verdict } from '../../support/world/replies.ts'
import { type Job, type JobPlace, type JobsWorld, openJobs } from './world.ts'

let world: JobsWorld
let place: JobPlace
beforeAll(async () => {
  world = await openJobs()
  place = await world.served()
})
afterAll(() => world?.stop())

const created = (changes: object = {}) => data<Job>(world.job(place, changes))

test('a job is created with its next tick, by default enabled and with overlap skip', async () => {
  const { status, body } = await world.job(place, { schedule: { cron: ' 30  7 * * * ' } })
  expect(status).toBe(201)
  const { id, createdAt, updatedAt, ...job } = body.data
  expect(job).toEqual({
    environmentId: place.environmentId,
    agentId: place.agentId,
    name: 'Report',
    schedule: { cron: '30 7 * * *', timezone: 'UTC' },
    query: '/say done',
    workflow: null,
    params: null,
    enabled: true,
    nextRunAt: '2026-02-01T07:30:00.000Z',
    lastFirings: [],
    overlap: 'skip',
  })
  expect(updatedAt).toBe(createdAt)
  expect((await world.owner.get(`${place.jobs}/${id}`)).body).toEqual(body)
})

test('a disabled job has no next tick; once enabled, its next tick is computed from that moment; disabled again, it has none', async () => {
  const { id, nextRunAt } = await created({
    enabled: false,
    schedule: { cron: '0 9 * * *', timezone: 'Europe/Berlin' },
  })
  expect(nextRunAt).toBeNull()
  const path = `${place.jobs}/${id}`
  expect(await data(world.owner.patch(path, { enabled: true }))).toMatchObject({
    nextRunAt: '2026-02-01T08:00:00.000Z',
  })
  expect(await data(world.owner.patch(path, { enabled: false }))).toMatchObject({ enabled: false, nextRunAt: null })
})

test('an update replaces the given fields, reschedules, and keeps the rest', async () => {
  const { id } = await created()
  const path = `${place.jobs}/${id}`
  const changed = await data(world.owner.patch(path, { name: 'Other', query: 'Else?', overlap: 'allow' }))
  expect(changed).toMatchObject({
    name: 'Other',
    query: 'Else?',
    overlap: 'allow',
    nextRunAt: '2026-01-31T13:00:00.000Z',
  })
  expect(await data(world.owner.patch(path, { schedule: { cron: '15 12 * * *' } }))).toMatchObject({
    name: 'Other',
    schedule: { cron: '15 12 * * *', timezone: 'UTC' },
    nextRunAt: '2026-01-31T12:15:00.000Z',
  })
  expect(await data(world.owner.patch(path, { schedule: { timezone: 'Asia/Kolkata' } }))).toMatchObject({
    schedule: { cron: '15 12 * * *', timezone: 'Asia/Kolkata' },
    nextRunAt: '2026-02-01T06:45:00.000Z',
  })
  const before = await world.owner.get(path)
  const nothing = await world.owner.patch(path, {})
  expect([nothing.status, nothing.body]).toEqual([200, before.body])
})

describe('invalid fields return 422', () => {
  const wrong: [string, object, string][] = [
    ['no cron pattern', { schedule: { cron: 'daily', timezone: 'UTC' } }, '/body/schedule/cron'],
    ['seconds', { schedule: { cron: '* * * * * *', timezone: 'UTC' } }, '/body/schedule/cron'],
    ['a day that never occurs', { schedule: { cron: '0 0 30 2 *', timezone: 'UTC' } }, '/body/schedule/cron'],
    ['no time zone', { schedule: { cron: '* * * * *', timezone: 'Mars/Olympus' } }, '/body/schedule/timezone'],
    ['a bare offset', { schedule: { cron: '* * * * *', timezone: '+02:00' } }, '/body/schedule/timezone'],
    ['a blank query', { query: ' \n ' }, '/body/query'],
    ['an empty name', { name: ' ' }, '/body/name'],
    ['an unknown overlap', { overlap: 'queue' }, '/body/overlap'],
    ['an unknown field', { more: 1 }, '/body/more'],
  ]
  test.each(wrong)('%s', async (_what, changes, path) => {
    const { id } = await created()
    for (const { status, body } of [
      await world.job(place, changes),
      await world.owner.patch(`${place.jobs}/${id}`, changes),
    ]) {
      expect([status, body.error.code]).toEqual([422, 'validation_failed'])
      expect(body.error.details.issues.map((issue: { path: string }) => issue.path)).toContain(path)
    }
  })
})

test('an Agent of another Project, and one that is being deleted, return 404', async () => {
  const other = await world.served()
  expect((await world.job({ ...place, agentId: other.agentId })).status).toBe(404)
  expect((await world.job({ ...place, agentId: 'agt_01h455vb4pex5vsknk084sn02q' })).status).toBe(404)
  const { agentId } = await world.agent(place)
  await data(world.owner.delete(`${place.project}/agents/${agentId}`))
  expect((await world.job({ ...place, agentId })).status).toBe(404)
})

test('a job of another Environment is not found', async () => {
  const other = await world.served()
  const { id } = await created()
  const path = `${other.jobs}/${id}`
  for (const { status } of [
    await world.owner.get(path),
    await world.owner.patch(path, { name: 'Mine' }),
    await world.owner.delete(path),
    await world.owner.post(`${path}/run-now`),
  ]) {
    expect(status).toBe(404)
  }
})

test('a deleted job is gone, with its timers; deleting it again returns 404', async () => {
  const { id } = await created()
  const path = `${place.jobs}/${id}`
  const answers = await Promise.all(Array.from({ length: 8 }, () => world.owner.delete(path)))
  expect(answers.map(({ status }) => status).sort()).toEqual([204, ...Array(7).fill(404)])
  expect((await world.owner.get(path)).status).toBe(404)
  for (const table of ['timers', 'effects', 'transitions']) {
    expect(world.rows(`select * from ${table} where actor_id = ?`, id)).toEqual([])
  }
})

test('the stream of a deleted job ends', async () => {
  const { id } = await created()
  const stream = `/api/v1/actors/agent-job/${id}/stream`
  const reader = new EventReader(await world.owner.raw('GET', stream))
  await reader.take(1)
  expect((await world.owner.delete(`${place.jobs}/${id}`)).status).toBe(204)
  const last = (await reader.all()).at(-1)
  expect(last).toMatchObject({ event: 'end', data: { reason: 'revoked' } })
  expect((await world.owner.get(stream)).status).toBe(404)
})

test('the list is paged, newest first', async () => {
  const at = await world.served()
  const ids: string[] = []
  for (let index = 0; index < 3; index += 1) {
    world.clock.advance(1)
    ids.push((await data(world.job(at))).id)
  }
  const first = await world.owner.get(at.jobs, { query: { limit: 2 } })
  expect(first.body.data.items.map(({ id }: Job) => id)).toEqual(ids.slice(1).reverse())
  const { nextCursor } = first.body.pagination
  const second = await world.owner.get(at.jobs, { query: { limit: 2, cursor: nextCursor } })
  expect(second.body.data.items.map(({ id }: Job) => id)).toEqual(ids.slice(0, 1))
  expect((await world.owner.get(place.jobs, { query: { cursor: nextCursor } })).body.error.code).toBe('invalid_cursor')
})

test('eight concurrent updates all succeed, one after the other', async () => {
  const { id } = await created()
  const path = `${place.jobs}/${id}`
  const minutes = Array.from({ length: 8 }, (_, index) => index + 1)
  const answers = await Promise.all(
    minutes.map((at) =>
      world.owner.patch(path, at % 2 ? { schedule: { cron: `${at} * * * *` } } : { enabled: at % 4 === 0 }),
    ),
  )
  expect(answers.map(({ status }) => status)).toEqual(minutes.map(() => 200))
  const job = await data<Job>(world.owner.get(path))
  const { cron } = job.schedule as { cron: string }
  const planned = `2026-01-31T12:0${cron.split(' ')[0]}:00.000Z`
  expect(job.nextRunAt).toBe(job.enabled ? planned : null)
})

test('an Environment has at most 200 jobs, also with concurrent creations', async () => {
  const at = await world.served()
  const disabled = { enabled: false }
  for (let round = 0; round < 19; round += 1) {
    await Promise.all(Array.from({ length: 10 }, () => data(world.job(at, disabled))))
  }
  const answers = await Promise.all(
    Array.from({ length: 16 }, (_, index) => world.job(at, { enabled: index % 2 === 0 })),
  )
  expect(answers.filter(({ status }) => status === 201).length).toBe(10)
  for (const { status, body } of answers.filter((answer) => answer.status !== 201)) {
    expect([status, body.error.code]).toEqual([422, 'limit_exceeded'])
  }
  expect(world.rows('select count(*) as n from agent_jobs where environment_id = ?', at.environmentId)).toEqual([
    { n: 200 },
  ])
})

describe('a key that is bound to an Agent', () => {
  test('reads its own jobs and no others, and changes none', async () => {
    const at = await world.served()
    const sibling = await world.agent(at)
    const ours = await data<Job>(world.job(at))
    const theirs = await data<Job>(world.job({ ...at, agentId: sibling.agentId }))
    const { secret } = await data<{ secret: string }>(
      world.owner.post('/api/v1/api-keys', {
        name: 'bound',
        operations: ['*'],
        projectId: at.projectId,
        agentId: at.agentId,
      }),
    )
    const bound = world.as(secret)
    const { items } = await data<{ items: Job[] }>(bound.get(at.jobs))
    expect(items.map(({ id }) => id)).toEqual([ours.id])
    expect((await bound.get(`${at.jobs}/${ours.id}`)).status).toBe(200)
    expect((await bound.get(`${at.jobs}/${theirs.id}`)).status).toBe(404)
    expect((await bound.get(`/api/v1/actors/agent-job/${ours.id}`)).status).toBe(200)
    expect((await bound.get(`/api/v1/actors/agent-job/${theirs.id}`)).status).toBe(404)
    expect((await bound.patch(`${at.jobs}/${ours.id}`, { name: 'Mine' })).status).toBe(403)
  })
})

describe('an Agent with jobs', () => {
  test('cannot be deleted while one of them is enabled, and its deletion deletes them', async () => {
    const at = await world.place()
    const { agentId } = await world.agent(at)
    const there = { ...at, agentId, jobs: `${at.path}/agent-jobs` }
    const agent = `${at.project}/agents/${agentId}`
    const { id } = await data<Job>(world.job(there))
    const refused = await world.owner.delete(agent)
    expect([refused.status, refused.body.error]).toMatchObject([
      409,
      { code: 'agent_in_use', details: { dependents: [{ type: 'agentJob', id }] } },
    ])
    await data(world.owner.patch(`${there.jobs}/${id}`, { enabled: false }))
    const [deleted, ...enabled] = await Promise.all([
      world.owner.delete(agent),
      ...Array.from({ length: 4 }, () => world.owner.patch(`${there.jobs}/${id}`, { enabled: true })),
    ])
    const isDeleted = deleted.status < 300
    expect(isDeleted ? enabled.map(({ status }) => status) : deleted.status).toEqual(
      isDeleted ? [404, 404, 404, 404] : 409,
    )
  })

  test.each([
    ['created', (at: JobPlace) => world.job(at)],
    ['enabled', (at: JobPlace, id: string) => world.owner.patch(`${at.jobs}/${id}`, { enabled: true })],
  ] as const)('stays if a job is %s at the moment of its deletion, or is deleted without it', async (_, begin) => {
    const at = await world.place()
    for (let round = 0; round < 6; round += 1) {
      const { agentId, path } = await world.agent(at)
      const there = { ...at, agentId, jobs: `${at.path}/agent-jobs` }
      const { id } = await data<Job>(world.job(there, { enabled: false }))
      const [begun, deleted] = await bothAtOnce(
        round,
        () => begin(there, id),
        () => world.owner.delete(path),
      )
      if (begun.status < 300) {
        expect(verdict(deleted)).toEqual([409, 'agent_in_use'])
        expect((await world.owner.get(path)).body.data.status).toBe('active')
      } else expect([begun.status, deleted.status]).toEqual([404, 202])
    }
  })
})
