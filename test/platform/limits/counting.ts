/** Properties of both counters, in memory and over Redis. */
import { expect, test } from 'bun:test'
import { ApiError } from '../../../src/platform/http/answers/errors.ts'
import type { Limits } from '../../../src/platform/limits/open-limits.ts'

/** The result of one request: the headers, and the code and retry delay of a refusal. */
export async function request({ rateLimiter }: Limits, credentialId = 'key_1') {
  const headers: Record<string, string | number> = {}
  const refusal = await rateLimiter!.admit({ credentialId }, headers).then(
    () => undefined,
    ({ status, code, retryAfterSeconds }) => ({ status, code, retryAfterSeconds }),
  )
  return { headers, refusal }
}
export const left = (headers: Record<string, string | number>) =>
  /r=(\d+);t=(\d+)$/.exec(`${headers.ratelimit}`)!.slice(1).map(Number)

export const guess = ({ signIns }: Limits, account = 'ada@example.com', address: string | undefined = '192.0.2.1') =>
  signIns.attempt(account, address)

export const refusedKey = async ({ failures }: Limits, from: string | null = '192.0.2.1') => {
  const address = from ?? undefined
  const refusal = await failures!.refuse(
    address,
    'an invalid API key',
    () => new ApiError(401, 'invalid_api_key', 'No.'),
  )
  return refusal.status === 429 ? refusal.retryAfterSeconds : refusal.status
}

/** Properties of both counters. */
export function counting(limitsWith: (requestsPerMinute: number) => Promise<Limits>) {
  test('every answer has the policy and the remaining number; an excess is 429 with the seconds to wait', async () => {
    const limits = await limitsWith(3)
    for (const remaining of [2, 1, 0]) {
      const { headers, refusal } = await request(limits)
      expect(headers['ratelimit-policy']).toBe('"credential";q=3;w=60')
      expect(`${headers.ratelimit}`).toMatch(/^"credential";r=\d+;t=\d+$/)
      expect(left(headers)[0]).toBe(remaining)
      expect(refusal).toBeUndefined()
    }
    const { headers, refusal } = await request(limits)
    const [remaining, seconds] = left(headers)
    expect([remaining, headers['ratelimit-policy']]).toEqual([0, '"credential";q=3;w=60'])
    expect(refusal).toEqual({ status: 429, code: 'rate_limited', retryAfterSeconds: seconds })
    expect(seconds).toBeWithin(1, 61)
  })

  test('credentials are counted separately', async () => {
    const limits = await limitsWith(1)
    await request(limits, 'key_1')
    expect((await request(limits, 'key_1')).refusal).toBeDefined()
    expect((await request(limits, 'key_2')).refusal).toBeUndefined()
  })

  test('of many concurrent requests exactly the allowed number is accepted', async () => {
    const limits = await limitsWith(10)
    const answers = await Promise.all(Array.from({ length: 50 }, () => request(limits)))
    expect(answers.filter(({ refusal }) => refusal === undefined)).toHaveLength(10)
  })

  test('ten sign-in attempts are free for each account and address, the next one must wait', async () => {
    const limits = await limitsWith(0)
    for (let time = 0; time < 10; time += 1) expect(await guess(limits)).toBe(0)
    expect(await guess(limits)).toBeWithin(890, 901)
    expect(await guess(limits, ' Ada@Example.COM ')).toBeWithin(890, 901)
    expect(await guess(limits, 'ada@example.com', '192.0.2.2')).toBe(0)
    expect(await guess(limits, 'bob@example.com')).toBe(0)
    expect(await limits.signIns.attempt('ada@example.com', undefined)).toBe(0)
  })

  test('of many concurrent attempts exactly ten are accepted', async () => {
    const limits = await limitsWith(0)
    const answers = await Promise.all(Array.from({ length: 30 }, () => guess(limits)))
    expect(answers.filter((seconds) => seconds === 0)).toHaveLength(10)
  })

  test('a success resets the earlier failures of this account from this address', async () => {
    const limits = await limitsWith(0)
    for (let time = 0; time < 10; time += 1) await Promise.all([guess(limits), guess(limits, 'bob@example.com')])
    await limits.signIns.succeeded('Ada@example.com', '192.0.2.1')
    for (let time = 0; time < 10; time += 1) expect(await guess(limits)).toBe(0)
    expect(await guess(limits)).toBeGreaterThan(0)
    expect(await guess(limits, 'bob@example.com')).toBeGreaterThan(0)
    await limits.signIns.succeeded('nobody@example.com', undefined)
  })

  test('an attempt that was not checked is not counted', async () => {
    const { signIns } = await limitsWith(0)
    for (let time = 0; time < 10; time += 1) await signIns.attempt('ada@example.com', '192.0.2.1')
    await signIns.takeBack('ada@example.com', '192.0.2.1')
    expect(await signIns.attempt('ada@example.com', '192.0.2.1')).toBe(0)
    expect(await signIns.attempt('ada@example.com', '192.0.2.1')).toBeGreaterThan(0)
  })

  test('an account has a hundred attempts from all addresses together, and signed-in users count separately', async () => {
    const { signIns } = await limitsWith(0)
    const anywhere = () => signIns.attemptAnywhere('ada@example.com')
    const answers = await Promise.all(Array.from({ length: 120 }, anywhere))
    expect(answers.filter((seconds) => seconds === 0)).toHaveLength(100)
    expect(await anywhere()).toBeWithin(890, 901)
    expect(await signIns.attemptAnywhere('bob@example.com')).toBe(0)
    expect(await signIns.attemptAnywhere('ada@example.com', { signedIn: true })).toBe(0)
    // a correct password does not reset the hundred
    await signIns.succeeded('ada@example.com', '192.0.2.1')
    expect(await anywhere()).toBeGreaterThan(0)
  })

  test('a known browser has ten attempts for its account, whatever others have used up', async () => {
    const { signIns } = await limitsWith(0)
    for (let time = 0; time < 101; time += 1) await signIns.attemptAnywhere('ada@example.com')
    for (let time = 0; time < 10; time += 1) {
      expect(await signIns.attemptFromDevice('ada@example.com', 'laptop')).toBe(true)
    }
    expect(await signIns.attemptFromDevice('ada@example.com', 'laptop')).toBe(false)
    expect(await signIns.attemptFromDevice('ada@example.com', 'phone')).toBe(true)
    expect(await signIns.attemptFromDevice('bob@example.com', 'laptop')).toBe(true)
  })
}
