/** The effects of too many failures from one address. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { newSecret } from '../../../src/tenancy/api-keys/secret.ts'
import { FailedAttempts } from '../../../src/tenancy/authority/failed-attempts.ts'
import { invalid, openWorld, refusalOf, type World } from './tree-world.ts'

let world: World
beforeEach(async () => {
  world = await openWorld()
})
afterEach(() => world?.close())

describe('too many failures from one address', () => {
  const from = (address: string) => new Request('http://localhost/', { headers: { 'x-address': address } })
  const addressOf = (request: Request) => request.headers.get('x-address') ?? undefined
  const limited = () =>
    world.authenticator({ addressOf, failedAttempts: new FailedAttempts({ clock: world.clock, failuresMax: 3 }) })

  test.each([
    { name: 'malformed', secret: () => 'nonsense' },
    { name: 'unknown', secret: newSecret },
  ])('with $name keys are refused with 429 and the seconds to wait', async ({ secret }) => {
    const authenticator = limited()
    for (let index = 0; index < 3; index += 1) {
      expect(await refusalOf(() => authenticator.authenticate(`Bearer ${secret()}`, from('a')))).toEqual(invalid)
    }
    world.clock.at += 10_500
    const refused = await Promise.resolve()
      .then(() => authenticator.authenticate(`Bearer ${secret()}`, from('a')))
      .catch((error: unknown) => error)
    expect(refused).toMatchObject({ status: 429, code: 'rate_limited', retryAfterSeconds: 50 })
    expect(await refusalOf(() => authenticator.authenticate(`Bearer ${secret()}`, from('b')))).toEqual(invalid)
  })

  test('each of the requests that share a lookup counts', async () => {
    const authenticator = limited()
    const header = `Bearer ${newSecret()}`
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => refusalOf(() => authenticator.authenticate(header, from('a')))),
    )
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 429, 429])
  })

  test('do not block a valid key from there', async () => {
    const authenticator = limited()
    for (let index = 0; index < 10; index += 1) await refusalOf(() => authenticator.authenticate('Bearer x', from('a')))
    const caller = await authenticator.authenticate(`Bearer ${await world.addKey()}`, from('a'))
    expect(caller.organizationId).toBe(world.organizationId)
  })

  test('do not count when no key was sent', async () => {
    const authenticator = limited()
    for (let index = 0; index < 10; index += 1) {
      expect(await refusalOf(() => authenticator.authenticate(null, from('a')))).toMatchObject({
        code: 'unauthenticated',
      })
    }
    expect(await refusalOf(() => authenticator.authenticate('Bearer x', from('a')))).toEqual(invalid)
  })

  test('cannot be counted without an address', async () => {
    const authenticator = limited()
    for (let index = 0; index < 10; index += 1) {
      expect(await refusalOf(() => authenticator.authenticate('Bearer x', new Request('http://localhost/')))).toEqual(
        invalid,
      )
    }
  })
})
