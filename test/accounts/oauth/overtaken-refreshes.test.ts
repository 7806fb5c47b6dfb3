/** Refreshes that outlast their turn, so that another process asks too. Source: contract 4, "one refresher per Connection". */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { connecting, given } from './consents.ts'
import { refusal } from './odd-provider.ts'
import { openProcesses } from './processes.ts'
import { openWorld, type World } from './world.ts'

const minute = 60_000
let world: World
let processes: Awaited<ReturnType<typeof openProcesses>>
beforeAll(async () => {
  world = await openWorld()
  processes = await openProcesses(world)
})
afterAll(async () => {
  await processes?.stop()
  await world?.stop()
})

/** An answer that the test gives once the provider was asked. */
function held() {
  const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<Response>()]
  return {
    asked: asked.promise,
    give: answer.resolve,
    said: () => {
      asked.resolve()
      return answer.promise
    },
  }
}

test('a process whose turn is over does not end the consent that another one is renewing', async () => {
  const { one, other } = processes
  const { reveal, row, connectionId } = await connecting(world, one)()
  const [first, second] = [held(), held()]
  world.odd.tokenAnswers = [first.said, second.said]
  world.clock.advance(55 * minute)
  const overtaken = reveal(one)
  await first.asked
  world.clock.advance(20_000)
  const renewed = reveal(other)
  await second.asked

  // the provider has given the other process new tokens, and takes the refresh token no more
  first.give(refusal('invalid_grant'))
  expect(await overtaken).toBe('access-0')
  expect(row()).toMatchObject({ status: 'active' })
  second.give(given(1))
  expect(await renewed).toBe('access-1')
  expect(row()).toMatchObject({ status: 'active', token_version: 2 })
  expect(await world.connection(connectionId)).toMatchObject({ status: 'active', statusReason: null })
})

test('tokens that come after those of another process are dropped', async () => {
  const { one, other } = processes
  const { reveal, row } = await connecting(world, one)()
  const [first, second] = [held(), held()]
  world.odd.tokenAnswers = [first.said, second.said]
  world.clock.advance(55 * minute)
  const overtaken = reveal(one)
  await first.asked
  world.clock.advance(20_000)
  const renewed = reveal(other)
  await second.asked

  second.give(given(1))
  expect(await renewed).toBe('access-1')
  first.give(given(2))
  expect(await overtaken).toBe('access-1')
  expect(await reveal(other)).toBe('access-1')
  expect(row()).toMatchObject({ status: 'active', token_version: 2 })
})

test('a process that had read the tokens before another one renewed them asks for none', async () => {
  const { one, other } = processes
  const { reveal } = await connecting(world, one)()
  world.clock.advance(55 * minute)
  const asked = world.odd.tokenRequests.length
  processes.beforeCommit(() => reveal(other))
  expect(await reveal(one)).toBe('access-1')
  expect(world.odd.tokenRequests).toHaveLength(asked + 1)
})

test('a deleted Connection has no tokens any more, those that come included', async () => {
  const { one, other } = processes
  const { reveal, row, connectionId } = await connecting(world, one)()
  const first = held()
  world.odd.tokenAnswers = [first.said]
  world.clock.advance(55 * minute)
  const refreshed = reveal(one)
  await first.asked
  expect((await world.owner.delete(`${world.path}/connections/${connectionId}`)).status).toBe(204)
  expect(await reveal(other)).toBe('missing')
  first.give(given(1))
  expect(await refreshed).toBe('missing')
  // the removal in the background may have reached the consent
  expect(row() ?? { token_version: 1 }).toMatchObject({ token_version: 1 })
  expect(world.odd.tokenRequests).toHaveLength(1)
})
