/** What prevents a Deployment from becoming ready. Source: contract 3, "validating", "provisioning". */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { echoOperation } from '../../support/world/places.ts'
import { issuesOf, openWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.stop())

const connectionBinding = (bindingKey: string, more: object = {}) => ({
  bindingKey,
  kind: 'connection',
  required: true,
  ...more,
})
const shopSettings = { baseUrl: 'https://shop.example.com' }
const variableBinding = (bindingKey: string, more: object = {}) => ({
  bindingKey,
  kind: 'variable',
  required: true,
  ...more,
})

describe('a binding', () => {
  test.each([
    ['a Connection', connectionBinding('shop')],
    ['a variable', variableBinding('shop')],
  ])('that requires %s and has none fails the Deployment', async (_, binding) => {
    const place = await world.place()
    const agent = await world.agent(place, { bindings: [binding] })
    const ended = await world.submitted(place, await world.release(place, [agent]))
    expect([ended.state, ended.stateReason?.code]).toEqual(['failed', 'validation_failed'])
    expect(issuesOf(ended)).toEqual([['binding_missing', `/agents/${agent.agentId}/bindings/shop`]])
    expect(ended.digest).toBeNull()
  })

  test('that is optional may be missing', async () => {
    const place = await world.place()
    const bindings = [connectionBinding('one', { required: false }), variableBinding('two', { required: false })]
    const agent = await world.agent(place, { bindings })
    expect(await world.submitted(place, await world.release(place, [agent]))).toMatchObject({ state: 'ready' })
  })

  test('is resolved by a resource that is bound to this Agent with this key, or has the key as its name', async () => {
    const place = await world.place()
    const agent = await world.agent(place, { bindings: [connectionBinding('shop'), variableBinding('TOKEN')] })
    const other = await world.agent(place)
    await world.connection(place, { agentId: other.agentId, bindingKey: 'shop' })
    await world.connection(place, { agentId: agent.agentId, bindingKey: 'store' })
    await world.variable(place, { name: 'TOKEN', agentId: other.agentId, bindingKey: 'TOKEN' })
    const release = await world.release(place, [agent])
    const missing = await world.submitted(place, release)
    expect(issuesOf(missing)).toEqual([
      ['binding_missing', `/agents/${agent.agentId}/bindings/shop`],
      ['binding_missing', `/agents/${agent.agentId}/bindings/TOKEN`],
    ])
    expect(missing.stateReason?.issues?.[0]?.message).toContain(agent.slug)
    await world.connection(place, { agentId: agent.agentId, bindingKey: 'shop' })
    await world.variable(place, { name: 'TOKEN' })
    expect(await world.submitted(place, release)).toMatchObject({ state: 'ready' })
    const named = await world.agent(place, { bindings: [connectionBinding('named')] })
    await world.connection(place, { name: 'named' })
    expect(await world.submitted(place, await world.release(place, [named]))).toMatchObject({ state: 'ready' })
  })

  test.each([
    ['http', 'binding_kind_mismatch'],
    ['custom', undefined],
    [undefined, undefined],
  ])('of kind %s with a Connection of kind custom: %s', async (connectionKind, code) => {
    const place = await world.place()
    const agent = await world.agent(place, { bindings: [connectionBinding('shop', { connectionKind })] })
    await world.connection(place, { agentId: agent.agentId, bindingKey: 'shop', kind: 'custom' })
    const ended = await world.submitted(place, await world.release(place, [agent]))
    expect(ended.state).toBe(code ? 'failed' : 'ready')
    expect(issuesOf(ended).map(([each]) => each)).toEqual(code ? [code] : [])
  })

  test.each([
    ['without a kind', {}, 'binding_kind_mismatch'],
    ['of kind custom', { connectionKind: 'custom' }, 'binding_kind_mismatch'],
    ['that is optional', { required: false }, undefined],
  ])('%s for a granted operation, with a Connection of kind custom', async (_, more, code) => {
    const place = await world.place()
    const find = echoOperation('find', { handler: { type: 'http', connection: 'shop', method: 'GET', path: '/' } })
    const pin = await world.operations(place, 'orders', [find])
    const agent = await world.agent(place, { bindings: [connectionBinding('shop', more)] }, ['orders.find'])
    await world.connection(place, { name: 'shop', kind: 'custom' })
    const ended = await world.submitted(place, await world.release(place, [agent], [pin]))
    expect(issuesOf(ended)).toEqual(code ? [[code, `/agents/${agent.agentId}/bindings/shop`]] : [])
  })
})

describe('a Connection without a credential', () => {
  const needy = { ...shopSettings, auth: 'header', headerName: 'x-key' }
  const submittedWith = async (settings: object, binding: object) => {
    const place = await world.place()
    const { id } = await world.connection(place, { name: 'shop', kind: 'http', settings })
    const agent = await world.agent(place, { bindings: [connectionBinding('shop', binding)] })
    return { id, ended: await world.submitted(place, await world.release(place, [agent])) }
  }

  test('that requires one fails the Deployment', async () => {
    const { id, ended } = await submittedWith(needy, {})
    expect(issuesOf(ended)).toEqual([['credential_missing', `/connections/${id}`]])
    expect(ended.stateReason?.issues?.[0]?.message).toMatch(/^The Connection shop .* providerCredentialId/)
  })

  test.each([
    ['requires none', shopSettings, {}],
    ['is optional', needy, { required: false }],
  ])('that %s does not', async (_, settings, binding) => {
    expect((await submittedWith(settings, binding)).ended.state).toBe('ready')
  })

  test('that has a field of that name in settings of its own does not', async () => {
    const place = await world.place()
    await world.connection(place, { name: 'shop', kind: 'custom', settings: { auth: { mode: 'none' } } })
    const agent = await world.agent(place, { bindings: [connectionBinding('shop')] })
    const ended = await world.submitted(place, await world.release(place, [agent]))
    expect([ended.state, issuesOf(ended)]).toEqual(['ready', []])
  })
})

test('all issues are reported together, in the journal and the history', async () => {
  const place = await world.place()
  const first = await world.agent(place, {
    bindings: [
      connectionBinding('shop'),
      variableBinding('token'),
      variableBinding('NEEDED'),
      connectionBinding('mail', { connectionKind: 'http' }),
    ],
  })
  const second = await world.agent(place, { bindings: [connectionBinding('shop')] })
  await world.connection(place, { agentId: first.agentId, bindingKey: 'mail' })
  const variable = await world.variable(place, { name: 'NEEDED' })
  const { pin } = await world.definition(place, 'orders', ['find'])
  const release = await world.release(place, [first, second], [pin])
  const { id } = await world.snapshot(place)
  await place.owner.patch(`${place.path}/variables/${variable.id}`, { status: 'disabled' })
  const ended = await world.submitted(place, release, id)
  expect(issuesOf(ended).toSorted()).toEqual(
    [
      ['binding_missing', `/agents/${first.agentId}/bindings/shop`],
      ['binding_missing', `/agents/${first.agentId}/bindings/token`],
      ['binding_kind_mismatch', `/agents/${first.agentId}/bindings/mail`],
      ['binding_missing', `/agents/${second.agentId}/bindings/shop`],
      ['variable_disabled', `/variables/${variable.id}`],
    ].toSorted(),
  )
  expect(ended.stateReason?.message).toContain('5 issues')
  const { items } = (await place.owner.get(`${place.path}/deployments/${ended.id}/transitions`)).body.data
  expect(items.at(-1)).toMatchObject({
    from: 'validating',
    to: 'failed',
    event: 'rejected',
    reason: { code: 'validation_failed' },
  })
  expect(world.history(place).at(-1)).toMatchObject({ type: 'deployment.failed', data: { from: 'validating' } })
})

test('a Deployment of more than 16 MiB fails', async () => {
  const place = await world.place()
  const metadata = { text: 'x'.repeat(950_000) }
  const agents = await Promise.all(Array.from({ length: 18 }, () => world.agent(place, { metadata })))
  expect(issuesOf(await world.submitted(place, await world.release(place, agents)))).toEqual([['too_large', '']])
  expect(await world.submitted(place, await world.release(place, agents.slice(0, 17)))).toMatchObject({
    state: 'ready',
  })
})
