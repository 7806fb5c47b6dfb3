/** The limits of runner tokens. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Client } from '../../support/client.ts'
import { completed, type HeldAttempt } from '../../support/simulated-runner.ts'
import { openPools, operatorToken, type PoolsWorld } from './world.ts'

let world: PoolsWorld
/** Of our organization, and of the other one. */
let ours: Awaited<ReturnType<PoolsWorld['furnished']>>
let theirs: typeof ours
beforeAll(async () => {
  world = await openPools()
  ours = await world.furnished(world.owner)
  theirs = await world.furnished(world.other)
})
afterAll(() => world?.troupe.stop())

const cancel = (client: Client, id: string) => client.post(`/api/v1/agent-runs/${id}/cancel`)

test("an attempt's token opens no other attempt, of any organization", async () => {
  const { owner, other } = world
  const mine = await world.start(owner)
  const foreign = await world.start(other)
  const [held, target]: HeldAttempt[] = [await world.lease(ours.secret), await world.lease(theirs.secret)]
  expect([held?.runId, target?.runId]).toEqual([mine, foreign])
  await target?.boot()
  const stepId = (await target?.begin({ kind: 'model', name: 'sandbox' })) as number
  const own = target?.token
  for (const [token, status] of [
    [held?.token, 404],
    [ours.secret, 401],
    [operatorToken, 401],
  ] as [string, number][]) {
    if (target) target.token = token
    for (const [name, call] of Object.entries(target?.everyCall(stepId) ?? {})) {
      expect({ name, status: (await call()).status }).toEqual({ name, status })
    }
  }
  if (target) target.token = own as string
  await target?.complete(completed('done'))
  expect(await world.stateOf(other, foreign)).toBe('completed')
  await cancel(owner, mine)
})

test("runners of an organization are rate limited; the server's own are not", async () => {
  const limited = await openPools({ environment: { TROUPE_RATE_LIMIT_PER_MINUTE: '20' } })
  const { secret } = await limited.furnished(limited.other)
  const statuses = async (token: string) => {
    const found = new Set<number>()
    for (let count = 0; count < 25; count += 1) found.add((await limited.ask(token)).status)
    return [...found]
  }
  expect(await statuses(secret)).toEqual([204, 429])
  expect(await statuses(operatorToken)).toEqual([204])
  await limited.troupe.stop()
})

test('wrong runner tokens count as failed authentication', async () => {
  const limited = await openPools({ environment: { TROUPE_RATE_LIMIT_PER_MINUTE: '6000' } })
  const statuses = []
  for (let count = 0; count < 22; count += 1) statuses.push((await limited.ask('wrong')).status)
  expect(statuses).toEqual([...Array(20).fill(401), 429, 429])
  expect((await limited.ask(operatorToken)).status).toBe(204)
  await limited.troupe.stop()
})
