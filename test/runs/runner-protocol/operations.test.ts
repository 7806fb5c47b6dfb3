/** Operations that the server calls for an external attempt. Source: contract 5, "Runner protocol". */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { CallOutcome } from '../../../src/runs/runner/protocol/protocol.ts'
import { completed, conversation, failed, type HeldAttempt } from '../../support/simulated-runner.ts'
import { openTeam, sandbox, type Team, type TeamWorld } from './support/team-world.ts'

const operation = (idempotent: boolean) => ({ description: 'Does it.', inputSchema: { type: 'object' }, idempotent })
const helper = {
  agentId: 'agt_helper',
  agentRevisionId: 'agr_helper',
  name: 'Helper',
  content: { instructions: 'Help.' },
  model: sandbox,
  operations: { look: operation(true) },
  delegates: {},
}
const team: Team = {
  content: { tools: [], delegates: [{ name: 'helper', description: 'Helps.', agentId: helper.agentId }] },
  means: { operations: { write: operation(false), read: operation(true) }, delegates: { helper } },
}
const lead = 'agt_system_assistant'

let world: TeamWorld
beforeAll(async () => {
  world = await openTeam(team)
})
afterAll(() => world?.close())

async function running(): Promise<HeldAttempt> {
  await world.start('Go')
  const attempt = await world.lease()
  expect((await attempt.boot()).status).toBe(200)
  world.calls.length = 0
  team.call = undefined
  return attempt
}
const begin = (attempt: HeldAttempt, toolCallId: string, name = 'write') =>
  attempt.begin({ kind: 'tool', name, input: {}, execution: { toolCallId } })
const make = (attempt: HeldAttempt, changes: object = {}) =>
  attempt.call('POST', '/operations', {
    agentId: lead,
    toolName: 'write',
    toolCallId: 'c1',
    input: { n: 1 },
    ...changes,
  })
/** As after a restart of the server: its memory of the attempt is gone. */
const forget = ({ lease }: HeldAttempt) => world.attempts.sessions.end(lease.attemptId)

test('the assignment names the operations and delegates, and an operation is called for its run and agent', async () => {
  const attempt = await running()
  expect(attempt.assignment.operations).toEqual(team.means.operations)
  expect(attempt.assignment.delegates).toEqual(team.means.delegates)
  await begin(attempt, 'c1')
  const { status, body } = await make(attempt)
  expect({ status, body }).toEqual({ status: 200, body: { data: { result: { did: 'write', n: 1 } } } })
  expect(world.calls).toMatchObject([
    { runId: attempt.runId, agentId: lead, toolName: 'write', toolCallId: 'c1', input: { n: 1 } },
  ])
})

test("a delegate's operation is called as the delegate's", async () => {
  const attempt = await running()
  await begin(attempt, 'c1', 'look')
  expect((await make(attempt, { agentId: helper.agentId, toolName: 'look' })).status).toBe(200)
  expect(world.calls).toMatchObject([{ agentId: helper.agentId, toolName: 'look' }])
})

test.each<[CallOutcome, CallOutcome]>([
  [{ error: { code: 'tool_error', message: 'No.' } }, { error: { code: 'tool_error', message: 'No.' } }],
  [
    { error: { code: 'binding_unavailable', message: 'Off.' } },
    { error: { code: 'binding_unavailable', message: 'Off.' } },
  ],
  [{ error: { code: 'lease_lost', message: 'Odd.' } }, { error: { code: 'tool_error', message: 'Odd.' } }],
  [{ result: undefined }, { result: null }],
])('the outcome %j is returned as %j', async (outcome, answered) => {
  const attempt = await running()
  team.call = async () => outcome
  await begin(attempt, 'c1')
  expect((await make(attempt)).body.data).toEqual(answered)
})

test.each([
  ['read', /^The operation failed unexpectedly\.$/],
  ['write', /^Outcome unknown/],
])('a server error in a call of %s is reported without details, and logged', async (toolName, message) => {
  const attempt = await running()
  team.call = () => Promise.reject(new Error('secret=hunter2'))
  await begin(attempt, 'c1', toolName)
  const { body } = await make(attempt, { toolName })
  expect(body.data).toEqual({ error: { code: 'tool_error', message: expect.stringMatching(message) } })
  expect(world.errors.splice(0)).toHaveLength(1)
})

test('eight equal concurrent requests are one call', async () => {
  const attempt = await running()
  await begin(attempt, 'c1')
  const answers = await Promise.all(Array.from({ length: 8 }, () => make(attempt)))
  expect(answers.map(({ status, body }) => [status, body.data])).toEqual(
    Array.from({ length: 8 }, () => [200, { result: { did: 'write', n: 1 } }]),
  )
  expect(world.calls).toHaveLength(1)
})

test('a repeated call gets the first answer, also from a restarted server', async () => {
  const attempt = await running()
  await begin(attempt, 'c1')
  const first = (await make(attempt)).body
  expect((await make(attempt)).body).toEqual(first)
  forget(attempt)
  expect((await make(attempt)).body).toEqual(first)
  expect(world.calls).toHaveLength(1)
})

test.each([
  ['a call without a step', { toolCallId: 'c2' }, '/body/toolCallId'],
  ['an agent that is not part of the attempt', { agentId: 'agt_other' }, '/body/agentId'],
  ['a tool that the agent does not have', { toolName: 'look' }, '/body/toolName'],
  ["a tool with the name of a property of Object's prototype", { toolName: 'constructor' }, '/body/toolName'],
  ['an input that is not an object', { input: 'text' }, '/body/input'],
  ['an unknown field', { more: 1 }, '/body/more'],
])('%s is 422, and nothing is called', async (_, changes, path) => {
  const attempt = await running()
  await begin(attempt, 'c1')
  const { status, body } = await make(attempt, changes)
  expect([status, body.error.details.issues[0].path]).toEqual([422, path])
  expect(world.calls).toEqual([])
})

test('a call whose step has ended is 422', async () => {
  const attempt = await running()
  const step = await begin(attempt, 'c1')
  await attempt.endStep(step, { status: 'canceled' })
  expect((await make(attempt)).status).toBe(422)
  expect(world.calls).toEqual([])
})

test('a stale attempt gets 409, and nothing is called', async () => {
  const attempt = await running()
  await begin(attempt, 'c1')
  await attempt.complete(failed(true))
  const { status, body } = await make(attempt)
  expect([status, body.error.code]).toEqual([409, 'stale_attempt'])
  expect(world.calls).toEqual([])
  await (await world.lease()).complete(completed('x'))
})

test('the token of another attempt is 404', async () => {
  const [one, other] = [await running(), await running()]
  await begin(one, 'c1')
  one.token = other.token
  expect((await make(one)).status).toBe(404)
  expect(world.calls).toEqual([])
})

test('the outcome of a call is known to the next attempt, even if the runner never received it', async () => {
  const attempt = await running()
  const pending = ['c1', 'c2', 'c3', 'c4'].map((toolCallId) => ({ toolCallId, toolName: 'write', input: {} }))
  const inner = { toolCallId: 'i1', toolName: 'look', input: {} }
  const model = await attempt.begin({ kind: 'model', name: 'sandbox' })
  await attempt.endStep(model, { status: 'completed' })
  const stored = conversation([{ role: 'user', content: 'Go' }], pending)
  const delegates = { c4: { messages: [], stepCount: 1, pendingToolCalls: [inner] } }
  await attempt.checkpoint(model, { ...stored, delegates })
  // Made and never reported; made and reported as failed; only begun; a delegate's.
  await begin(attempt, 'c1')
  await make(attempt)
  const second = await begin(attempt, 'c2')
  await attempt.endStep(second, { status: 'failed', error: { code: 'binding_unavailable', message: 'Off.' } })
  await begin(attempt, 'c3')
  const child = await attempt.begin({
    kind: 'delegate',
    name: 'helper',
    agentId: helper.agentId,
    execution: { toolCallId: 'c4' },
  })
  const look = { kind: 'tool', name: 'look', agentId: helper.agentId, parentAgentStepId: child }
  await attempt.begin({ ...look, execution: { toolCallId: 'i1' } })
  await make(attempt, { agentId: helper.agentId, toolName: 'look', toolCallId: 'i1' })
  await attempt.complete(failed(true))

  const { assignment } = await world.lease()
  expect(assignment.resume).toEqual({ ...stored, delegates })
  expect(assignment.settledCalls).toEqual([
    { toolCallId: 'c1', outcome: { result: { did: 'write', n: 1 } } },
    { toolCallId: 'c2', outcome: { error: { code: 'binding_unavailable', message: 'Off.' } } },
    { toolCallId: 'i1', outcome: { result: { did: 'look', n: 1 } } },
  ])
  expect(assignment.interruptedCalls).toEqual(['c3', 'c4'])
})
