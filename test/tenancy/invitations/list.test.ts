import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { MailLimiter } from '../../../src/platform/limits/mails.ts'
import { Invitations, pruneInvitations } from '../../../src/tenancy/invitations/invitations.ts'
import { migrate } from '../../../storage/migrations.ts'
import { openSqlite } from '../../../storage/sqlite/store.ts'
import { organizations, tenants, users } from '../../runs/tenants.ts'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import { openTroupe, type Troupe } from '../../support/troupe.ts'
import { Tenancy } from '../../support/world/tenancy.ts'
import { type Browser, invite, newMember, newOrganization, signIn } from '../sessions/browser.ts'

const day = 24 * 3_600_000
const clock = new HandClock()
let troupe: Troupe
let owner: Browser
beforeAll(async () => {
  troupe = await openTroupe({ clock, environment: { TROUPE_RUNNER: 'none', TROUPE_RATE_LIMIT_PER_MINUTE: '0' } })
  owner = await signIn(troupe)
})
afterAll(() => troupe?.stop())

interface Item {
  id: string
  email: string
}
const pathOf = (organization: string) => `/api/v1/organizations/${organization}/invitations`
async function pagesOf(path: string, limit: number) {
  const pages: Item[][] = []
  for (let cursor: string | undefined; ; ) {
    const { status, body } = await owner.get(path, { query: { limit, cursor } })
    expect(status).toBe(200)
    pages.push(body.data.items)
    cursor = body.pagination.nextCursor
    if (!body.pagination.hasMore) return pages
  }
}

describe('the list of invitations', () => {
  test('shows who is invited, by whom and until when, and never the token', async () => {
    const organization = await newOrganization(owner)
    const { id, token, expiresAt } = await invite(owner, organization, 'Ada@Example.com', 'admin')
    const { body } = await owner.get(pathOf(organization))
    expect(body).toEqual({
      data: {
        items: [
          {
            id,
            email: 'ada@example.com',
            role: 'admin',
            invitedBy: owner.userId,
            createdAt: new Date(clock.now()).toISOString(),
            expiresAt,
          },
        ],
      },
      pagination: { limit: 20, hasMore: false },
    })
    expect(JSON.stringify(body)).not.toContain(token)
  })

  test('has pages, newest first, regardless of changes in between', async () => {
    const organization = await newOrganization(owner)
    const made: string[] = []
    for (let index = 0; index < 45; index += 1) {
      clock.advance(1)
      made.push((await invite(owner, organization, `guest-${index}@example.com`)).id)
    }
    const pages = await pagesOf(pathOf(organization), 20)
    expect(pages.map(({ length }) => length)).toEqual([20, 20, 5])
    expect(pages.flat().map(({ id }) => id)).toEqual(made.toReversed())

    const { body } = await owner.get(pathOf(organization), { query: { limit: 10 } })
    const shown = body.data.items.map(({ id }: Item) => id)
    await owner.delete(`${pathOf(organization)}/${shown.at(-1)}`)
    clock.advance(1)
    await invite(owner, organization, 'late@example.com')
    const next = await owner.get(pathOf(organization), { query: { limit: 10, cursor: body.pagination.nextCursor } })
    expect(next.body.data.items.map(({ id }: Item) => id)).toEqual(made.toReversed().slice(10, 20))

    const elsewhere = await newOrganization(owner)
    const cursor = body.pagination.nextCursor
    for (const path of [pathOf(elsewhere), `/api/v1/organizations/${organization}/members`]) {
      const { status, body: refused } = await owner.get(path, { query: { cursor } })
      expect({ status, code: refused.error.code }).toEqual({ status: 422, code: 'invalid_cursor' })
    }
  })

  test('shows only those that can still be accepted', async () => {
    const organization = await newOrganization(owner)
    const [expiring, withdrawn] = [
      await invite(owner, organization, 'one@example.com'),
      await invite(owner, organization, 'two@example.com'),
    ]
    expect((await owner.delete(`${pathOf(organization)}/${withdrawn.id}`)).status).toBe(204)
    clock.advance(1)
    const again = await invite(owner, organization, 'three@example.com')
    const replacing = await invite(owner, organization, 'three@example.com')
    expect((await pagesOf(pathOf(organization), 20)).flat().map(({ id }) => id)).toEqual([replacing.id, expiring.id])
    expect((await owner.delete(`${pathOf(organization)}/${again.id}`)).status).toBe(404)
    clock.advance(7 * day)
    owner = await signIn(troupe)
    expect((await pagesOf(pathOf(organization), 20)).flat()).toEqual([])
    expect((await owner.delete(`${pathOf(organization)}/${expiring.id}`)).status).toBe(404)
  })
})

describe("the inviter's role", () => {
  const shown = async (organization: string) =>
    (await pagesOf(pathOf(organization), 20))
      .flat()
      .map(({ email }) => email)
      .sort()
  const memberOf = (organization: string, { userId }: Browser) =>
    `/api/v1/organizations/${organization}/members/${userId}`

  test('decides whether an invitation is listed', async () => {
    const organization = await newOrganization(owner)
    const second = await newMember({ owner, url: troupe.url }, organization, 'second@example.com', 'owner')
    await invite(owner, organization, 'mine@example.com')
    await invite(second, organization, 'as-owner@example.com', 'owner')
    const { id } = await invite(second, organization, 'as-admin@example.com', 'admin')
    const changeTo = (role: string) => owner.patch(memberOf(organization, second), { role })
    for (const [role, expected] of [
      ['admin', ['as-admin@example.com', 'mine@example.com']],
      ['member', ['mine@example.com']],
      ['owner', ['as-admin@example.com', 'as-owner@example.com', 'mine@example.com']],
    ] as const) {
      expect((await changeTo(role)).status).toBe(200)
      expect(await shown(organization)).toEqual([...expected])
    }
    await changeTo('member')
    expect((await owner.delete(`${pathOf(organization)}/${id}`)).status).toBe(204)
  })

  test('ends with the membership', async () => {
    const organization = await newOrganization(owner)
    const leaving = await newMember({ owner, url: troupe.url }, organization, 'leaving@example.com', 'admin')
    await invite(leaving, organization, 'left-behind@example.com')
    expect(await shown(organization)).toEqual(['left-behind@example.com'])
    expect((await owner.delete(memberOf(organization, leaving))).status).toBe(204)
    expect(await shown(organization)).toEqual([])
  })
})

describe('withdrawing an invitation', () => {
  test('eight times at once happens once', async () => {
    const { id } = await invite(owner, 'default', 'withdrawn@example.com')
    const replies = await Promise.all(Array.from({ length: 8 }, () => owner.delete(`${pathOf('default')}/${id}`)))
    expect(replies.map(({ status }) => status).sort()).toEqual([204, ...Array(7).fill(404)])
  })

  test('leaves one line in the audit log', async () => {
    const { id } = await invite(owner, 'default', 'audited@example.com')
    const { requestId } = await owner.delete(`${pathOf('default')}/${id}`)
    const { body } = await owner.get('/api/v1/organizations/default/audit-events')
    const lines = body.data.items.filter((item: { requestId: string }) => item.requestId === requestId)
    expect(
      lines.map(({ operation, resource, outcome, changed }: Record<string, unknown>) => [
        operation,
        resource,
        outcome,
        changed,
      ]),
    ).toEqual([['deleteInvitation', { type: 'invitation', id }, 'allowed', []]])
  })

  test('of another organization, an expired one, a malformed one and a removed one get the same 404', async () => {
    const organization = await newOrganization(owner)
    const foreign = await invite(owner, organization, 'foreign@example.com')
    await invite(owner, 'default', 'still-there@example.com')
    const expired = await invite(owner, 'default', 'expired@example.com')
    const tenancy = new Tenancy(troupe.file)
    tenancy.run('update invitations set expires_at = ? where id = ?', clock.now(), expired.id)
    tenancy.close()
    const ids = [foreign.id, expired.id, 'ivt_01h455vb4pex5vsknk084sn02q', 'nonsense', owner.userId, '%00']
    // also if the request is at fault
    for (const id of ids.flatMap((each) => [each, `${each}?unknown=1`])) {
      const { status, body } = await owner.delete(`${pathOf('default')}/${id}`)
      expect({ status, ...body.error, requestId: '' }).toEqual({
        status: 404,
        code: 'not_found',
        message: 'There is no such resource.',
        requestId: '',
      })
    }
    expect((await pagesOf(pathOf(organization), 20)).flat().map(({ id }) => id)).toEqual([foreign.id])
  })
})

test('a member may neither read nor withdraw invitations, an unauthenticated caller gets 401, another organization 404', async () => {
  const member = await newMember(troupe, 'default', 'curious@example.com')
  const { id } = await invite(owner, 'default', 'seen@example.com')
  const answers = async (caller: Pick<Browser, 'get' | 'delete'>, organization: string) => [
    (await caller.get(pathOf(organization))).status,
    (await caller.delete(`${pathOf(organization)}/${id}`)).status,
  ]
  expect(await answers(member, 'default')).toEqual([403, 403])
  expect(await answers(troupe.as(null), 'default')).toEqual([401, 401])
  expect(await answers(member, await newOrganization(owner))).toEqual([404, 404])
  const admin = await newMember(troupe, 'default', 'admin@example.com', 'admin')
  expect(await answers(admin, 'default')).toEqual([200, 204])
})

test('expired invitations are removed in batches, and no others', async () => {
  const store = openSqlite({ path: ':memory:' })
  await migrate(store)
  await store.commit(tenants(store))
  const hands = new HandClock()
  const parts = { store, clock: hands, mails: null, mailLimiter: new MailLimiter() }
  const invitations = new Invitations(parts)
  const make = async (email: string) => {
    const inviting = { organizationId: organizations.ours, role: 'member', invitedBy: users.owner } as const
    const { writes } = await invitations.prepare({ ...inviting, invited: { email } })
    await store.commit(writes)
  }
  const prune = (limit: number) => pruneInvitations(store.background, hands.now(), limit)
  for (const email of ['one@example.com', 'two@example.com', 'three@example.com']) await make(email)
  hands.advance(day)
  await make('four@example.com')
  expect(await prune(2)).toBe(0)
  hands.advance(6 * day)
  expect([await prune(2), await prune(2), await prune(2)]).toEqual([2, 1, 0])
  expect(await store.db.selectFrom('invitations').select('email').execute()).toEqual([{ email: 'four@example.com' }])
  await store.close()
})
