/** Bindings fail closed: an operation is called only over what its Agent was given. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { echoOperation, type Place } from '../../support/world/places.ts'
import { data } from '../../support/world/replies.ts'
import { call, expectHidden, servingIn } from './serving.ts'
import { httpOperation, openWorld, type World } from './world.ts'

let world: World
let serving: ReturnType<typeof servingIn>
beforeAll(async () => {
  world = await openWorld()
  serving = servingIn(world)
})
afterAll(() => world?.stop())
beforeEach(() => {
  world.shop.asked.length = 0
  world.shop.answer = () => Response.json({ ok: true })
})

describe('bindings fail closed', () => {
  const find = () => [httpOperation('find', { path: '/{{variables.WHERE}}' })]
  const bound = async () => {
    const made: { connection?: string; credential?: Awaited<ReturnType<World['credential']>>; variable?: string } = {}
    const served = await serving(find(), async (place, agentId) => {
      made.credential = await world.credential('custom', 'closed-secret')
      const credential = { providerCredentialId: made.credential.id }
      const connection = await world.connection(place, agentId, { auth: 'bearer' }, credential)
      const variable = await world.variable(place, 'WHERE', 'closed-value')
      made.connection = `${place.path}/connections/${connection.id}`
      made.variable = `${place.path}/variables/${variable.id}`
    })
    return { ...served, ...(made as Required<typeof made>) }
  }

  test('a disabled Connection, variable or credential fails the call without a request', async () => {
    const { use, connection, credential, variable } = await bound()
    const disabled = { status: 'disabled' }
    const active = { status: 'active' }
    const switches: [() => Promise<unknown>, () => Promise<unknown>][] = [
      [() => data(world.owner.patch(connection, disabled)), () => data(world.owner.patch(connection, active))],
      [() => data(world.owner.patch(variable, disabled)), () => data(world.owner.patch(variable, active))],
      [credential.disable, credential.enable],
    ]
    for (const [off, on] of switches) {
      await off()
      world.shop.asked.length = 0
      const { error } = await use()
      expect(error?.code).toBe('tool_error')
      expect(world.shop.asked).toEqual([])
      await on()
      expect((await use()).error).toBeNull()
    }
  })

  test('an expired credential fails the call without a request', async () => {
    const { use, credential } = await bound()
    world.rows('update provider_credentials set expires_at = ? where id = ?', Date.now(), credential.id)
    world.shop.asked.length = 0
    const { error } = await use()
    expect(error).toMatchObject({ code: 'tool_error', message: expect.stringContaining('expired') })
    expect(world.shop.asked).toEqual([])
    await data(world.owner.patch(credential.path, { expiresAt: null }))
    expect((await use()).error).toBeNull()
  })

  test('a secret of another record fails the call without a request, and is in the log', async () => {
    const [{ use, credential }, other] = [await bound(), await world.credential('custom', 'another-secret')]
    world.rows('drop trigger provider_credential_versions_are_immutable')
    world.rows(
      `update provider_credential_versions set sealed =
        (select sealed from provider_credential_versions where credential_id = ?) where credential_id = ?`,
      other.id,
      credential.id,
    )
    world.shop.asked.length = 0
    const { error } = await use()
    expect(error).toMatchObject({ code: 'tool_error', message: expect.stringContaining('unreadable') })
    expect(world.shop.asked).toEqual([])
    expect(JSON.stringify(world.lines)).toContain(`provider_credentials ${credential.id} cannot be decrypted`)
  })

  const bindings = (required: boolean) => [
    { bindingKey: 'shop', kind: 'connection', required },
    { bindingKey: 'WHERE', kind: 'variable', required },
  ]

  test('without the Connection or variable of an optional binding the call fails', async () => {
    const nothing = await serving(find(), async () => {}, bindings(false))
    expect((await nothing.use()).error?.code).toBe('tool_error')
    const noVariable = await serving(find(), undefined, bindings(false))
    expect((await noVariable.use()).error?.code).toBe('tool_error')
    expect(world.shop.asked).toEqual([])
  })

  test('a disabled resource of a required binding fails the run, at its start and in a call', async () => {
    const disabled = { status: 'disabled' }
    let connection = ''
    const configure = async (place: Place, agentId: string) => {
      connection = `${place.path}/connections/${(await world.connection(place, agentId)).id}`
      await world.variable(place, 'WHERE', 'value')
    }
    const { place, agent } = await serving([...find(), echoOperation('wait')], configure, bindings(true))
    world.shop.answer = async () => {
      await data(world.owner.patch(connection, disabled))
      return Response.json({ ok: true })
    }
    for (const query of ['/call find {}\n/call find {}\n/say Done', '/say Done']) {
      const run = await world.run(place, agent.agentId, query)
      expect(run).toMatchObject({ state: 'failed', stateReason: { code: 'binding_unavailable' } })
      expect(run.stateReason?.message).toContain('disabled')
    }
    world.shop.answer = () => Response.json({ ok: true })
  })

  test('an unbound Connection serves every Agent by its name', async () => {
    const { use } = await serving([httpOperation('find', { path: '/named' })], (place, agentId) =>
      world.connection(place, agentId, {}, { name: 'shop', agentId: null, bindingKey: null }),
    )
    expect((await use()).error).toBeNull()
    expect(world.shop.asked[0]!.path).toBe('/v1/named')
  })

  test('no other Agent calls over a bound Connection', async () => {
    const configure = async (at: Place, agentId: string) => {
      const other = await world.agent(at)
      expect(other.agentId).not.toBe(agentId)
      await world.connection(at, other.agentId)
      await world.variable(at, 'WHERE', 'value')
    }
    const { place, agent } = await serving(find(), configure, bindings(false))
    world.shop.asked.length = 0
    const run = await world.run(place, agent.agentId, call('find'))
    expect((await world.called(run.id)).error?.code).toBe('tool_error')
    expect(world.shop.asked).toEqual([])
  })
})

describe('a run uses what was deployed', () => {
  test('new values, versions, revisions and activations do not affect an active run', async () => {
    const operations = [httpOperation('find', { path: '/{{variables.WHERE}}' }), echoOperation('wait')]
    let variable = ''
    let connection = ''
    const { place, agent } = await serving(operations, async (at, agentId) => {
      connection = `${at.path}/connections/${(await world.connection(at, agentId)).id}`
      variable = `${at.path}/variables/${(await world.variable(at, 'WHERE', 'old')).id}`
    })
    let change: () => Promise<unknown> = async () => {}
    world.shop.answer = async () => {
      await change()
      return Response.json({ ok: true })
    }
    change = async () => {
      change = async () => {}
      await data(world.owner.patch(variable, { value: 'new' }))
      const settings = { baseUrl: `${world.shop.url}/v2` }
      await data(world.owner.patch(connection, { version: { providerCredentialId: null, settings } }))
      const next = await world.revise(place, agent.agentId, { instructions: 'Else.' })
      await world.serve(place, [next])
    }
    const run = await world.run(place, agent.agentId, '/call find {}\n/call find {}\n/say Done')
    expect(run).toMatchObject({ state: 'completed', agentRevisionId: agent.agentRevisionId })
    expect(world.shop.asked.map(({ path }) => path)).toEqual(['/v1/old', '/v1/old'])

    // a continue uses the Deployment of the run's start
    await data(world.owner.post(`/api/v1/agent-runs/${run.id}/continue`, { query: call('find') }))
    expect(await world.ended(run.id)).toMatchObject({ state: 'completed', deploymentId: run.deploymentId })
    expect(world.shop.asked.at(-1)!.path).toBe('/v1/old')
    expect(world.shop.asked).toHaveLength(3)
    // and new runs no longer have such a tool
    const later = await world.run(place, agent.agentId, call('find'))
    expect((await world.called(later.id)).error?.message).toContain('Unknown tool: find')
  })
})

test('no secret is in the store, the log or an answer', () => {
  expectHidden(world, ['closed-secret', 'closed-value', 'another-secret'])
})
