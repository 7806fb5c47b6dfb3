/** What changes between a Configuration Revision and its Deployment. Source: contract 3, "validating". */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Place } from '../../support/world/places.ts'
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

describe('changes since the Configuration Revision', () => {
  type Change = (place: Place) => Promise<{ change(): Promise<unknown>; issue: [string, string] }>
  /** The Connection and the variable that the Agent requires; the one of this kind gets these changes. */
  const needed = async (place: Place, kind: 'connection' | 'variable', changes: object = {}) => {
    const connection = await world.connection(place, { name: 'needed', ...(kind === 'connection' && changes) })
    const variable = await world.variable(place, { name: 'NEEDED', ...(kind === 'variable' && changes) })
    return kind === 'connection' ? connection : variable
  }
  const cases: [string, Change][] = [
    [
      'a disabled variable',
      async (place) => {
        const { id } = await needed(place, 'variable')
        return {
          change: () => place.owner.patch(`${place.path}/variables/${id}`, { status: 'disabled' }),
          issue: ['variable_disabled', `/variables/${id}`],
        }
      },
    ],
    [
      'a deleted variable',
      async (place) => {
        const { id } = await needed(place, 'variable')
        return {
          change: () => place.owner.delete(`${place.path}/variables/${id}`),
          issue: ['variable_missing', `/variables/${id}`],
        }
      },
    ],
    [
      'a variable with a disabled source',
      async (place) => {
        const base = `/api/v1/organizations/${world.ours}/variables`
        const source = await world.owner.post(base, { name: `SOURCE_${Date.now()}`, value: 'hunter2-value' })
        const { id: sourceVariableId } = source.body.data
        const { id } = await needed(place, 'variable', { sourceVariableId, sourceVersion: 1 })
        return {
          change: () => world.owner.patch(`${base}/${sourceVariableId}`, { status: 'disabled' }),
          issue: ['variable_source_disabled', `/variables/${id}`],
        }
      },
    ],
    [
      'a disabled Connection',
      async (place) => {
        const { id } = await needed(place, 'connection')
        return {
          change: () => place.owner.patch(`${place.path}/connections/${id}`, { status: 'disabled' }),
          issue: ['connection_disabled', `/connections/${id}`],
        }
      },
    ],
    [
      'a Connection with a disabled credential',
      async (place) => {
        const credential = await world.credential('custom')
        const { id } = await needed(place, 'connection', { providerCredentialId: credential.id })
        return {
          change: () => world.owner.patch(credential.path, { status: 'disabled' }),
          issue: ['credential_disabled', `/connections/${id}`],
        }
      },
    ],
    [
      'a Connection with a deleted credential',
      async (place) => {
        const credential = await world.credential('custom')
        const { id } = await needed(place, 'connection', { providerCredentialId: credential.id })
        return {
          change: () => world.owner.delete(credential.path),
          issue: ['credential_missing', `/connections/${id}`],
        }
      },
    ],
  ]

  test.each(cases)('fail the Deployment: %s', async (_, prepare) => {
    const place = await world.place()
    const { change, issue } = await prepare(place)
    const bindings = [connectionBinding('needed'), variableBinding('NEEDED')]
    const agent = await world.agent(place, { bindings })
    const release = await world.release(place, [agent])
    const { id } = await world.snapshot(place)
    expect(await world.submitted(place, release, id)).toMatchObject({ state: 'ready' })
    await change()
    const ended = await world.submitted(place, release, id)
    expect([ended.state, ended.stateReason?.code]).toEqual(['failed', 'validation_failed'])
    expect(issuesOf(ended)).toEqual([issue])
  })

  test('say of a deleted credential how to mend that, whether its version was pinned or open', async () => {
    const place = await world.place()
    const agent = await world.agent(place, { bindings: [connectionBinding('shop')] })
    const credential = await world.credential('custom')
    await world.connection(place, { name: 'shop', providerCredentialId: credential.id })
    const release = await world.release(place, [agent])
    const before = await world.snapshot(place)
    await world.owner.delete(credential.path)
    const after = await world.snapshot(place)
    for (const { id } of [before, after]) {
      const { stateReason } = await world.submitted(place, release, id)
      expect(stateReason?.issues).toEqual([
        expect.objectContaining({
          code: 'credential_missing',
          message: expect.stringMatching(new RegExp(`${credential.id} was deleted; .* new Configuration Revision`)),
        }),
      ])
    }
  })

  test('name each Connection that has an unusable credential', async () => {
    const place = await world.place()
    const agent = await world.agent(place, { bindings: [connectionBinding('shop'), connectionBinding('stock')] })
    const credential = await world.credential('custom')
    const named = (name: string) => world.connection(place, { name, providerCredentialId: credential.id })
    const ids = [(await named('shop')).id, (await named('stock')).id]
    const release = await world.release(place, [agent])
    const { id } = await world.snapshot(place)
    await world.owner.patch(credential.path, { status: 'disabled' })
    expect(issuesOf(await world.submitted(place, release, id)).sort()).toEqual(
      ids.map((connectionId) => ['credential_disabled', `/connections/${connectionId}`]).sort(),
    )
  })

  test('an expired credential of a setting', async () => {
    const place = await world.place()
    const agent = await world.agent(place)
    const credential = await world.credential('openai')
    const expiresAt = new Date(world.clock.now() + 60_000).toISOString()
    await world.owner.patch(credential.path, { expiresAt })
    const { settingId } = await world.setting(place, agent.agentId, {
      provider: 'openai',
      providerCredentialId: credential.id,
    })
    const release = await world.release(place, [agent])
    const { id } = await world.snapshot(place)
    expect(await world.submitted(place, release, id)).toMatchObject({ state: 'ready' })
    world.clock.advance(60_000)
    expect(issuesOf(await world.submitted(place, release, id))).toEqual([
      ['credential_expired', `/providerSettings/${settingId}`],
    ])
  })

  test('count only within the reach of the Release, and only for required resources', async () => {
    const place = await world.place()
    const inside = await world.agent(place, { bindings: [variableBinding('token', { required: false })] })
    const outside = await world.agent(place, { bindings: [variableBinding('token')] })
    const disable = async (path: string) => place.owner.patch(`${place.path}/${path}`, { status: 'disabled' })
    const optional = await world.variable(place, { agentId: inside.agentId, bindingKey: 'token' })
    const required = await world.variable(place, { agentId: outside.agentId, bindingKey: 'token' })
    const unused = await world.connection(place)
    const before = await world.snapshot(place)
    for (const path of [`variables/${optional.id}`, `variables/${required.id}`, `connections/${unused.id}`]) {
      await disable(path)
    }
    const after = await world.snapshot(place)
    for (const { id } of [before, after]) {
      expect(await world.submitted(place, await world.release(place, [inside]), id)).toMatchObject({ state: 'ready' })
      const failed = await world.submitted(place, await world.release(place, [outside]), id)
      expect(issuesOf(failed)).toEqual([['variable_disabled', `/variables/${required.id}`]])
      expect(failed.stateReason?.issues?.[0]?.message).toContain(required.name)
    }
    const { body } = await place.owner.get(`${place.path}/configuration-revisions/${after.id}`)
    expect(body.data.variables.map(({ variableId }: { variableId: string }) => variableId)).toEqual([required.id])
    expect(body.data.connections).toEqual([])
  })

  test('resources that an operation names must exist, even if no Agent declares them', async () => {
    const place = await world.place()
    const handler = { type: 'http', connection: 'shop', method: 'GET', path: '/{{variables.WHERE}}' }
    const { pin } = await world.definition(place, 'orders', ['find', 'drop'], handler)
    const agent = await world.agent(place, {}, ['orders.find', 'orders.drop'])
    await world.agent(place, {})
    const connection = await world.connection(place, { name: 'shop', kind: 'http', settings: shopSettings })
    const variable = await world.variable(place, { name: 'WHERE' })
    const release = await world.release(place, [agent], [pin])
    expect(await world.submitted(place, release)).toMatchObject({ state: 'ready' })
    await place.owner.patch(`${place.path}/connections/${connection.id}`, { status: 'disabled' })
    await place.owner.patch(`${place.path}/variables/${variable.id}`, { status: 'disabled' })
    const ended = await world.submitted(place, release)
    expect(issuesOf(ended)).toEqual([
      ['binding_missing', `/agents/${agent.agentId}/bindings/shop`],
      ['binding_missing', `/agents/${agent.agentId}/bindings/WHERE`],
    ])
    expect(ended.stateReason?.issues?.[0]?.message).toContain('orders.find, orders.drop')
  })

  test('an Agent that is being deleted fails the Deployment', async () => {
    const place = await world.place()
    const [stays, goes] = [await world.agent(place), await world.agent(place)]
    const release = await world.release(place, [stays, goes])
    await place.owner.delete(goes.path)
    const ended = await world.submitted(place, release)
    expect(ended.state).toBe('failed')
    expect(issuesOf(ended)).toEqual([[expect.stringMatching(/^agent_(deleting|missing)$/), `/agents/${goes.agentId}`]])
  })
})
