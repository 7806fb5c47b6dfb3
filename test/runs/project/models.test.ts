import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { echoOperation } from '../../support/world/places.ts'
import { data } from '../../support/world/replies.ts'
import { openWorld, said, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.stop())

const model = async (runId: string) => {
  const [step] = (await world.steps(runId)).filter(({ kind }) => kind === 'model')
  return step?.execution
}
const keys = () => world.vendor.asked.map(({ headers }) => headers.authorization ?? headers['x-api-key'])

/** An active Agent with this content and this setting. */
async function served(content: object, setting?: object) {
  const place = await world.place()
  const agent = await world.agent(place, content)
  if (setting) await world.setting(place, agent.agentId, setting)
  await world.serve(place, [agent])
  return { place, agentId: agent.agentId }
}

/** Only these credentials are active; each vendor has a separate key. */
async function having(...providers: string[]) {
  const credentials = await Promise.all(providers.map((provider) => world.credential(provider, `key-of-${provider}`)))
  return { drop: () => Promise.all(credentials.map((credential) => credential.disable())) }
}

describe('without any credential', () => {
  test('the platform default serves an Agent without a model, or with a vendor of its author', async () => {
    for (const content of [{}, { model: { provider: 'openai', model: 'gpt-5.5' } }]) {
      const { place, agentId } = await served(content)
      const run = await world.run(place, agentId, '/say Done')
      expect(run).toMatchObject({ state: 'completed' })
      expect(await model(run.id)).toMatchObject({ provider: 'sandbox', model: 'sandbox' })
    }
  })

  test('a vendor in the request or a setting is refused: 400', async () => {
    const plain = await served({})
    const asked = await world.start(plain.place, plain.agentId, 'Hello', { provider: 'openai' })
    expect([asked.status, asked.body.error.code]).toEqual([400, 'provider_unconfigured'])
    const set = await served({}, { provider: 'openai' })
    const started = await world.start(set.place, set.agentId, 'Hello')
    expect([started.status, started.body.error.code]).toEqual([400, 'provider_unconfigured'])
  })

  test("a model that the platform's default does not have is refused: 400", async () => {
    const { place, agentId } = await served({})
    const { status, body } = await world.start(place, agentId, 'Hello', { model: 'gpt-5.5' })
    expect([status, body.error.code]).toEqual([400, 'invalid_model'])
  })
})

describe('with credentials', () => {
  // the author's model, the Environment's setting, the request, and the resulting model
  test.each([
    ['author', { model: { provider: 'openai', model: 'one' } }, undefined, {}, 'openai', 'one'],
    [
      'setting before author',
      { model: { provider: 'openai', model: 'one' } },
      { provider: 'anthropic', model: 'two' },
      {},
      'anthropic',
      'two',
    ],
    [
      'setting without model',
      { model: { provider: 'anthropic', model: 'one' } },
      { provider: 'anthropic' },
      {},
      'anthropic',
      'one',
    ],
    [
      "another vendor's model is not used",
      { model: { provider: 'openai', model: 'one' } },
      { provider: 'anthropic' },
      {},
      'anthropic',
      'claude-sonnet-5-5',
    ],
    [
      'request before setting',
      {},
      { provider: 'anthropic', model: 'two' },
      { provider: 'openai', model: 'three' },
      'openai',
      'three',
    ],
    [
      "the request's vendor with the setting's model",
      {},
      { provider: 'openai', model: 'two' },
      { provider: 'openai' },
      'openai',
      'two',
    ],
    [
      "the request's model with the setting's vendor",
      {},
      { provider: 'openai', model: 'two' },
      { model: 'three' },
      'openai',
      'three',
    ],
  ] as const)('%s', async (_what, content, setting, request, provider, name) => {
    const { drop } = await having('openai', 'anthropic')
    const { place, agentId } = await served(content, setting)
    const { id } = await data(world.start(place, agentId, 'Hello', { ...request, maxRetries: 0 }))
    await world.ended(id)
    expect(await model(id)).toMatchObject({ provider, model: name })
    expect(keys().at(-1)).toContain(`key-of-${provider}`)
    await drop()
  })

  test('a named vendor uses the newest active credential', async () => {
    const { place, agentId } = await served({})
    const older = await world.credential('openai', 'older-key')
    const newer = await world.credential('openai', 'newer-key')
    await world.run(place, agentId, 'Hello', { provider: 'openai' })
    expect(keys().at(-1)).toBe('Bearer newer-key')
    await newer.disable()
    await world.run(place, agentId, 'Hello', { provider: 'openai' })
    expect(keys().at(-1)).toBe('Bearer older-key')
    await older.rotate('oldest-key')
    await world.run(place, agentId, 'Hello', { provider: 'openai' })
    expect(keys().at(-1)).toBe('Bearer oldest-key')
    await older.disable()
  })

  test('a System Agent uses them too, and keeps its credential on a continue without a vendor', async () => {
    const credential = await world.credential('openai', 'system-key')
    const { id } = await data(
      world.owner.post('/api/v1/agent-runs', { agentId: 'agt_system_assistant', query: 'Hello', provider: 'openai' }),
    )
    expect(await world.ended(id)).toMatchObject({ state: 'completed' })
    const later = await world.credential('openai', 'later-key')
    await data(world.owner.post(`/api/v1/agent-runs/${id}/continue`, { query: 'And?' }))
    await world.ended(id)
    expect(keys().slice(-2)).toEqual(['Bearer system-key', 'Bearer system-key'])
    await data(world.owner.post(`/api/v1/agent-runs/${id}/continue`, { query: 'And?', provider: 'openai' }))
    await world.ended(id)
    expect(keys().at(-1)).toBe('Bearer later-key')
    await Promise.all([credential.disable(), later.disable()])
  })
})

describe('a pinned credential', () => {
  /** An Agent whose setting pins a credential. */
  async function pinned(secret: string) {
    const place = await world.place()
    const agent = await world.agent(place)
    const credential = await world.credential('openai', secret)
    const setting = { provider: 'openai', model: 'one', providerCredentialId: credential.id }
    const { settingId } = await world.setting(place, agent.agentId, setting)
    await world.serve(place, [agent])
    return {
      place,
      agentId: agent.agentId,
      credential,
      settingPath: `${place.path}/agents/${agent.agentId}/provider-settings/${settingId}`,
    }
  }

  test('keeps its version, whatever comes later', async () => {
    const { place, agentId, credential, settingPath } = await pinned('first-key')
    await credential.rotate('second-key')
    await data(world.owner.patch(settingPath, { model: 'another' }))
    const run = await world.run(place, agentId, 'Hello')
    expect(run).toMatchObject({ state: 'completed' })
    expect(await model(run.id)).toMatchObject({ provider: 'openai', model: 'one' })
    expect(keys().at(-1)).toBe('Bearer first-key')
    await credential.disable()
  })

  test('that is disabled fails the run, and no other one is used', async () => {
    const { place, agentId, credential } = await pinned('only-key')
    const { drop } = await having('openai')
    await credential.disable()
    const asked = world.vendor.asked.length
    const run = await world.run(place, agentId, 'Hello')
    expect(run).toMatchObject({ state: 'failed', stateReason: { code: 'binding_unavailable' } })
    expect(JSON.stringify(run)).not.toContain('only-key')
    // the run says it to the organization; the operator has nothing to do
    expect(world.lines.filter((line) => JSON.stringify(line).includes(run.id))).toEqual([])
    expect(world.vendor.asked).toHaveLength(asked)
    await credential.enable()
    expect(await world.run(place, agentId, 'Hello')).toMatchObject({ state: 'completed' })
    await credential.disable()
    await drop()
  })

  test('that is disabled between two attempts fails the second one', async () => {
    const { place, agentId, credential } = await pinned('brief-key')
    const before = world.vendor.answer
    world.vendor.answer = async () => {
      await credential.disable()
      return new Response('busy', { status: 503 })
    }
    const asked = world.vendor.asked.length
    const run = await world.run(place, agentId, 'Hello')
    world.vendor.answer = before
    expect(run).toMatchObject({ state: 'failed', stateReason: { code: 'binding_unavailable' } })
    expect(world.vendor.asked).toHaveLength(asked + 1)
  })
})

describe('settings of the Environment', () => {
  test("override the author's limit of the answer", async () => {
    const { drop } = await having('openai')
    const { place, agentId } = await served(
      { model: { provider: 'openai', settings: { maxOutputTokens: 10 } } },
      { provider: 'openai', settings: { maxOutputTokens: 77 } },
    )
    await world.run(place, agentId, 'Hello')
    expect(JSON.parse(world.vendor.asked.at(-1)!.text)).toMatchObject({ max_completion_tokens: 77 })
    await drop()
  })
})

test('delegates use their own models, and all use the vendor of the request', async () => {
  const place = await world.place()
  const helper = await world.agent(place, { model: { provider: 'openai', model: 'small' } })
  const lead = await world.agent(place, {
    delegates: [{ name: 'helper', description: 'Helps.', agentId: helper.agentId }],
  })
  await world.serve(place, [helper, lead])
  const { drop } = await having('openai')
  const models = async (runId: string) =>
    (await world.steps(runId))
      .filter(({ kind }) => kind === 'model')
      .map(({ agent, execution }) => [agent.agentId, execution.provider, execution.model])

  world.vendor.answer = () => said('Found')
  const run = await world.run(place, lead.agentId, '/call helper {"query": "Look"}\n/say Done')
  expect(run).toMatchObject({ state: 'completed' })
  expect(await models(run.id)).toEqual([
    [lead.agentId, 'sandbox', 'sandbox'],
    [helper.agentId, 'openai', 'small'],
    [lead.agentId, 'sandbox', 'sandbox'],
  ])
  const binding = world.rows<{ binding: string }>('select binding from runs where id = ?', run.id)
  expect(binding[0]!.binding).not.toContain('key-of')
  await drop()
})

test('no key is in the store, the log or an answer', async () => {
  const texts = world
    .rows<{ name: string }>("select name from sqlite_master where type = 'table' and name not like 'sqlite_%'")
    .map(({ name }) => JSON.stringify(world.rows(`select * from "${name}"`)))
  for (const secret of ['key-of-openai', 'first-key', 'only-key', 'brief-key', 'system-key']) {
    for (const text of [...texts, JSON.stringify(world.lines)]) expect(text).not.toContain(secret)
  }
})

test("a model gets the schemas of tools with their keys in the authors' order", async () => {
  const place = await world.place()
  const properties = { reasoning: { type: 'string' }, answer: { type: 'string', description: 'In short.' } }
  const inputSchema = { type: 'object', required: ['reasoning', 'answer'], properties }
  const definition = await world.operations(place, 'notes', [echoOperation('keep', { inputSchema })])
  const tools = [
    { kind: 'operation', name: 'keep', operation: 'notes.keep' },
    { kind: 'interactive', name: 'ask', description: 'Asks.', inputSchema },
  ]
  const agent = await world.agent(place, { tools, model: { provider: 'openai', model: 'gpt-5.5' } }, ['notes.keep'])
  await world.serve(place, [agent], [definition])
  const credential = await world.credential('openai', 'key-of-openai')
  world.vendor.asked.length = 0
  await world.run(place, agent.agentId, 'Hello')
  await credential.disable()
  const asked = JSON.parse(world.vendor.asked[0]!.text)
  const shown = asked.tools.map((tool: { function: { parameters: unknown } }) => tool.function.parameters)
  expect(shown.map((schema: unknown) => JSON.stringify(schema))).toEqual([
    JSON.stringify(inputSchema),
    JSON.stringify(inputSchema),
  ])
})
