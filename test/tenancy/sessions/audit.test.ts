import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { openTroupe, ownerEmail, ownerPassword, type Troupe } from '../../support/troupe.ts'
import { type Browser, newOrganization, signIn, trySignIn } from './browser.ts'

let troupe: Troupe
let owner: Browser
let organizations: string[]
beforeAll(async () => {
  troupe = await openTroupe({ environment: { TROUPE_RUNNER: 'none', TROUPE_RATE_LIMIT_PER_MINUTE: '0' } })
  owner = await signIn(troupe)
  organizations = [owner.session.organizations[0].id, await newOrganization(owner)]
})
afterAll(() => troupe?.stop())

/** The lines of one request in each organization of the owner. */
async function linesOf(requestId: string) {
  const lists = organizations.map((id) =>
    owner.get(`/api/v1/organizations/${id}/audit-events`, { query: { limit: 100 } }),
  )
  return (await Promise.all(lists)).map(({ body }) =>
    body.data.items.filter((item: { requestId: string }) => item.requestId === requestId),
  )
}

/** Lines written in the background are there once a later change is. */
const settled = () => signIn(troupe)

describe('the audit log has one line in each organization of the user for', () => {
  const acts: [string, string, string, string[], () => Promise<{ requestId: string }>][] = [
    ['a sign-in', 'createSession', 'allowed', [], () => trySignIn(troupe, ownerEmail, ownerPassword)],
    ['a sign-out', 'deleteSession', 'allowed', [], async () => (await signIn(troupe)).delete('/api/auth/session')],
    [
      'a password change',
      'changePassword',
      'allowed',
      ['password'],
      () => owner.post('/api/auth/password', { current: ownerPassword, new: ownerPassword }),
    ],
  ]
  test.each(acts)('%s', async (_, operation, outcome, changed, act) => {
    const { requestId } = await act()
    await settled()
    for (const lines of await linesOf(requestId)) {
      expect(lines).toHaveLength(1)
      const [{ id, at, ip, ...line }] = lines
      expect({ id, at, ip }).toEqual({
        id: expect.stringMatching(/^aud_/),
        at: expect.any(String),
        ip: expect.stringMatching(/127\.0\.0\.1|::1/),
      })
      expect(line).toEqual({
        actor: { type: 'user', id: owner.userId },
        operation,
        resource: { type: 'session', id: null },
        outcome,
        requestId,
        requestIdFrom: 'server',
        changed,
        count: 1,
      })
    }
  })

  const refused: [string, () => Promise<{ status: number; requestId: string }>][] = [
    ['a failed sign-in', () => trySignIn(troupe, ownerEmail, 'wrong')],
    ['a refused password change', () => owner.post('/api/auth/password', { current: 'wrong', new: ownerPassword })],
  ]
  test.each(refused)('no line for %s', async (_, act) => {
    const { status, requestId } = await act()
    expect(status).toBe(401)
    await settled()
    expect((await linesOf(requestId)).flat()).toEqual([])
  })

  test('no line for an unknown address, or after too many failures', async () => {
    const unknown = await trySignIn(troupe, 'nobody@example.com', 'wrong')
    let refused = unknown
    for (let failure = 1; failure <= 11; failure += 1) refused = await trySignIn(troupe, 'nobody@example.com', 'wrong')
    expect(refused.status).toBe(429)
    await settled()
    for (const { requestId } of [unknown, refused]) expect((await linesOf(requestId)).flat()).toEqual([])
  })
})
