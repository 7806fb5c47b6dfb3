/** The public view of an actor, and its permissions. */
import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test'
import type { Caller } from '../../../src/platform/http/guard/caller.ts'
import type { ActorView, StoredPlace } from '../../../src/runtime/kind.ts'
import { Watch } from '../../../src/runtime/statecharts/live/watch.ts'
import { callerWith } from '../../support/callers.ts'
import { ticketKind } from './ticket.ts'
import { close, dataOf, openWorld, pathOf, toOpen, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.close())

const grant = (projectId: string) => new Map([[projectId, new Set(['agent-jobs:get'] as const)]])

describe('permissions', () => {
  const calls = [
    ['GET', ''],
    ['GET', '/stream'],
    ['GET', '/verify'],
    ['POST', '/preview'],
  ] as const
  const call = (id: string, [method, more]: readonly [string, string], key: string) =>
    method === 'GET' ? world.get(pathOf(id, more), key) : world.post(pathOf(id, more), '{"event":"submit"}', key)

  test.each(calls)('%s …%s: 401, 403, and 404 alike for a foreign and a missing one', async (method, more) => {
    const id = await world.ticket()
    const unknown = await call(id, [method, more], 'nobody')
    expect(unknown.status).toBe(401)
    const powerless = await call(id, [method, more], 'powerless')
    expect(powerless.status).toBe(403)
    expect(await powerless.json()).toHaveProperty('error.details.permission', 'agent-jobs:get')

    const bodies = []
    for (const [key, of] of [
      ['foreigner', id],
      ['reader', 'ticket-none'],
      ['reader', 'x'.repeat(65)],
    ] as const) {
      const response = await call(of, [method, more], key)
      expect(response.status).toBe(404)
      bodies.push(((await response.json()) as { error: { requestId?: string } }).error)
      delete bodies.at(-1)?.requestId
    }
    expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1)
  })

  const here = { projectId: 'prj_a', environmentId: 'env_a', agentId: 'agt_a' }
  const stored = { project_id: 'prj_a', environment_id: 'env_a', agent_id: 'agt_a' }
  const places: [given: string, place: Partial<StoredPlace> | null, caller: Partial<Caller>, sees: boolean][] = [
    ['there is none', null, {}, false],
    ['a key of the organization', stored, {}, true],
    ['a key without the permission', stored, { permissions: new Set() }, false],
    ['a grant in the Project', stored, { permissions: new Set(), granted: grant('prj_a') }, true],
    ['a grant in another Project', stored, { permissions: new Set(), granted: grant('prj_b') }, false],
    ['a key of the Environment', stored, { scope: { ...here, agentId: null } }, true],
    ['a key of another Environment', stored, { scope: { ...here, environmentId: 'env_b' } }, false],
    ['a key of the Agent', stored, { scope: here }, true],
    ['a key of another Agent', stored, { scope: { ...here, agentId: 'agt_b' } }, false],
    ['a key of an Agent, for what belongs to none', { ...stored, agent_id: undefined }, { scope: here }, true],
    ['a key of an Agent, for what an Agent may have', { ...stored, agent_id: null }, { scope: here }, false],
    ['a key of a Project, for what is in none', { project_id: null, environment_id: null }, { scope: here }, false],
  ]
  test.each(places)('the place decides: %s', async (_, place, caller, sees) => {
    const columns = Object.entries(place ?? {}).filter(([, value]) => value !== undefined)
    const view: ActorView = {
      permission: 'agent-jobs:get',
      place: (_, key) => ({
        sql: `select ${['1', ...columns.map(([name]) => `? as ${name}`)]} where ? = 'org_a' and ${place !== null}`,
        parameters: [...columns.map(([, value]) => value), key.organizationId],
      }),
      show: () => ({}),
    }
    const watch = new Watch({ ...ticketKind, view }, world.watch.parts)
    const permissions = new Set(['agent-jobs:get'] as const)
    expect(await watch.isVisible(callerWith({ organizationId: 'org_a', permissions, ...caller }), 'x')).toBe(sees)
    expect(await watch.isVisible(callerWith({ organizationId: 'org_b', permissions, ...caller }), 'x')).toBe(false)
  })

  test('a kind without a view is not found', async () => {
    expect((await world.get('/api/v1/actors/entity/x')).status).toBe(404)
  })
})

describe('an actor', () => {
  test('shows its state, the next events and its history, and no secret', async () => {
    const id = await world.ticket({ type: 'note', text: 'four' }, { type: 'submit' })
    const response = await world.get(pathOf(id))
    expect(response.status).toBe(200)
    const text = await response.text()
    expect(text).not.toContain('do not tell')
    const at = '2026-01-31T12:00:00.000Z'
    const by = { type: 'user', id: 'usr_1' }
    expect(JSON.parse(text)).toEqual({
      data: {
        address: { kind: 'ticket', id },
        machineVersion: '3',
        state: 'in-review',
        version: 3,
        context: { notes: 4, lines: [] },
        timers: [{ event: 'reviewDeadline', dueAt: '2026-01-31T12:01:00.000Z' }],
        nextEvents: ['approve', 'reject', 'reviewDeadline'],
        journal: [
          { sequence: 1, from: null, to: 'draft', event: 'create', actor: by, attempt: 0, reason: null, at },
          { sequence: 2, from: 'draft', to: 'in-review', event: 'submit', actor: by, attempt: 0, reason: null, at },
        ],
      },
    })
  })

  test('an event whose row does nothing is not among the next events', async () => {
    const data = await dataOf(await world.get(pathOf(await world.ticket())))
    expect(data.nextEvents).toEqual(['submit', 'note'])
  })

  test('an actor in a final state has no deadlines and no next events', async () => {
    const data = await dataOf(await world.get(pathOf(await world.ticket(...toOpen, close))))
    expect({ ...data, journal: [] }).toMatchObject({ state: 'closed', timers: [], nextEvents: [] })
  })

  test('is a consistent snapshot, even if it moves while it is read', async () => {
    const id = await world.ticket()
    using _ = world.afterNextLookAt('timers', () => world.send(id, { type: 'submit' }))
    const data = await dataOf(await world.get(pathOf(id)))
    expect(data).toMatchObject({ state: 'in-review', version: 2, timers: [{ event: 'reviewDeadline' }] })
    expect(data.journal).toHaveLength(2)
  })

  test('never shows a deadline of another state, however fast it moves', async () => {
    const id = await world.ticket()
    const all = world.store.all.bind(world.store)
    let looks = 0
    using _ = spyOn(world.store, 'all').mockImplementation(async (query) => {
      if (query.sql.includes('from "timers"')) {
        looks += 1
        await world.send(id, { type: looks % 2 ? 'submit' : 'reject' })
      }
      return all(query) as never
    })
    const data = await dataOf(await world.get(pathOf(id)))
    expect(looks).toBe(3)
    expect({ state: data.state, timers: data.timers }).toEqual({ state: 'draft', timers: [] })
  })

  test('the journal shows the last hundred entries, ascending', async () => {
    const id = await world.ticket(...toOpen)
    const moves = Array.from({ length: 120 }, (_, index) => world.send(id, { type: index % 2 ? 'resume' : 'park' }))
    await Promise.all(moves)
    const { journal } = (await dataOf(await world.get(pathOf(id)))) as { journal: { sequence: number }[] }
    expect(journal.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 100 }, (_, index) => index + 24))
  })
})
