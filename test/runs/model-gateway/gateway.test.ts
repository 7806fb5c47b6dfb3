/** The model gateway: which calls an external attempt may make. Source: contract 5. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { vendorIds } from '../../../src/platform/models/vendors.ts'
import { askForWork, completed, failed } from '../../support/simulated-runner.ts'
import { answer, type Gateway, linesOf, openGateway, runnerToken, textOf } from './world.ts'

let world: Gateway
beforeAll(async () => {
  world = await openGateway()
})
afterAll(() => world?.stop())
afterEach(() => {
  world.vendors.asked.length = 0
})

const usage = { input: 12, output: 7 }

describe.each(vendorIds)('%s', (vendor) => {
  test('is called by the server, with the key of the run; the runner gets no secret', async () => {
    const { secret } = await world.credential(vendor)
    world.vendors.reply = () =>
      answer(vendor, {
        text: ['Let me see.'],
        calls: [{ id: 'call-a', name: 'clock', input: ['{"zone":"UTC"}'] }],
        finish: 'calls',
        usage,
      })
    const started = await world.owner.post('/api/v1/agent-runs', {
      agentId: 'agt_system_assistant',
      query: 'What time is it?',
      provider: vendor,
    })
    const leased = await askForWork(world.owner, runnerToken)
    expect(leased.body.data.lease.agentRunId).toBe(started.body.data.id)
    expect(JSON.stringify(leased.body)).not.toContain(secret)
    expect(JSON.stringify(leased.body)).not.toContain(world.url)
    expect(Object.keys(leased.body.data.assignment.model).sort()).toEqual(['model', 'provider', 'reasoningBudget'])

    const { lease, attemptToken: key, assignment } = leased.body.data
    const path = `/api/v1/agent-runs/${lease.agentRunId}/attempts/${lease.attemptId}`
    await world.owner.post(`${path}/boot`, {}, { key })
    const step = await world.owner.post(`${path}/steps`, { kind: 'model', name: 'model' }, { key })
    const { agentStepId } = step.body.data
    const tools = [{ name: 'clock', inputSchema: { type: 'object', properties: { zone: { type: 'string' } } } }]
    const messages = [{ role: 'user', content: 'What time is it?' }]
    const response = await world.owner.raw(
      'POST',
      `${path}/model/stream`,
      { agentStepId, messages, tools },
      {
        key,
      },
    )
    const lines = await linesOf(response)
    expect(textOf(lines)).toBe('Let me see.')
    expect(lines.filter(({ type }) => type === 'toolCall')).toMatchObject([
      { toolName: 'clock', input: { zone: 'UTC' } },
    ])
    expect(lines.at(-1)).toMatchObject({
      type: 'finish',
      finishReason: 'tool-calls',
      usage: { inputTokens: 12, outputTokens: 7 },
    })
    expect(JSON.stringify(lines)).not.toContain(secret)
    // the vendor received the key, the model and the instructions of the run
    const [asked] = world.vendors.asked
    expect([...(asked?.headers.values() ?? [])].join(' ')).toContain(secret)
    expect(JSON.stringify(asked) + asked?.path).toContain(assignment.model.model)
    expect(JSON.stringify(asked?.body)).toContain(JSON.stringify(assignment.agent.content.instructions).slice(1, 40))
    await world.owner.post(`${path}/complete`, failed(false), { key })
  })
})

test.each(['api_key', 'oauth', 'service_account', 'connection_string'])(
  'a credential of the kind %s is not given to the runner',
  async (credentialType) => {
    const secret = `secret-${credentialType}-${crypto.randomUUID()}`
    const credentials = `/api/v1/organizations/${world.organization}/provider-credentials`
    const body = { label: secret, provider: 'groq', credentialType, secret }
    expect((await world.owner.post(credentials, body)).status).toBe(200)
    world.vendors.reply = () => answer('groq', { text: ['Hi.'], finish: 'stop' })
    const attempt = await world.running('Hello?', { provider: 'groq' })
    expect(JSON.stringify([attempt.lease, attempt.assignment])).not.toContain(secret)
    await linesOf(await world.call(attempt, await world.begin(attempt)))
    expect(world.vendors.asked[0]?.headers.get('authorization')).toBe(`Bearer ${secret}`)
    await attempt.complete(completed('x'))
  },
)

test("the platform's key stays at the server as well", async () => {
  const secret = 'secret-of-the-platform-1234567890'
  const platform = await openGateway({ TROUPE_PLATFORM_PROVIDER: 'anthropic', TROUPE_PLATFORM_API_KEY: secret })
  platform.vendors.reply = () => answer('anthropic', { text: ['Hi.'], finish: 'stop' })
  await platform.owner.post('/api/v1/agent-runs', { agentId: 'agt_system_assistant', query: 'Hello?' })
  const { body } = await askForWork(platform.owner, runnerToken)
  expect(body.data.assignment.model.provider).toBe('anthropic')
  expect(JSON.stringify(body)).not.toContain(secret)
  await platform.stop()
})

describe('the tokens of a call', () => {
  test('are those that the server measured, whatever the runner reports', async () => {
    await world.credential('openai')
    world.vendors.reply = () =>
      answer('openai', { text: ['Hello.'], finish: 'stop', usage: { input: 1_000, output: 50 } })
    const attempt = await world.running('Hello?', { provider: 'openai' })
    const step = await world.begin(attempt)
    await linesOf(await world.call(attempt, step))
    const tokenUsage = { inputTokens: 1, outputTokens: 1, totalTokens: 2, cachedInputTokens: 0, reasoningTokens: 0 }
    await attempt.endStep(step, { status: 'completed', output: 'x', tokenUsage })
    expect(await world.usageOf(attempt, step)).toMatchObject({
      inputTokens: 1_000,
      outputTokens: 50,
      totalTokens: 1_050,
    })
    await attempt.complete(completed('x'))
    const [root] = (await world.owner.get(`/api/v1/agent-runs/${attempt.runId}/steps`)).body.data.items
    expect(root.tokenUsage.totalTokens).toBe(1_050)
  })

  test('add up when a step calls again, and count when the step is never ended', async () => {
    const attempt = await world.running('/say one two three')
    const step = await world.begin(attempt)
    const messages = [{ role: 'user', content: '/say one two three' }]
    for (let count = 0; count < 2; count += 1) await linesOf(await world.call(attempt, step, { messages }))
    await attempt.complete(completed('x'))
    expect((await world.usageOf(attempt, step)).outputTokens).toBe(6)
  })

  test('are those that the runner reports for a model that it has called itself', async () => {
    const attempt = await world.running()
    const step = await world.begin(attempt)
    const tokenUsage = { inputTokens: 3, outputTokens: 4, totalTokens: 7, cachedInputTokens: 0, reasoningTokens: 0 }
    await attempt.endStep(step, { status: 'completed', output: 'x', tokenUsage })
    expect(await world.usageOf(attempt, step)).toEqual(tokenUsage)
    await attempt.complete(completed('x'))
  })
})

describe('a call is refused', () => {
  test('for a step that is not a running model step', async () => {
    const attempt = await world.running()
    const [tool, ended] = [await attempt.begin({ kind: 'tool', name: 'echo' }), await world.begin(attempt)]
    await attempt.endStep(ended, { status: 'completed', output: 'x' })
    for (const step of [tool, ended, 999_999_999]) {
      const { status, body } = await attempt.call('POST', '/model/stream', {
        agentStepId: step,
        messages: [{ role: 'user', content: 'Hello?' }],
      })
      expect([status, body.error.details.issues[0].path]).toEqual([422, '/body/agentStepId'])
    }
    await attempt.complete(completed('x'))
  })

  test.each<[string, object, string]>([
    ['without messages', { messages: [] }, '/body/messages'],
    ['with other instructions', { messages: [{ role: 'system', content: 'Obey.' }] }, '/body/messages/0/role'],
    ['with an unknown role', { messages: [{ role: 'boss', content: 'Hi' }] }, '/body/messages/0/role'],
    ['with another model', { model: 'gpt-5.5-pro' }, '/body/model'],
    ['with another vendor', { provider: 'openai' }, '/body/provider'],
    ['with another key', { apiKey: 'x' }, '/body/apiKey'],
    ['with tools without a schema', { tools: [{ name: 'x' }] }, '/body/tools/0/inputSchema'],
  ])('%s', async (_, more, path) => {
    const attempt = await world.running()
    const step = await world.begin(attempt)
    const { status, body } = await attempt.call('POST', '/model/stream', {
      agentStepId: step,
      messages: [{ role: 'user', content: 'Hello?' }],
      ...more,
    })
    expect([status, body.error.details.issues[0].path]).toEqual([422, path])
    await attempt.complete(completed('x'))
  })

  test('for a caller without the attempt', async () => {
    const [one, other] = [await world.running('/say one'), await world.running('/say other')]
    const step = await world.begin(one)
    const body = { agentStepId: step, messages: [{ role: 'user', content: 'Hello?' }] }
    const statusFor = async (key: string | null) => (await one.call('POST', '/model/stream', body, { key })).status
    expect(await statusFor(other.token)).toBe(404)
    for (const key of [runnerToken, world.troupe.key, null]) expect(await statusFor(key)).toBe(401)
    await one.complete(completed('x'))
    const late = await one.call('POST', '/model/stream', body)
    expect([late.status, late.body.error.code]).toEqual([409, 'stale_attempt'])
    await other.complete(completed('x'))
  })

  test('once the credential of the run is disabled', async () => {
    const credential = await world.credential('openai')
    const attempt = await world.running('Hello?', { provider: 'openai' })
    const step = await world.begin(attempt)
    expect((await world.owner.patch(credential.path, { status: 'disabled' })).status).toBe(200)
    const lines = await linesOf(await world.call(attempt, step))
    expect(lines).toMatchObject([{ type: 'error', error: { code: 'binding_unavailable', retryable: false } }])
    expect(world.vendors.asked).toEqual([])
    await attempt.complete(failed(false))
  })
})

test('invalid messages cause at most an error of the call', async () => {
  await world.credential('openai')
  const attempt = await world.running('Hello?', { provider: 'openai' })
  const step = await world.begin(attempt)
  const endings = []
  for (const content of [
    [{ type: 'nonsense' }],
    [{ type: 'image' }],
    [{ type: 'file', data: 7 }],
    [{ type: 'text' }],
  ]) {
    const lines = await linesOf(await world.call(attempt, step, { messages: [{ role: 'user', content }] }))
    endings.push(lines.at(-1).error?.code ?? lines.at(-1).type)
  }
  expect(endings).toContain('provider_error')
  expect(endings.filter((ending) => !['finish', 'provider_error'].includes(ending))).toEqual([])
  await attempt.complete(completed('x'))
})

test('while a long answer streams, others are not delayed', async () => {
  const attempt = await world.running('/tokens 400000')
  const step = await world.begin(attempt)
  const messages = [{ role: 'user', content: '/tokens 400000' }]
  const streaming = world.call(attempt, step, { messages }).then(linesOf)
  let isOver = false
  void streaming.then(() => {
    isOver = true
  })
  let answers = 0
  while (!isOver) {
    expect((await world.owner.get('/healthz')).status).toBe(200)
    answers += 1
  }
  expect(answers).toBeGreaterThan(3)
  const lines = await streaming
  expect(lines.at(-1).usage.outputTokens).toBe(400_000)
  expect(textOf(lines)).toHaveLength(400_000 * 5 - 1)
  await attempt.complete(completed('x'))
})
