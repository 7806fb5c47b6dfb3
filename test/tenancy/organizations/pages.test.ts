import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Client } from '../../support/client.ts'
import { outcome } from '../../support/world/replies.ts'
import { type Browser, signIn } from '../sessions/browser.ts'
import { openWorld, organizationsPath, ours, type World } from './world.ts'

const rows = 45

let world: World
let session: Browser
let group: string
/** The paths of the lists, and the identity of an item. */
let lists: Record<Name, { path: string; by: Pick<Client, 'get'>; key: string; add(): Promise<unknown> }>
const names = ['organizations', 'members', 'user groups', 'group members', 'audit events'] as const
type Name = (typeof names)[number]

beforeAll(async () => {
  world = await openWorld()
  const { owner } = world
  session = await signIn(world.troupe)
  group = (await owner.post(`${ours}/user-groups`, { name: 'Group' })).body.data.id
  const groupMembers = `${ours}/user-groups/${group}/members`
  let named = 0
  const name = () => `name-${++named}`
  lists = {
    organizations: {
      path: organizationsPath,
      by: session,
      key: 'id',
      add: () => session.post(organizationsPath, { name: name(), slug: name() }),
    },
    members: { path: `${ours}/members`, by: owner, key: 'userId', add: async () => world.person('member') },
    'user groups': {
      path: `${ours}/user-groups`,
      by: owner,
      key: 'id',
      add: () => owner.post(`${ours}/user-groups`, { name: name() }),
    },
    'group members': {
      path: groupMembers,
      by: owner,
      key: 'userId',
      add: () => owner.post(groupMembers, { userId: world.person('member').id }),
    },
    'audit events': {
      path: `${ours}/audit-events`,
      by: owner,
      key: 'id',
      add: () => owner.patch(ours, { name: name() }),
    },
  }
  for (let row = 0; row < rows; row++) {
    // three of each instant, for the order of equally old ones
    if (row % 3 === 0) world.clock.advance(1_000)
    await Promise.all(names.map((list) => lists[list].add()))
  }
})
afterAll(() => world?.close())

async function pageOf(list: Name, query: { limit?: number; cursor?: string } = {}) {
  const { path, by, key } = lists[list]
  const { status, body } = await by.get(path, { query })
  expect(status).toBe(200)
  return {
    keys: body.data.items.map((item: Record<string, string>) => item[key]) as string[],
    items: body.data.items as { createdAt?: string; at?: string }[],
    next: body.pagination.nextCursor as string | undefined,
    pagination: body.pagination,
  }
}

async function walk(list: Name, limit: number, between: () => Promise<unknown> = async () => {}) {
  const keys: string[] = []
  for (let cursor: string | undefined, pages = 0; pages < 200; pages++) {
    const page = await pageOf(list, { limit, ...(cursor && { cursor }) })
    keys.push(...page.keys)
    if (!page.next) return keys
    cursor = page.next
    await between()
  }
  throw new Error('The list does not end.')
}

describe.each(names)('the list of %s', (list) => {
  test('has 20 items on a page by default, newest first', async () => {
    const { items, keys, pagination } = await pageOf(list)
    expect(keys).toHaveLength(20)
    expect(pagination).toEqual({ limit: 20, hasMore: true, nextCursor: expect.any(String) })
    const moments = items.map(({ createdAt, at }) => createdAt ?? (at as string))
    expect(moments).toEqual(moments.toSorted().reverse())
  })

  test('read in pages is the complete list, each item once, with any page size', async () => {
    const all = await walk(list, 100)
    expect(all.length).toBeGreaterThanOrEqual(rows)
    expect(new Set(all).size).toBe(all.length)
    for (const limit of [1, 7, 20]) expect(await walk(list, limit)).toEqual(all)
  })

  test('continues correctly while new items are added', async () => {
    const before = await walk(list, 100)
    const read = await walk(list, 7, async () => {
      world.clock.advance(1)
      await lists[list].add()
    })
    expect(read).toEqual(before)
    expect((await walk(list, 100)).length).toBeGreaterThan(before.length)
  })

  test.each([0, 101, -1, 'x', '1.5'])('refuses a limit of %p', async (limit) => {
    const { path, by } = lists[list]
    expect(outcome(await by.get(path, { query: { limit } }))).toBe('422 validation_failed')
  })

  test('refuses cursors of other lists', async () => {
    const { path, by } = lists[list]
    const own = (await pageOf(list, { limit: 5 })).next as string
    const cursors = ['x', 'AAAA', `${own}A`, own.slice(1), own.toUpperCase()]
    for (const other of names) if (other !== list) cursors.push((await pageOf(other, { limit: 5 })).next as string)
    for (const cursor of cursors) {
      expect(outcome(await by.get(path, { query: { cursor } }))).toBe('422 invalid_cursor')
    }
    expect(outcome(await by.get(path, { query: { cursor: own, limit: 3 } }))).toBe(200)
  })
})

test('continues when the item of the cursor is removed', async () => {
  const first = await pageOf('user groups', { limit: 10 })
  const rest = (await walk('user groups', 100)).slice(10)
  await world.owner.delete(`${ours}/user-groups/${first.keys.at(-1)}`)
  await world.owner.delete(`${ours}/user-groups/${rest[0]}`)
  const { keys } = await pageOf('user groups', { limit: 100, cursor: first.next as string })
  expect(keys).toEqual(rest.slice(1))
})

test.each(['members', 'user groups', 'audit events'] as const)(
  'a cursor of the %s of another organization is refused',
  async (list) => {
    const { path, owner } = world.elsewhere()
    const there = lists[list].path.replace(ours, path)
    const { next } = await pageOf(list, { limit: 5 })
    expect(outcome(await owner.client.get(there, { query: { cursor: next } }))).toBe('422 invalid_cursor')
  },
)

test('a cursor of the members of another group is refused', async () => {
  const { next } = await pageOf('group members', { limit: 5 })
  const { body } = await world.owner.post(`${ours}/user-groups`, { name: 'Another' })
  const there = `${ours}/user-groups/${body.data.id}/members`
  expect(outcome(await world.owner.get(there, { query: { cursor: next } }))).toBe('422 invalid_cursor')
})

test("a cursor of another user's organizations is refused", async () => {
  const { next } = await pageOf('organizations', { limit: 5 })
  const { client } = world.person('member')
  expect(outcome(await client.get(organizationsPath, { query: { cursor: next } }))).toBe('422 invalid_cursor')
})
