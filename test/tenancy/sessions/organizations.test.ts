import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { openTroupe, type Troupe } from '../../support/troupe.ts'
import { type Browser, newMember, newOrganization, signIn } from './browser.ts'

let troupe: Troupe
let browser: Browser
let oldest: { id: string; slug: string }
let second: { id: string; slug: string }
let foreign: { id: string; slug: string }
beforeAll(async () => {
  const creating = { TROUPE_CREATE_ORGANIZATIONS: 'anyone' }
  troupe = await openTroupe({ environment: { TROUPE_RUNNER: 'none', TROUPE_RATE_LIMIT_PER_MINUTE: '0', ...creating } })
  const owner = await signIn(troupe)
  oldest = owner.session.organizations[0]
  second = { id: await newOrganization(owner, 'second'), slug: 'second' }
  const stranger = await newMember(troupe, oldest.id, 'stranger@example.com')
  foreign = { id: await newOrganization(stranger, 'foreign'), slug: 'foreign' }
  browser = await signIn(troupe)
})
afterAll(() => troupe?.stop())

const run = { agentId: 'agt_system_assistant', query: 'Hello' }
const named = (name: string) => ({ headers: { 'x-troupe-organization': name } })
const runsIn = async (name?: string): Promise<string[]> => {
  const { body } = await browser.get('/api/v1/agent-runs', name === undefined ? {} : named(name))
  return body.agentRuns.map(({ id }: { id: string }) => id)
}

describe('a session of a user in two organizations', () => {
  test('lists both, the oldest membership first', async () => {
    const { body } = await browser.get('/api/auth/session')
    expect(body.data.organizations).toEqual([
      { id: oldest.id, slug: 'default', name: 'Default', role: 'owner' },
      { id: second.id, slug: 'second', name: 'second', role: 'owner' },
    ])
  })

  test('acts on paths without an organization for the one in X-Troupe-Organization, by id or slug', async () => {
    const { body } = await browser.post('/api/v1/agent-runs', run, named('second'))
    expect(await runsIn(second.id)).toContain(body.data.id)
    expect(await runsIn('second')).toContain(body.data.id)
    expect(await runsIn('default')).not.toContain(body.data.id)
    expect((await browser.get(`/api/v1/agent-runs/${body.data.id}`)).status).toBe(404)
    expect((await browser.get(`/api/v1/agent-runs/${body.data.id}`, named('second'))).status).toBe(200)
  })

  test('acts without the header for the oldest', async () => {
    const { body } = await browser.post('/api/v1/agent-runs', run)
    expect(await runsIn()).toContain(body.data.id)
    expect(await runsIn('')).toContain(body.data.id)
    expect(await runsIn(oldest.id)).toContain(body.data.id)
    expect(await runsIn('second')).not.toContain(body.data.id)
  })

  test('uses the path, not the header, if the path names one', async () => {
    const { body } = await browser.get('/api/v1/organizations/second', named(oldest.id))
    expect(body.data.id).toBe(second.id)
  })
})

describe('an organization that the user does not belong to', () => {
  test.each([
    ['its id', () => foreign.id],
    ['its slug', () => foreign.slug],
    ['an unknown one', () => 'org_01h455vb4pex5vsknk084sn02q'],
    ['nonsense', () => "' or 1=1 --"],
  ])('named in the header by %s is 403', async (_, name) => {
    const { status, body } = await browser.get('/api/v1/agent-runs', named(name()))
    expect({ status, error: { ...body.error, requestId: '' } }).toEqual({
      status: 403,
      error: {
        code: 'permission_denied',
        message: 'The user does not belong to this organization.',
        requestId: '',
        details: { permission: 'organizations:get' },
      },
    })
  })

  test('in the path is 404, like an unknown one', async () => {
    const answers = await Promise.all(
      [foreign.id, 'foreign', 'never-was'].map((name) => browser.get(`/api/v1/organizations/${name}`)),
    )
    for (const { status, body } of answers)
      expect({ status, code: body.error.code }).toEqual({ status: 404, code: 'not_found' })
  })
})

describe('a removed member', () => {
  test('loses that organization from the next request, and stays signed in', async () => {
    const member = await newMember(troupe, oldest.id, 'leaving@example.com', 'admin')
    const own = await newOrganization(member)
    expect((await member.get('/api/v1/agent-runs')).status).toBe(200)
    expect((await member.get('/api/v1/organizations/default')).status).toBe(200)
    expect((await troupe.owner.delete(`/api/v1/organizations/default/members/${member.userId}`)).status).toBe(204)
    expect((await member.get('/api/v1/organizations/default')).status).toBe(404)
    expect((await member.get('/api/v1/agent-runs', named('default'))).status).toBe(403)
    const { status, body } = await member.get('/api/auth/session')
    expect(status).toBe(200)
    expect(body.data.organizations.map(({ id }: { id: string }) => id)).toEqual([own])
    // now the oldest remaining
    expect((await member.get('/api/v1/agent-runs')).status).toBe(200)
  })

  test('without another organization may still sign in, sign out, and create one', async () => {
    const member = await newMember(troupe, oldest.id, 'alone@example.com')
    await troupe.owner.delete(`/api/v1/organizations/default/members/${member.userId}`)
    const again = await signIn(troupe, 'alone@example.com', 'a password of theirs')
    expect(again.session.organizations).toEqual([])
    expect((await again.get('/api/v1/agent-runs')).status).toBe(403)
    const founded = await newOrganization(again)
    expect((await again.get('/api/auth/session')).body.data.organizations[0].id).toBe(founded)
    expect((await again.get('/api/v1/agent-runs')).status).toBe(200)
    expect((await again.delete('/api/auth/session')).status).toBe(204)
  })
})

test('a lost role applies to the next request of a session', async () => {
  const admin = await newMember(troupe, oldest.id, 'admin@example.com', 'admin')
  expect((await admin.get('/api/v1/organizations/default/members')).status).toBe(200)
  await troupe.owner.patch(`/api/v1/organizations/default/members/${admin.userId}`, { role: 'member' })
  expect((await admin.get('/api/v1/organizations/default/members')).status).toBe(403)
  expect((await admin.get('/api/auth/session')).body.data.organizations[0].role).toBe('member')
})
