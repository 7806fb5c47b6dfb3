/** Contract 1, end of "Session": a stream ends within two seconds of the revocation of what opened it. */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { replyOf } from '../../support/client.ts'
import { eventually } from '../../support/process.ts'
import { data } from '../../support/world/replies.ts'
import { openWorld, type Reader, streamNames, streams, type Watched, type World } from './world.ts'

let world: World
let shared: Watched
beforeAll(async () => {
  world = await openWorld()
  shared = await world.watched()
})
afterAll(() => world?.close())

const organization = () => `/api/v1/organizations/${world.ours}`
const member = (id: string) => `${organization()}/members/${id}`

interface Loss {
  by: string
  /** The answer to a reader that reconnects. */
  afterwards: number
  reader(watched: Watched): Reader | Promise<Reader>
  /** The steps that end the authority; the last one does. */
  take(reader: Reader, watched: Watched): Promise<unknown>
}

let takeGrant: () => Promise<unknown> = async () => {}
let groupPath = ''

const withGrant = async (reader: Reader, watched: Watched) => {
  const path = await world.grant(watched, { type: 'user', id: reader.userId })
  takeGrant = () => data(world.owner.delete(path))
  return reader
}
const withGroup = async (reader: Reader, watched: Watched) => {
  const group = await world.group(reader.userId)
  const path = await world.grant(watched, { type: 'userGroup', id: group.id })
  groupPath = group.path
  takeGrant = () => data(world.owner.delete(path))
  return reader
}

const losses: Loss[] = [
  {
    by: 'its key being revoked',
    afterwards: 401,
    reader: () => world.person('owner'),
    take: ({ credentialId }) => data(world.owner.post(`/api/v1/api-keys/${credentialId}/revoke`)),
  },
  {
    by: 'its key expiring',
    afterwards: 401,
    reader: () => world.person('owner', { expires_at: Date.now() + 400 }),
    take: async () => {},
  },
  {
    by: 'its key being revoked behind the back of the server',
    afterwards: 401,
    reader: () => world.person('owner'),
    take: async ({ credentialId }) =>
      world.tenancy.run(`update api_keys set status = 'revoked' where id = ?`, credentialId),
  },
  {
    by: 'the removal of the member who made its key',
    afterwards: 401,
    reader: () => world.person('admin'),
    take: ({ userId }) => data(world.owner.delete(member(userId))),
  },
  {
    by: 'another role of the member who made its key',
    afterwards: 403,
    reader: () => world.person('admin'),
    take: ({ userId }) => data(world.owner.patch(member(userId), { role: 'member' })),
  },
  {
    by: 'another role behind the back of the server',
    afterwards: 403,
    reader: () => world.person('admin'),
    take: async ({ userId }) => world.tenancy.run(`update memberships set role = 'member' where user_id = ?`, userId),
  },
  {
    by: 'the end of its grant',
    afterwards: 403,
    reader: (watched) => withGrant(world.person('member'), watched),
    take: () => takeGrant(),
  },
  {
    by: "the end of its group's grant",
    afterwards: 403,
    reader: (watched) => withGroup(world.person('member'), watched),
    take: () => takeGrant(),
  },
  {
    by: 'leaving the group that has the grant',
    afterwards: 403,
    reader: (watched) => withGroup(world.person('member'), watched),
    take: ({ userId }) => data(world.owner.delete(`${groupPath}/members/${userId}`)),
  },
  {
    by: 'the end of the group that has the grant',
    afterwards: 403,
    reader: (watched) => withGroup(world.person('member'), watched),
    take: () => data(world.owner.delete(groupPath)),
  },
  {
    by: 'signing out',
    afterwards: 401,
    reader: () => world.browser('owner'),
    take: ({ client }) => data(client.delete('/api/auth/session')),
  },
  {
    by: 'its session being over',
    afterwards: 401,
    reader: () => world.browser('owner', { lifeMs: 400 }),
    take: async () => {},
  },
  {
    by: 'the removal of the member whose session it is',
    afterwards: 403,
    reader: () => world.browser('admin'),
    take: ({ userId }) => data(world.owner.delete(member(userId))),
  },
  {
    by: 'the end of the grant of the member whose session it is',
    afterwards: 403,
    reader: (watched) => withGrant(world.browser('member'), watched),
    take: () => takeGrant(),
  },
]

test.each(losses)('every kind of stream ends by $by', async ({ afterwards, reader: open, take }) => {
  const reader = await open(shared)
  const paths = streamNames.map((name) => streams[name](shared))
  const followed = await Promise.all(paths.map((path) => world.follow(reader, path)))
  // an unaffected one continues
  const other = await world.follow(world.person('owner'), paths[0]!)

  await take(reader, shared)

  for (const stream of followed) {
    const events = await stream.all()
    expect(events).toHaveLength(2)
    const [, last] = events
    expect(last).toEqual({ id: Number.NaN, event: 'end', data: { reason: 'revoked', at: expect.any(String) } })
  }
  for (const path of paths) {
    const again = await reader.client.raw('GET', path)
    expect(again.status).toBe(afterwards)
    await again.body?.cancel()
  }
  expect(other.ended).toBe(false)
  await other.cancel()
})

test('the stream of an Environment ends with its Project', async () => {
  const watched = await world.watched()
  const reader = world.person('owner')
  const path = streams['the actor of an Environment'](watched)
  const stream = await world.follow(reader, path)
  await data(world.owner.delete(watched.project))
  const events = await stream.all()
  expect(events.at(-1)).toMatchObject({ event: 'end' })
  expect((await reader.client.get(path)).status).toBe(404)
})

test('the end of a run differs from a revocation by its number and state', async () => {
  const watched = await world.watched()
  const stream = await world.follow(world.person('owner'), streams['a run'](watched))
  await data(world.owner.post(`/api/v1/agent-runs/${watched.runId}/cancel`))
  const end = (await stream.all()).at(-1)
  expect(end).toMatchObject({ event: 'end', id: expect.any(Number), data: { sequence: end?.id } })
  expect(end?.data.reason).toBeUndefined()
})

test('later events are not sent, and a reader that is admitted again misses nothing', async () => {
  const watched = await world.watched()
  const reader = world.person('admin')
  const path = streams['a run'](watched)
  const stream = await world.follow(reader, path)
  const { lastSequence } = stream.events[0]!.data.data
  await data(world.owner.patch(member(reader.userId), { role: 'member' }))
  const frames = await stream.all()
  await data(world.owner.post(`/api/v1/agent-runs/${watched.runId}/cancel`))
  expect(frames.map(({ event }) => event)).toEqual(['run.snapshot', 'end'])

  await data(world.owner.patch(member(reader.userId), { role: 'admin' }))
  const missed = await world.follow(reader, `${path}?after=${lastSequence}`)
  expect((await missed.all()).map(({ id, event }) => [id, event])).toEqual([
    [lastSequence + 1, 'run.transition'],
    [lastSequence + 2, 'end'],
  ])
})

test('a filter of types does not hold back the last event', async () => {
  const watched = await world.watched()
  const reader = world.person('owner')
  const stream = await world.follow(reader, `${streams['a run'](watched)}?types=run.snapshot`)
  await data(world.owner.post(`/api/v1/api-keys/${reader.credentialId}/revoke`))
  expect((await stream.all()).at(-1)).toMatchObject({ event: 'end', data: { reason: 'revoked' } })
})

test('every stream has only events of the API document, to its last one', async () => {
  const watched = await world.watched()
  const reader = world.person('owner')
  const actor = `/api/v1/actors/run/${watched.runId}`
  const { ticket } = await data(reader.client.post(`${actor}/embed-tickets`, {}))
  const embedded = `${actor.replace('actors', 'embedded-actors')}/stream?ticket=${ticket}`
  const logs = `/api/v1/agent-runs/${watched.runId}/logs?follow=true`
  const paths = [...streamNames.map((name) => streams[name](watched)), logs, embedded]
  const open = await Promise.all(paths.map((path) => reader.client.raw('GET', path)))
  expect(open.map(({ status }) => status)).toEqual(paths.map(() => 200))
  await data(world.owner.post(`/api/v1/agent-runs/${watched.runId}/cancel`))
  await data(world.owner.post(`/api/v1/api-keys/${reader.credentialId}/revoke`))
  const replies = paths.map((path, index) => replyOf(world.url, 'GET', path, open[index] as Response))
  for (const { body } of await Promise.all(replies)) expect(body).toContain('event: end')
})

test('the removal of an organization ends the streams of its keys', async () => {
  const client = await world.foreigner()
  const { items } = await data<{ items: { id: string }[] }>(client.get('/api/v1/organizations'))
  const project = await data(client.post('/api/v1/projects', { slug: 'gone', name: 'Gone' }))
  const environments = await data<{ items: { id: string }[] }>(
    client.get(`/api/v1/projects/${project.id}/environments`),
  )
  const path = `/api/v1/actors/environment/${environments.items[0]!.id}/stream`
  const stream = await world.follow({ client }, path)
  await data(client.delete(`/api/v1/organizations/${items[0]!.id}`))
  expect((await stream.all()).at(-1)).toMatchObject({ event: 'end' })
  // while its parts are removed, the Environment may be gone before the key
  await eventually('the end of the key', async () => (await client.get(path)).status === 401)
})
