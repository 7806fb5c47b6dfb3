/** Contract 1, "Session": no password is one of the most common, nor the address, wherever it is set. */
import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { hashPassword } from '../../../src/tenancy/sessions/passwords.ts'
import { api } from '../../support/client.ts'
import { openTroupe, ownerEmail, type Troupe } from '../../support/troupe.ts'
import { type Browser, invite, newMember, password, signIn, trySignIn } from './browser.ts'

let troupe: Troupe
let organization: string
let ada: Browser
const email = 'ada.lovelace@example.com'
beforeAll(async () => {
  troupe = await openTroupe({ environment: { TROUPE_RUNNER: 'none', TROUPE_RATE_LIMIT_PER_MINUTE: '0' } })
  organization = (await signIn(troupe)).session.organizations[0].id
  ada = await newMember(troupe, organization, email)
})
afterAll(() => troupe?.stop())

const common = 'Is one of the most common passwords, which attackers try first; choose another one.'
const address = 'Must not be the email address or its part before the @.'
const length = 'Must have 8 to 128 characters.'

const refused: [string, string][] = [
  ...[
    ...['password', '12345678', '123456789', '1234567890', 'football', 'baseball', 'superman', 'iloveyou', 'trustno1'],
    ...['qwertyuiop', '1qaz2wsx', '1q2w3e4r', 'q1w2e3r4', 'password1', 'passw0rd', 'p@ssw0rd', 'letmein1', 'welcome1'],
    ...['changeme', 'sunshine', 'princess', 'starwars', 'computer', 'michelle', 'corvette', 'jennifer', 'internet'],
    ...['11111111', '88888888', '00000000', '12121212', '12341234', 'asdfasdf', 'aaaaaaaa', '87654321', '0987654321'],
    ...['PASSWORD', 'Password1', 'IloveYou', 'TrustNo1', 'QWERTYUIOP', 'q1w2e3r4t5y6u7i8o9p0'],
  ].map((text): [string, string] => [text, common]),
  [email, address],
  [email.toUpperCase(), address],
  [` ${email} `, address],
  ['ada.lovelace', address],
  ['Ada.Lovelace', address],
  ['x'.repeat(129), length],
]
const accepted = [
  'correct horse',
  'ada.lovelace 1815',
  'x'.repeat(128),
  '12345678 and more',
  '☃☃☃☂☂☂☀☀',
  '","password"',
]

const issueOf = ({ status, body }: { status: number; body: { error?: { details?: { issues: unknown[] } } } }) => ({
  status,
  issues: body?.error?.details?.issues,
})

describe('changing the password', () => {
  test.each(refused)('to %s is 422: %s', async (text, message) => {
    const reply = await ada.post('/api/auth/password', { current: password, new: text })
    expect(issueOf(reply)).toEqual({ status: 422, issues: [{ path: '/body/new', message }] })
  })

  test('is refused before the current one is checked, and changes nothing', async () => {
    const reply = await ada.post('/api/auth/password', { current: 'wrong', new: 'password' })
    expect(reply.status).toBe(422)
    expect((await trySignIn(troupe, email, password)).status).toBe(200)
  })

  test.each(accepted)('to %s succeeds', async (text) => {
    expect((await ada.post('/api/auth/password', { current: password, new: text })).status).toBe(204)
    expect((await trySignIn(troupe, email, text)).status).toBe(200)
    expect((await ada.post('/api/auth/password', { current: text, new: password })).status).toBe(204)
  })
})

describe('accepting an invitation', () => {
  test('with a weak password is 422, and the invitation stays valid', async () => {
    const invited = 'grace.hopper@example.com'
    const { token } = await invite(troupe.owner, organization, invited)
    const accept = (text: string) =>
      api(troupe.url).post('/api/auth/invitations', { token, name: 'Grace', password: text })
    for (const [text, message] of [
      ['iloveyou', common],
      ['Grace.Hopper', address],
      ['short', length],
    ] as const) {
      expect(issueOf(await accept(text))).toEqual({ status: 422, issues: [{ path: '/body/password', message }] })
    }
    expect((await accept('a good one')).status).toBe(200)
  })
})

test.each(['password', 'x'.repeat(300)])('%s, from before the rules, still signs in', async (text) => {
  const hash = await hashPassword(text)
  const file = new Database(troupe.file)
  file.run('update users set password_hash = ? where email = ?', [hash, ownerEmail])
  file.close()
  expect((await trySignIn(troupe, ownerEmail, text)).status).toBe(200)
})
