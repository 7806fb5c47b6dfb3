import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AgentPin, Place } from '../../support/world/places.ts'
import { httpOperation, openWorld, type World } from './world.ts'

// A Connection that was saved while private addresses were allowed, used by a server where they are not.
let folder: string
let world: World
let place: Place
let agent: AgentPin
const masterKey = `k1:${Buffer.alloc(32, 7).toString('base64')}`
const environment = { TROUPE_MASTER_KEYS: masterKey }

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'troupe-'))
  const open = await openWorld({ folder, environment })
  place = await open.place()
  const tools = [{ kind: 'operation', name: 'find', operation: 'shop.find' }]
  agent = await open.agent(place, { tools }, ['shop.find'])
  const definition = await open.operations(place, 'shop', [httpOperation('find', { path: '/find' })])
  await open.connection(place, agent.agentId)
  await open.serve(place, [agent], [definition])
  await open.run(place, agent.agentId, '/call find {}')
  expect(open.shop.asked).toHaveLength(1)
  await open.stop()

  world = await openWorld({ folder, environment: { ...environment, TROUPE_ALLOW_PRIVATE_ADDRESSES: 'false' } })
})
afterAll(async () => {
  await world?.stop()
  await rm(folder, { recursive: true, force: true })
})

test('a private address is not requested by default', async () => {
  const run = await world.run(place, agent.agentId, '/call find {}\n/say Done')
  expect(run).toMatchObject({ state: 'completed' })
  const { error } = await world.called(run.id)
  expect(error?.code).toBe('tool_error')
  expect(error?.message).toContain('blocked_address')
  expect(error?.message).not.toContain('127.0.0.1')
  expect(world.shop.asked).toEqual([])
})
