/** Warnings about new keys. Source: requirement 5.4; contract 1, "API key". */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import { signIn } from '../sessions/browser.ts'
import { openWorld, path, type World } from './world.ts'

let world: World
let troupe: World['troupe']
let create: World['create']
beforeAll(async () => {
  world = await openWorld(new HandClock())
  ;({ troupe, create } = world)
})
afterAll(() => world?.stop())

test.each([
  [['api-keys:create'], true],
  [['*'], true],
  [['api-keys:*'], true],
  [['api-keys:list', 'agent-runs:*'], false],
])('a key with %j has a warning: %p', async (operations, warned) => {
  const other = await signIn(troupe)
  const { status, body } = await other.post(path, { name: 'warned', operations })
  expect(status).toBe(201)
  if (warned) {
    expect(body.data.warnings).toEqual([{ code: 'creates_keys', message: expect.stringContaining('api-keys:create') }])
    const rotated = await other.post(`${path}/${body.data.id}/rotate`, {})
    expect(rotated.body.data.warnings).toMatchObject([{ code: 'creates_keys' }])
  } else {
    expect(body.data).not.toHaveProperty('warnings')
  }
})

test('a key that is bound to a Project has none: it creates no keys', async () => {
  const projectId = (await troupe.owner.post('/api/v1/projects', { slug: 'quiet', name: 'Quiet' })).body.data.id
  const bound = (await create({ operations: ['*'], projectId })).body.data
  expect(bound).not.toHaveProperty('warnings')
  const refused = await troupe.as(bound.secret).post(path, { name: 'more', operations: ['agent-runs:list'] })
  expect(refused.status).toBe(403)
  expect((await troupe.owner.post(`${path}/${bound.id}/rotate`, {})).body.data).not.toHaveProperty('warnings')
})
