/**
 * The models of delegates over the gateway: one call at a time for the whole attempt, each with its agent's
 * instructions.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { completed, type HeldAttempt } from '../../support/simulated-runner.ts'
import { modelKey, openTeam, sandbox, type TeamWorld } from '../runner-protocol/support/team-world.ts'

const helper = {
  agentId: 'agt_helper',
  agentRevisionId: 'agr_helper',
  name: 'Helper',
  content: { instructions: 'Help with whatever there may be.' },
  model: sandbox,
  operations: {},
  delegates: {},
}
let world: TeamWorld
beforeAll(async () => {
  world = await openTeam({
    content: { delegates: [{ name: 'helper', description: 'Helps.', agentId: helper.agentId }] },
    means: { delegates: { helper } },
  })
})
afterAll(() => world?.close())

const call = async (attempt: HeldAttempt, agentStepId: number, query: string) => {
  const body = { agentStepId, messages: [{ role: 'user', content: query }] }
  const response = await world.client.raw('POST', `${attempt.path}/model/stream`, body, { key: attempt.token })
  return (await response.text()).split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
}

test('the step determines the model and the instructions', async () => {
  await world.start('Go')
  const attempt = await world.lease()
  expect(JSON.stringify(attempt.assignment)).not.toContain(modelKey)
  await attempt.boot()
  const own = await attempt.begin({ kind: 'model', name: 'sandbox' })
  // the sandbox counts words: those of the instructions, and one of the message
  expect((await call(attempt, own, 'Hello')).at(-1).usage.inputTokens).toBe(2)
  const handed = await attempt.begin({ kind: 'delegate', name: 'helper', agentId: helper.agentId })
  const below = { parentAgentStepId: handed, agentId: helper.agentId }
  const theirs = await attempt.begin({ kind: 'model', name: 'sandbox', ...below })
  const lines = await call(attempt, theirs, 'Hello')
  expect(lines.at(-1).usage.inputTokens).toBe(7)
  expect(lines.at(0)).toEqual({ type: 'text', text: 'You said: Hello' })

  // one call at a time, of any agent
  const slow = call(attempt, theirs, '/say begun\n/sleep 60000')
  await Bun.sleep(100)
  expect((await call(attempt, own, 'Hello')).at(-1).type).toBe('finish')
  expect((await slow).at(-1)).toEqual({ type: 'stopped', signal: 'stale' })
  await attempt.complete(completed('done'))
  expect(world.errors).toEqual([])
})
