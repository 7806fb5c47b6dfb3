/** Verifying again whether the provider knows the client. Source: requirement 4.8, rules 4, 6; contract 4. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import { expectError } from '../../support/world/replies.ts'
import { failures, outages } from './outcomes.ts'
import { refusing } from './provider.ts'
import { dataOf, openWorld, type World } from './world.ts'

const clock = new HandClock()
let world: World
let id: string

beforeAll(async () => {
  world = await openWorld({ clock })
  id = dataOf(await world.register()).id
})
afterAll(() => world?.stop())
beforeEach(() => {
  world.provider.answers(refusing('invalid_grant'))
  clock.advance(1_000)
})

const now = () => new Date(clock.now()).toISOString()

describe.each(Object.entries(failures))('when the provider responds with %s', (_, row) => {
  test(`verifying returns 200 failed with the reason ${row.code}; the integration is misconfigured until a success`, async () => {
    const before = dataOf(await world.get(id))
    world.provider.answers(row.answer)
    const { integration, outcome, reason } = dataOf(await world.verify(id))
    expect(outcome).toBe('failed')
    expect(reason).toEqual({
      code: row.code,
      message: expect.any(String),
      providerError: row.providerError,
      httpStatus: expect.any(Number),
    })
    expect(integration).toEqual({
      ...before,
      status: 'misconfigured',
      lastVerification: { outcome: 'failed', code: row.code, message: reason.message, at: now() },
      updatedAt: now(),
    })
    expect(dataOf(await world.get(id))).toEqual(integration)

    world.provider.answers(refusing('invalid_grant'))
    clock.advance(1_000)
    const again = dataOf(await world.verify(id))
    expect(again).toEqual({
      outcome: 'verified',
      integration: {
        ...before,
        verifiedAt: now(),
        lastVerification: { outcome: 'verified', code: null, message: expect.any(String), at: now() },
        updatedAt: now(),
      },
    })
  })
})

describe.each(Object.entries(outages))('when the provider responds with %s', (_, row) => {
  test.each(['active', 'misconfigured'])(
    `verifying returns ${row.status} ${row.code}, and an integration that is %s stays so`,
    async (state) => {
      world.provider.answers(refusing(state === 'active' ? 'invalid_grant' : 'invalid_client'))
      const { integration } = dataOf(await world.verify(id))
      expect(integration.status).toBe(state)
      clock.advance(1_000)
      world.provider.answers(row.answer)
      const reply = await world.verify(id)
      expectError(reply, row.status, row.code)
      expect(reply.headers.get('retry-after')).toBe(row.retryAfter as string)
      expect(dataOf(await world.get(id))).toEqual(integration)
    },
  )
})

test('every status change is recorded in the journal, with its reason and caller', async () => {
  const actor = `/api/v1/actors/integration/${id}`
  world.provider.answers(refusing('invalid_grant'))
  await world.verify(id)
  const before = dataOf(await world.troupe.owner.get(actor))
  world.provider.answers(refusing('invalid_client'))
  await world.verify(id)
  await world.verify(id)
  const after = dataOf(await world.troupe.owner.get(actor))
  expect(after.state).toBe('misconfigured')
  expect(after.journal).toHaveLength(before.journal.length + 1)
  expect(JSON.stringify(after)).not.toContain('secret-1')
  expect(dataOf(await world.troupe.owner.get(`${actor}/verify`)).valid).toBe(true)
})

test('eight concurrent verifications all get a response', async () => {
  const replies = await Promise.all(Array.from({ length: 8 }, () => world.verify(id)))
  expect(replies.map(({ status, body }) => [status, body.data.outcome])).toEqual(
    Array.from({ length: 8 }, () => [200, 'verified']),
  )
})

test('verifying an integration that is deleted meanwhile returns 404', async () => {
  const asked = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<Response>()
  world.provider.answers(() => {
    asked.resolve()
    return answer.promise
  })
  const verification = world.verify(id)
  await asked.promise
  expect((await world.remove(id)).status).toBe(204)
  answer.resolve(Response.json({ error: 'invalid_client' }, { status: 401 }))
  expectError(await verification, 404, 'not_found')
  expectError(await world.verify(id), 404, 'not_found')
})
