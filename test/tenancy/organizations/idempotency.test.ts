import { afterAll, beforeAll, expect, test } from 'bun:test'
import { atOnce, outcome, tally } from '../../support/world/replies.ts'
import { signIn } from '../sessions/browser.ts'
import { openWorld, organizationsPath, ours, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.close())

let slugs = 0
const body = () => ({ name: 'Once', slug: `once-${++slugs}` })
const create = (sent: object, key: string, by: Pick<World['owner'], 'post'> = world.owner, again = false) =>
  // a replayed answer has the first request's id in its body
  by.post(organizationsPath, sent, { headers: { 'idempotency-key': key }, unchecked: again })
const countOf = (slug: string) => world.tenancy.all('select id from organizations where slug = ?', slug).length

test('the repeated request gets the first answer, and creates nothing', async () => {
  const sent = body()
  const first = await create(sent, 'same')
  const second = await create(sent, 'same')
  expect(outcome(first)).toBe(200)
  expect(second.body).toEqual(first.body)
  expect(first.headers.get('idempotency-replayed')).toBeNull()
  expect(second.headers.get('idempotency-replayed')).toBe('true')
  expect(second.requestId).not.toBe(first.requestId)
})

test('the same key with another body answers 422', async () => {
  const sent = body()
  await create(sent, 'reused')
  expect(outcome(await create({ ...sent, name: 'Twice' }, 'reused'))).toBe('422 idempotency_key_reused')
  expect(outcome(await create(body(), 'reused'))).toBe('422 idempotency_key_reused')
})

test('eight times at once creates one, and all get its answer', async () => {
  const sent = body()
  const replies = await atOnce(8, () => create(sent, 'crowd'))
  expect(tally(replies)).toEqual({ 200: 8 })
  expect(new Set(replies.map((reply) => reply.body.data.id)).size).toBe(1)
  expect(countOf(sent.slug)).toBe(1)
})

test('without a key the second request conflicts with its own slug', async () => {
  const sent = body()
  expect(outcome(await world.owner.post(organizationsPath, sent))).toBe(200)
  expect(outcome(await world.owner.post(organizationsPath, sent))).toBe('400 slug_taken')
})

test('the key belongs to the user: by key and by session it is the same, for another user another', async () => {
  const sent = body()
  const first = await create(sent, 'mine')
  const session = await signIn(world.troupe)
  const bySession = await create(sent, 'mine', session)
  expect(bySession.body).toEqual(first.body)
  expect(bySession.headers.get('idempotency-replayed')).toBe('true')
  const somebodyElse = await create(sent, 'mine', world.person('member').client)
  expect(outcome(somebodyElse)).toBe('400 slug_taken')
})

test('a conflict is stored: even if the slug is free again, the same key gets the same answer', async () => {
  const { path, owner } = world.elsewhere()
  await owner.client.patch(path, { slug: 'soon-free' })
  const sent = { name: 'Later', slug: 'soon-free' }
  expect(outcome(await create(sent, 'later'))).toBe('400 slug_taken')
  await owner.client.patch(path, { slug: 'moved-on' })
  expect(outcome(await create(sent, 'later', world.owner, true))).toBe('400 slug_taken')
  expect(outcome(await create(sent, 'later still'))).toBe(200)
})

test('after 24 hours the key is new', async () => {
  const sent = body()
  await create(sent, 'old')
  world.clock.advance(24 * 60 * 60 * 1000)
  expect(outcome(await create(sent, 'old', world.keyOf(world.organizationId, world.ownerId).client))).toBe(
    '400 slug_taken',
  )
})

test.each([
  ['empty', '', '400 invalid_idempotency_key'],
  ['of 256 characters', 'k'.repeat(256), '400 invalid_idempotency_key'],
  ['with other letters', 'clé', '400 invalid_idempotency_key'],
])('a key %s is refused', async (_, key, expected) => {
  expect(outcome(await create(body(), key))).toBe(expected)
})

test('a change of the organization ignores the key: it is repeated', async () => {
  const headers = { 'idempotency-key': 'ignored' }
  await world.owner.patch(ours, { name: 'One' }, { headers })
  const { body: changed } = await world.owner.patch(ours, { name: 'Two' }, { headers })
  expect(changed.data.name).toBe('Two')
})
