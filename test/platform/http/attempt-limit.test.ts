/** Reports of an attempt count like the requests of other credentials. Source: contract 0, "Rate limits". */
import { expect, test } from 'bun:test'
import { CredentialRateLimiter } from '../../../src/platform/limits/rate-limiter.ts'
import { api } from '../../support/client.ts'
import { testApp } from './fixture.ts'

test('an attempt has as many reports per minute as a credential has requests, and sees the remaining number', async () => {
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
