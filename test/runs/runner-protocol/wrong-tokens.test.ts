/**
 * Contract 1: wrong runner tokens count as failed authentication, 20 a minute for each address; correct ones always
 * work.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { newSecret } from '../../../src/tenancy/api-keys/secret.ts'
import { openTroupe, type Troupe } from '../../support/troupe.ts'

const runnerToken = 'trr_the-registration-token-of-the-runners-of-this-test'
let troupe: Troupe
beforeAll(async () => {
  troupe = await openTroupe({
    environment: { TROUPE_RUNNER: 'none', TROUPE_RUNNER_TOKEN: runnerToken, TROUPE_TRUSTED_PROXIES: '1' },
  })
})
afterAll(() => troupe?.stop())

const work = { machineId: 'm', waitSeconds: 0 }
const lease = (key: string | null, address: string) =>
  troupe.as(key).post('/api/v1/runner/leases', work, { headers: { 'x-forwarded-for': address } })
const heartbeat = (key: string | null, address: string) =>
  troupe
    .as(key)
    .post(
      '/api/v1/agent-runs/run_01h455vb4pex5vsknk084sn02q/attempts/att_01h455vb4pex5vsknk084sn02q/heartbeat',
      { lastStepSequence: 0 },
      { headers: { 'x-forwarded-for': address } },
    )
const statusesOf = async (times: number, call: () => Promise<{ status: number }>) => {
  const statuses = []
  for (let time = 0; time < times; time += 1) statuses.push((await call()).status)
  return statuses
}
const twentyThenRefused = [...Array(20).fill(401), 429, 429]

test.each([
  ['registration', '192.0.2.1', lease],
  ['attempt', '192.0.2.2', heartbeat],
] as const)('after twenty wrong %s tokens in a minute the next ones are 429', async (_, address, call) => {
  expect(await statusesOf(22, () => call('wrong-token-of-a-runner', address))).toEqual(twentyThenRefused)
  const refused = await call('wrong-token-of-a-runner', address)
  expect(refused.body.error.code).toBe('rate_limited')
  expect(Number(refused.headers.get('retry-after'))).toBeWithin(1, 61)
  // only failures are counted, and only failures are refused
  expect((await lease(runnerToken, address)).status).toBe(204)
  // another address has no failures
  expect((await call('wrong-token-of-a-runner', '192.0.2.3')).status).toBe(401)
})

test('they count together with invalid API keys', async () => {
  const address = '192.0.2.4'
  const headers = { 'x-forwarded-for': address }
  const key = () => troupe.as(newSecret()).get('/api/v1/agent-runs', { headers })
  expect(await statusesOf(10, key)).toEqual(Array(10).fill(401))
  expect(await statusesOf(11, () => lease('wrong-token-of-a-runner', address))).toEqual([...Array(10).fill(401), 429])
  expect((await key()).status).toBe(429)
})

test('a call without a token is not a guess', async () => {
  expect(await statusesOf(25, () => lease(null, '192.0.2.5'))).toEqual(Array(25).fill(401))
})
