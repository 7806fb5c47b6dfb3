/** Contract 9: `/metrics` requires `TROUPE_METRICS_TOKEN` if it is set. */
import { expect, test } from 'bun:test'
import { MetricsAccess } from '../../../src/platform/operating/metrics-access.ts'
import { Secret } from '../../../src/platform/operating/secret.ts'
import { FailedAttempts } from '../../../src/tenancy/authority/failed-attempts.ts'
import { api } from '../../support/client.ts'
import { testApp } from '../http/fixture.ts'

const token = 'a-token-of-the-operator'

/** A server whose clients all have one address, or an unknown one. */
function serverWith(set: string | null, address: string | undefined = '192.0.2.1') {
  const failedAttempts = new FailedAttempts({ clock: { now: () => 0 }, failuresMax: 3 })
  const metricsAccess = new MetricsAccess({
    token: set === null ? null : new Secret(set),
    failedAttempts,
    addressOf: () => address,
  })
  const { app, lines } = testApp({ metricsAccess, level: 'debug' })
  const ask = async (authorization?: string) => {
    const answer = await api(app).get('/metrics', authorization === undefined ? {} : { headers: { authorization } })
    return answer.status === 200 ? 200 : `${answer.status} ${answer.body.error.code}`
  }
  return { ask, lines, client: api(app) }
}

const rows: [string, string | undefined, number | string][] = [
  ['the token', `Bearer ${token}`, 200],
  ['the token, with the scheme in another case', `bearer ${token}`, 200],
  ['no header', undefined, '401 unauthenticated'],
  ['no token', 'Bearer ', '401 unauthenticated'],
  ['another scheme', `Basic ${token}`, '401 unauthenticated'],
  ['another token', 'Bearer a-token-of-a-stranger', '401 invalid_metrics_token'],
  ['a longer token', `Bearer ${token}x`, '401 invalid_metrics_token'],
  ['a shorter token', `Bearer ${token.slice(0, -1)}`, '401 invalid_metrics_token'],
  ['the token in another case', `Bearer ${token.toUpperCase()}`, '401 invalid_metrics_token'],
]
test.each(rows)('with %s', async (_, authorization, expected) => {
  expect(await serverWith(token).ask(authorization)).toBe(expected)
})

test('without a token it is public', async () => {
  const { ask } = serverWith(null)
  expect([await ask(), await ask('Bearer whatever')]).toEqual([200, 200])
})

test('wrong tokens count as failed authentication, and the right one still works', async () => {
  const { ask } = serverWith(token)
  for (let failure = 1; failure <= 3; failure += 1) expect(await ask('Bearer wrong')).toBe('401 invalid_metrics_token')
  expect(await ask('Bearer wrong')).toBe('429 rate_limited')
  expect(await ask(`Bearer ${token}`)).toBe(200)
})

test('HEAD requires the token too, and no other path does', async () => {
  const { client } = serverWith(token)
  expect((await client.head('/metrics', { unchecked: true })).status).toBe(401)
  expect((await client.get('/healthz')).status).toBe(200)
})

test('the token is in no answer and no line of the log', async () => {
  const { ask, lines, client } = serverWith(token)
  await ask(`Bearer ${token}`)
  await ask('Bearer wrong')
  const metrics = await client.get('/metrics', { headers: { authorization: `Bearer ${token}` } })
  expect(JSON.stringify([lines, metrics.body])).not.toContain(token)
})
