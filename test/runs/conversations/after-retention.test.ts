/** Messages of a conversation whose run has no content any more. Source: contract 12. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { assistant as agentId, openWorld, users, type World } from '../world.ts'

const day = 86_400_000

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.close())

test.each([
  ['limits', { limits: { maxTokens: 900_000 } }],
  ['a subject', { subjectUserId: users.colleague }],
  ['a history', { history: [{ role: 'user', content: 'Before' }] }],
])('a message starts another run, which may have %s of its own', async (what, own) => {
  const threadKey = `after ${what}`
  const before = await world.startIn('completed', { threadKey })
  world.clock.advance(31 * day)
  expect(await world.runs.contentRetention.prune(10)).toBe(1)
  const { status, body } = await world.owner.post('/api/v1/agent-runs', { agentId, threadKey, query: 'Anew', ...own })
  expect({ status, error: body.error }).toEqual({ status: 200, error: undefined })
  expect(body.data).toMatchObject({ state: 'queued', threadKey, turn: 1 })
  expect(body.data.id).not.toBe(before)
})
