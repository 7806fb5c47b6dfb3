/** Contract 1, "Session": repeated sign-ins do not fill the store; the oldest sessions end. */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { openTroupe, type Troupe } from '../../support/troupe.ts'
import { Tenancy } from '../../support/world/tenancy.ts'
import { browserOfUser, signIn } from './browser.ts'

const sessionsMax = 100
/** Of the user, and of an organization: answers about that are kept for a moment. */
const paths = ['/api/auth/session', '/api/v1/projects']

let troupe: Troupe
let tenancy: Tenancy
beforeAll(async () => {
  troupe = await openTroupe({ environment: { TROUPE_RUNNER: 'none', TROUPE_RATE_LIMIT_PER_MINUTE: '0' } })
  tenancy = new Tenancy(troupe.file)
})
afterAll(async () => {
  tenancy?.close()
  await troupe?.stop()
})

test("a user has at most a hundred sessions: the next sign-in ends the oldest ones, and nobody else's", async () => {
  const someone = await browserOfUser(troupe, tenancy, tenancy.user(tenancy.organization()))
  const first = await signIn(troupe)
  const userId = first.session.user.id
  for (let index = 0; index < sessionsMax; index += 1) tenancy.session(userId)
  const newest = await browserOfUser(troupe, tenancy, userId)
  for (const path of paths) expect((await first.get(path)).status).toBe(200)

  const next = await signIn(troupe)
  const [{ count } = { count: 0 }] = tenancy.all<{ count: number }>(
    'select count(*) as count from sessions where user_id = ?',
    userId,
  )
  expect(count).toBe(sessionsMax)
  for (const path of paths) {
    const { status, body } = await first.get(path)
    expect({ status, code: body.error.code }).toEqual({ status: 401, code: 'session_expired' })
  }
  for (const browser of [newest, next, someone]) expect((await browser.get('/api/auth/session')).status).toBe(200)
})
