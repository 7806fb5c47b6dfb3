/** Connections by consent in use: in Deployments, HTTP operations and health. Source: requirement 4.3; contract 4. */

import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { httpOperation, type World } from '../../runs/project/world.ts'
import { eventually } from '../../support/process.ts'
import type { AgentPin, Deployment, Place } from '../../support/world/places.ts'
import { data } from '../../support/world/replies.ts'
import { type Consents, openConsents } from './consenting.ts'
import { type OddProvider, refusal, tokens } from './odd-provider.ts'

const minute = 60_000
let consents: Consents
let world: World
let odd: OddProvider
let connect: Consents['connect']
beforeAll(async () => {
  consents = await openConsents()
  ;({ world, odd, connect } = consents)
})
afterAll(() => consents?.stop())
beforeEach(() => odd.reset())

/** Ages the tokens of all consents, and their last failures, by this much. */
function age(ms: number): void {
  const database = new Database(world.file, { readwrite: true })
  database.run('pragma busy_timeout = 5000')
  database.run(
    'update oauth_grants set expires_at = expires_at - ?1, failed_at = failed_at - ?1, updated_at = updated_at - ?1',
    [ms],
  )
  database.close()
}

interface Served {
  place: Place
  agent: AgentPin
  connectionId: string
  deployAgain(): Promise<string>
  call(): Promise<{ output: unknown; error: { code: string; message: string } | null }>
  health(): Promise<string>
}

/** An Agent that is deployed with an operation over the Connection. */
async function serving(more: object = {}, isRequired = false): Promise<Served> {
  const place = await world.place()
  const tools = [{ kind: 'operation', name: 'look', operation: 'shop.look' }]
  const bindings = [{ bindingKey: 'shop', kind: 'connection', connectionKind: 'http', required: isRequired }]
  const agent = await world.agent(place, { tools, bindings }, ['shop.look'])
  const definition = await world.operations(place, 'shop', [httpOperation('look', { path: '/things' })])
  const connectionId = await connect(place, agent.agentId, more)
  await world.serve(place, [agent], [definition])
  return {
    place,
    agent,
    connectionId,
    deployAgain: () => world.deploy(place, [agent], [definition]),
    async call() {
      const { id, state } = await world.run(place, agent.agentId, '/call look {}\n/say Done')
      expect(state).toBe('completed')
      return world.called(id)
    },
    async health() {
      const { items } = await data<{ items: { state: string }[] }>(world.owner.get(`${place.path}/connections/health`))
      return items[0]!.state
    },
  }
}

test('an operation sends the token of the consent, and a new one after its refresh', async () => {
  const { call, health } = await serving()
  expect(await call()).toEqual({ output: { seen: true }, error: null })
  age(56 * minute)
  expect(await call()).toEqual({ output: { seen: true }, error: null })
  expect(odd.apiCalls).toEqual(['Bearer access-token-0', 'Bearer access-token-1'])
  expect(odd.tokenRequests).toHaveLength(1)
  expect(await health()).toBe('healthy')
})

test('of many concurrent runs, one refreshes the token', async () => {
  const { place, agent } = await serving()
  age(56 * minute)
  const runs = Array.from({ length: 6 }, () =>
    world.run(place, agent.agentId, '/call look {}\n/call look {}\n/say Done'),
  )
  await Promise.all(runs)
  expect(new Set(odd.apiCalls)).toEqual(new Set(['Bearer access-token-1']))
  expect(odd.tokenRequests).toHaveLength(1)
})

test('a token that a service echoes is not in the response', async () => {
  const { call } = await serving()
  odd.apiAnswer = (authorization) => Response.json({ echo: authorization })
  expect(JSON.stringify(await call())).not.toContain('access-token-0')
})

describe('a consent that the provider ended', () => {
  test('fails calls, makes the Connection expired, and causes no more requests', async () => {
    const { place, call, health, connectionId } = await serving()
    age(56 * minute)
    odd.tokenAnswers = [() => refusal('invalid_grant')]
    expect((await call()).error).toMatchObject({ code: 'tool_error' })
    expect((await call()).error).toMatchObject({ code: 'tool_error' })
    expect(odd.tokenRequests).toHaveLength(1)
    expect(odd.apiCalls).toEqual([])
    expect(await health()).toBe('expired')
    const connection = await data(world.owner.get(`${place.path}/connections/${connectionId}`))
    expect(connection).toMatchObject({ status: 'disabled' })

    // re-enabling it does not renew the consent
    await data(world.owner.patch(`${place.path}/connections/${connectionId}`, { status: 'active' }))
    expect((await call()).error).toMatchObject({ code: 'tool_error' })
  })

  test('keeps Deployments whose Agents require it from becoming ready', async () => {
    const { place, connectionId, deployAgain } = await serving({ refresh_token: undefined }, true)
    age(61 * minute)
    await data(world.owner.patch(`${place.path}/connections/${connectionId}`, { status: 'active' }))
    const deployment = deployAgain()
    await expect(deployment).rejects.toThrow('consent_expired')
    await expect(deployment).rejects.toThrow('connect the account again, and deploy with credentials: current')
  })

  test('stays ended for Deployments that pin it; a new consent takes effect with the next Deployment', async () => {
    const { place, agent, call, health, connectionId, deployAgain } = await serving()
    age(56 * minute)
    odd.tokenAnswers = [() => refusal('invalid_grant')]
    await call()
    expect(await connect(place, null)).toBe(connectionId)
    expect((await call()).error).toEqual({
      code: 'tool_error',
      message:
        `The consent of the Connection ${connectionId} cannot be used: expired. ` +
        'Connect the account again, then deploy with credentials: current.',
    })
    await world.activate(place, await deployAgain())
    expect(await health()).toBe('healthy')
    expect((await call()).error).toBeNull()
    expect(odd.apiCalls).toEqual(['Bearer access-token-0'])
    expect(agent.agentId).toBeString()
  })

  test('is replaced by a new one in a Deployment with current credentials, for calls and for health', async () => {
    const { place, call, health } = await serving()
    age(56 * minute)
    odd.tokenAnswers = [() => refusal('invalid_grant')]
    await call()
    expect(await health()).toBe('expired')
    await connect(place, null)
    const { items } = await data<{ items: Deployment[] }>(world.owner.get(`${place.path}/deployments`))
    const { releaseId, configurationRevisionId } = items[0]!
    const again = { releaseId, configurationRevisionId, credentials: 'current' }
    const { id } = await data(world.owner.post(`${place.path}/deployments`, again))
    await world.settled(place, id)
    await world.activate(place, id)
    expect((await call()).error).toBeNull()
    expect(await health()).toBe('healthy')
  })
})

test('while refreshes fail the old token is used, then the binding becomes unavailable', async () => {
  const { call, health, connectionId } = await serving()
  odd.tokenAnswers = [() => new Response(null, { status: 500 })]
  age(58 * minute)
  expect((await call()).error).toBeNull()
  age(3 * minute)
  const { error } = await call()
  expect(error).toEqual({
    code: 'tool_error',
    message:
      `The consent of the Connection ${connectionId} cannot be used: expired. ` +
      'The provider has not renewed it; try again in a minute.',
  })
  expect(await health()).toBe('healthy')
  odd.tokenAnswers = [() => tokens({ access_token: 'access-token-2' })]
  age(minute)
  expect((await call()).error).toBeNull()
  expect(odd.apiCalls).toEqual(['Bearer access-token-0', 'Bearer access-token-2'])
})

test('without its integration a consent is used until its token ends, and is expired then', async () => {
  const { call, health, connectionId } = await serving()
  await consents.deleteIntegration()
  age(58 * minute)
  expect((await call()).error).toBeNull()
  expect(await health()).toBe('healthy')
  age(3 * minute)
  expect((await call()).error).toEqual({
    code: 'tool_error',
    message:
      `The consent of the Connection ${connectionId} cannot be used: expired. ` +
      'Its integration was deleted: register the client again, connect the account, and deploy with the new Connection.',
  })
  expect(await health()).toBe('expired')
  expect(odd.tokenRequests).toEqual([])
  await consents.registerAgain()
})

test('a token without a refresh token is expired once it ends', async () => {
  const { call, health } = await serving({ refresh_token: undefined })
  expect(await health()).toBe('healthy')
  age(61 * minute)
  expect((await call()).error).toMatchObject({ code: 'tool_error' })
  expect(await health()).toBe('expired')
})

test('a Connection that a user disabled is disabled, not expired', async () => {
  const { place, connectionId, call, health } = await serving()
  await data(world.owner.patch(`${place.path}/connections/${connectionId}`, { status: 'disabled' }))
  expect(await health()).toBe('disabled')
  expect((await call()).error).toMatchObject({ code: 'tool_error' })
})

test('Deployments, health and lists send no request to the provider', async () => {
  const { place, deployAgain, health } = await serving()
  age(59 * minute)
  await deployAgain()
  await health()
  await data(world.owner.get(`${place.path}/connections`))
  expect(odd.tokenRequests).toEqual([])
})

test('a Configuration Revision contains the version and no credential', async () => {
  const { place, connectionId } = await serving()
  const { items } = await data<{ items: { connections: object[] }[] }>(
    world.owner.get(`${place.path}/configuration-revisions`),
  )
  expect(items[0]?.connections.map((each) => ({ ...each }))).toMatchObject([{ connectionId, bindingKey: 'shop' }])
  expect(JSON.stringify(items[0])).not.toContain('ogr_')
  const deleted = await world.owner.delete(`${place.path}/connections/${connectionId}`)
  expect([deleted.status, deleted.body.error.code]).toEqual([409, 'connection_retained'])
})

test('deleting a Project deletes its consents', async () => {
  const place = await world.place()
  const id = await connect(place, null)
  expect((await world.owner.delete(place.project)).status).toBe(202)
  const left = await eventually('the deletion of the Project', async () => {
    const counted = ['oauth_grants', 'oauth_connections'].map(
      (table) => world.rows(`select 1 from ${table} where connection_id = ?`, id).length,
    )
    return counted.every((count) => count === 0) && counted
  })
  expect(left).toEqual([0, 0])
})
