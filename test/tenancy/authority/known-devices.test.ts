/** Contract 1, "Session": guesses of others do not lock the owner out of a browser that has signed in before. */
import { describe, expect, test } from 'bun:test'
import { KnownDevices } from '../../../src/tenancy/authority/known-devices.ts'

const day = 86_400_000
const clock = { at: Date.UTC(2026, 0, 1), now: () => clock.at }
const key = new Uint8Array(32).fill(7)
const devices = new KnownDevices({ clock, key, secure: false })
const having = (cookie?: string) =>
  new Request('http://localhost/', cookie === undefined ? {} : { headers: { cookie } })
const account = 'ada@example.com'
/** The cookies that a browser sends after this answer. */
const sent = (setCookie: string | undefined) => setCookie!.split(';')[0]!

test('a browser that has signed in is known for that account only', () => {
  const cookie = sent(devices.cookie(having(), account))
  expect(devices.idIn(having(cookie), account)).toMatch(/^[A-Za-z0-9_-]{22}$/)
  expect(devices.idIn(having(`theme=dark; ${cookie}`), account)).toBeDefined()
  expect(devices.idIn(having(cookie), 'bob@example.com')).toBeUndefined()
  expect(devices.idIn(having(), account)).toBeUndefined()
})

test('each browser has its own id, and keeps it', () => {
  const [one, other] = [sent(devices.cookie(having(), account)), sent(devices.cookie(having(), account))]
  expect(devices.idIn(having(one), account)).not.toBe(devices.idIn(having(other), account))
  const id = devices.idIn(having(one), account)
  clock.at += 31 * day
  expect(devices.idIn(having(sent(devices.cookie(having(one), account))), account)).toBe(id!)
})

test('the cookie is inaccessible to scripts, and over TLS only for this host', () => {
  const attributes = 'Path=/; Max-Age=15552000'
  expect(devices.cookie(having(), account)).toMatch(
    new RegExp(`^troupe_device=[\\w.-]+; ${attributes}; HttpOnly; SameSite=Lax$`),
  )
  const secure = new KnownDevices({ clock, key, secure: true })
  expect(secure.cookie(having(), account)).toMatch(
    new RegExp(`^__Host-troupe_device=[\\w.-]+; ${attributes}; Secure; HttpOnly; SameSite=Lax$`),
  )
})

test('it is renewed once it is a month old, and expires after half a year', () => {
  const cookie = sent(devices.cookie(having(), account))
  clock.at += 30 * day - 1
  expect(devices.cookie(having(cookie), account)).toBeUndefined()
  clock.at += 1
  expect(devices.cookie(having(cookie), account)).toBeDefined()
  clock.at += 150 * day - 1
  expect(devices.idIn(having(cookie), account)).toBeDefined()
  clock.at += 1
  expect(devices.idIn(having(cookie), account)).toBeUndefined()
})

describe('a cookie', () => {
  const genuine = sent(devices.cookie(having(), account))
  const [at = '', id = '', signature = ''] = genuine.split('=')[1]!.split('.')
  const elsewhere = new KnownDevices({ clock, key: new Uint8Array(32), secure: false })
  test.each([
    ['empty', ''],
    ['of another deployment', sent(elsewhere.cookie(having(), account)).split('=')[1]!],
    ['with another browser', `${at}.${'x'.repeat(22)}.${signature}`],
    ['with a later instant', `${at.slice(0, -1)}z.${id}.${signature}`],
    ['without a signature', `${at}.${id}`],
    ['with an empty signature', `${at}.${id}.`],
    ['cut short', `${at}.${id}.${signature.slice(1)}`],
    ['too long', `${at}.${id}.${signature}x`],
    ['huge', 'x'.repeat(8_000)],
    ['badly encoded', '%E0%A4%A'],
  ])('that is %s identifies no browser', (_, value) => {
    expect(devices.idIn(having(`troupe_device=${value}`), account)).toBeUndefined()
  })
})
