/** Reports of an attempt are counted like the requests of any other credential. Source: contract 0, "Rate limits". */
import { expect, test } from 'bun:test'
import { CredentialRateLimiter } from '../../../src/platform/limits/rate-limiter.ts'
import { api } from '../../support/client.ts'
import { testApp } from './fixture.ts'

test('an attempt has as many reports a minute as any credential has requests, and hears what is left', async () => {
  const { app } = testApp({ rateLimiter: new CredentialRateLimiter(2) })
  app.listen({ port: 0, hostname: '127.0.0.1' })
  try {
    const attempt = api(`http://127.0.0.1:${app.server!.port}`, 'attempt')
    const beat = () => attempt.post('/api/v1/runner/heartbeat', {}, { unchecked: true })
    for (const remaining of [1, 0]) {
      const { headers } = await beat()
      expect(headers.get('ratelimit')).toStartWith(`"credential";r=${remaining};t=`)
    }
    const { status, headers, body } = await beat()
    expect([status, body.error.code]).toEqual([429, 'rate_limited'])
    expect(Number(headers.get('retry-after'))).toBeWithin(1, 61)
  } finally {
    await app.stop(true)
  }
})
