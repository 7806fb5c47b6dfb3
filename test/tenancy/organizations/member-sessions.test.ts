/**
 * Contract 1, "Session": a user who manages members ends a member's sessions for the organization, and for no other.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { EmbeddedRevocations } from '../../../src/tenancy/authority/revocations.ts'
import { MemberSessions } from '../../../src/tenancy/members/sessions.ts'
import { changeRole } from '../../../storage/tenancy/members.ts'
import { organizations, tenants, users } from '../../runs/tenants.ts'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import { callerWith } from '../../support/callers.ts'
import { committingAfter } from '../../support/meanwhile.ts'
import { eventually } from '../../support/process.ts'
import { openMigrated } from '../../support/stores/migrated-store.ts'
import { openTroupe, type Troupe } from '../../support/troupe.ts'
import {
  type Browser,
  browserOf,
  newMember,
  newOrganization,
  password,
  signIn,
  trySignIn,
} from '../sessions/browser.ts'

const clock = new HandClock()
let troupe: Troupe
let owner: Browser
let organization: string
beforeAll(async () => {
  troupe = await openTroupe({ clock, environment: { TROUPE_RUNNER: 'none', TROUPE_RATE_LIMIT_PER_MINUTE: '0' } })
  owner = await signIn(troupe)
  organization = owner.session.organizations[0].id
})
afterAll(() => troupe?.stop())

const pathOf = (userId: string, place = organization) => `/api/v1/organizations/${place}/members/${userId}/sessions`
/** The session's status in an organization. */
const heardIn = async (browser: Browser, place: string) => {
  const { status, body } = await browser.get(`/api/v1/organizations/${place}`)
  return status === 200 ? 200 : `${status} ${body.error.code}`
}
const hourMs = 3_600_000
const over = '401 session_expired'
const enter = async (email: string) => browserOf(troupe, await trySignIn(troupe, email, password))
const codeOf = ({ status, body }: { status: number; body: { error?: { code: string } } }) => ({
  status,
  code: body?.error?.code,
})

describe("a member's sessions", () => {
  test('end for the organization from the next request, until the member signs in again', async () => {
    const one = await newMember(troupe, organization, 'ada@example.com')
    const two = await enter('ada@example.com')
    for (const browser of [one, two]) expect(await heardIn(browser, organization)).toBe(200)
    const { status, body } = await owner.delete(pathOf(one.userId))
    expect({ status, body }).toEqual({ status: 204, body: undefined })
    for (const browser of [one, two]) {
      expect(await heardIn(browser, organization)).toBe(over)
      expect(codeOf(await browser.get('/api/v1/projects'))).toEqual({ status: 401, code: 'session_expired' })
    }
    const again = await enter('ada@example.com')
    expect(await heardIn(again, organization)).toBe(200)
    expect(await heardIn(one, organization)).toBe(over)
  })

  test('of a time when the clock was ahead end too, and those after it begin', async () => {
    const early = await newMember(troupe, organization, 'clock@example.com')
    clock.step(hourMs)
    const ahead = await enter('clock@example.com')
    clock.step(-hourMs)
    expect((await owner.delete(pathOf(early.userId))).status).toBe(204)
    for (const browser of [early, ahead]) expect(await heardIn(browser, organization)).toBe(over)
    const [one, two] = [await enter('clock@example.com'), await enter('clock@example.com')]
    for (const browser of [one, two]) expect(await heardIn(browser, organization)).toBe(200)
    expect((await owner.delete(pathOf(early.userId))).status).toBe(204)
    for (const browser of [one, two]) expect(await heardIn(browser, organization)).toBe(over)
    expect(await heardIn(await enter('clock@example.com'), organization)).toBe(200)
  })

  test('of a time when the clock was ahead do not delay the sessions of others', async () => {
    const member = await newMember(troupe, organization, 'behind@example.com')
    const other = await newMember(troupe, organization, 'ahead@example.com')
    clock.step(hourMs)
    await enter('ahead@example.com')
    clock.step(-hourMs)
    for (const { userId } of [other, member]) expect((await owner.delete(pathOf(userId))).status).toBe(204)
    const began = clock.now() + 1
    const { body } = await (await enter('behind@example.com')).get('/api/auth/sessions')
    const [current] = body.data.items.filter((session: { current: boolean }) => session.current)
    expect(current.createdAt).toBe(new Date(began).toISOString())
  })

  test("continue in the account's other organizations", async () => {
    const browser = await newMember(troupe, organization, 'grace@example.com', 'owner')
    const second = await newOrganization(browser)
    const headers = { 'x-troupe-organization': second }
    expect(await heardIn(browser, second)).toBe(200)

    expect((await owner.delete(pathOf(browser.userId))).status).toBe(204)
    expect(await heardIn(browser, organization)).toBe(over)
    expect(await heardIn(browser, second)).toBe(200)
    expect((await browser.get('/api/v1/projects', { headers })).status).toBe(200)
    expect((await browser.post('/api/v1/projects', { slug: 'goes-on', name: 'Goes on' }, { headers })).status).toBe(201)
    // without a named organization, it is the oldest one in which the session is valid
    expect((await browser.get('/api/v1/projects')).body.data.items).toMatchObject([{ slug: 'goes-on' }])
    expect((await browser.get('/api/auth/session')).status).toBe(200)
    expect((await browser.get('/api/auth/sessions')).body.data.items.length).toBeGreaterThan(0)
  })

  test('no longer see the organization, in lists and by its name', async () => {
    const browser = await newMember(troupe, organization, 'listed@example.com', 'owner')
    const elsewhere = await newOrganization(browser)
    const listed = async (by: Browser, query = '') =>
      (await by.get(`/api/v1/organizations${query}`)).body.data.items.map(({ id }: { id: string }) => id)
    const { slug } = (await browser.get(`/api/v1/organizations/${organization}`)).body.data
    expect(await listed(browser)).toContain(organization)
    expect(await listed(browser, `?slug=${slug}`)).toEqual([organization])

    expect((await owner.delete(pathOf(browser.userId))).status).toBe(204)
    expect(await listed(browser)).toEqual([elsewhere])
    expect(await listed(browser, `?slug=${slug}`)).toEqual([])
    expect(await listed(await enter('listed@example.com'))).toContain(organization)
  })

  test('end for everybody until a new sign-in; API keys continue', async () => {
    const browser = await newMember(troupe, organization, 'keys@example.com', 'admin')
    const { body } = await browser.post('/api/v1/api-keys', { name: 'key', operations: ['projects:list'] })
    expect((await owner.delete(pathOf(browser.userId))).status).toBe(204)
    expect((await troupe.as(body.data.secret).get('/api/v1/projects')).status).toBe(200)
  })

  test('stay ended, even if they are used meanwhile', async () => {
    const browser = await newMember(troupe, organization, 'busy@example.com')
    const uses = Array.from({ length: 10 }, () => heardIn(browser, organization))
    const ending = owner.delete(pathOf(browser.userId))
    uses.push(...Array.from({ length: 10 }, () => heardIn(browser, organization)))
    expect((await ending).status).toBe(204)
    for (const heard of await Promise.all(uses)) expect([200, over]).toContain(heard)
    expect(await heardIn(browser, organization)).toBe(over)
  })
})

describe('permissions to end them', () => {
  test('an admin, but not those of an owner', async () => {
    const admin = await newMember(troupe, organization, 'admin@example.com', 'admin')
    const member = await newMember(troupe, organization, 'of-admin@example.com')
    expect((await admin.delete(pathOf(member.userId))).status).toBe(204)
    expect(await heardIn(member, organization)).toBe(over)
    const refused = await admin.delete(pathOf(owner.userId))
    expect(codeOf(refused)).toEqual({ status: 403, code: 'permission_denied' })
    expect(await heardIn(owner, organization)).toBe(200)
  })

  test('an admin, unless the member becomes an owner in the same moment', async () => {
    const store = await openMigrated()
    await store.commit(tenants(store))
    const colleague = { organizationId: organizations.ours, userId: users.colleague }
    const promotion = changeRole(store, { ...colleague, from: 'member', to: 'owner' })
    const parts = { clock, revocations: new EmbeddedRevocations() }
    const sessions = new MemberSessions({ ...parts, store: committingAfter(store, () => store.commit([promotion])) })
    const admin = callerWith({ organizationId: organizations.ours, userId: users.owner, role: 'admin' })
    const ending = sessions.end(admin, users.colleague, () => [])
    await expect(ending).rejects.toMatchObject({ status: 409, code: 'concurrent_change' })
    await store.close()
  })

  test('an owner those of another owner, and their own', async () => {
    const other = await newMember(troupe, organization, 'second-owner@example.com', 'owner')
    expect((await owner.delete(pathOf(other.userId))).status).toBe(204)
    expect(await heardIn(other, organization)).toBe(over)
    const again = await enter('second-owner@example.com')
    expect((await again.delete(pathOf(again.userId))).status).toBe(204)
    expect(await heardIn(again, organization)).toBe(over)
  })

  test('not a member, not even their own', async () => {
    const member = await newMember(troupe, organization, 'plain@example.com')
    const refused = await member.delete(pathOf(member.userId))
    expect(refused.body.error).toMatchObject({
      code: 'permission_denied',
      details: { permission: 'organizations:manage-members' },
    })
    expect(await heardIn(member, organization)).toBe(200)
  })

  test('nobody of another organization, where a foreign user is like an unknown one', async () => {
    const second = await newOrganization(owner)
    const stranger = await newMember(troupe, organization, 'not-there@example.com')
    const [foreign, missing] = [
      await owner.delete(pathOf(stranger.userId, second)),
      await owner.delete(pathOf('usr_01h455vb4pex5vsknk084sn02q', second)),
    ]
    expect(codeOf(foreign)).toEqual({ status: 404, code: 'not_found' })
    expect({ ...foreign.body.error, requestId: '' }).toEqual({ ...missing.body.error, requestId: '' })
    expect(await heardIn(stranger, organization)).toBe(200)
    const elsewhere = await newMember(troupe, organization, 'elsewhere@example.com', 'admin')
    expect((await elsewhere.delete(pathOf(owner.userId, second))).status).toBe(404)
  })
})

test('the audit log says who ended whose sessions, and which requests were refused', async () => {
  const admin = await newMember(troupe, organization, 'audited@example.com', 'admin')
  const member = await newMember(troupe, organization, 'audited-too@example.com')
  const ended = await admin.delete(pathOf(member.userId))
  await admin.delete(pathOf(owner.userId))
  // the line of a refusal is written in the background
  const lines = await eventually('both lines', async () => {
    const { body } = await owner.get(`/api/v1/organizations/${organization}/audit-events`, { query: { limit: 100 } })
    const found: object[] = body.data.items.filter(
      ({ operation, actor }: { operation: string; actor: { id: string } }) =>
        operation === 'endMemberSessions' && actor.id === admin.userId,
    )
    return found.length === 2 && found
  })
  expect(lines).toContainEqual(
    expect.objectContaining({
      requestId: ended.requestId,
      outcome: 'allowed',
      resource: { type: 'member', id: member.userId },
    }),
  )
  expect(lines).toContainEqual(
    expect.objectContaining({ outcome: 'denied', resource: { type: 'member', id: owner.userId } }),
  )
})
