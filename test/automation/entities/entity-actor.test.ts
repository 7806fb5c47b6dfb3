import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { openWorld } from './world.ts'

let world: Awaited<ReturnType<typeof open>>
/** One order in each state, oldest first; the last one is deleted. */
const open = () =>
  openWorld(async ({ bundle }, perform) => {
    const orders = []
    for (let total = 0; total < 7; total += 1) orders.push(await perform({ bundle }, 'create', { data: { total } }))
    const [, paid, shipped, , , updated, deleted] = orders.map(({ id }) => id)
    await perform({ bundle }, 'transition', { id: paid, event: 'pay' })
    await perform({ bundle }, 'transition', { id: shipped, event: 'pay' })
    await perform({ bundle }, 'transition', { id: shipped, event: 'ship' })
    await perform({ bundle }, 'update', { id: updated, data: { total: 50, note: 'changed' } })
    await perform({ bundle }, 'delete', { id: deleted })
    const ghost = await perform({ bundle, entity: 'ghost' }, 'create', { data: { total: 1 } })
    return { ids: orders.map(({ id }) => id), ghost: ghost.id }
  })
beforeAll(async () => {
  world = await open()
})
afterAll(() => world?.stop())
const entity = (id: string, more = '', type = 'order') => `${world.place.path}/entities/${type}/${id}${more}`
const actor = (id: string, more = '') => `/api/v1/actors/entity/${id}${more}`

describe('the statechart API', () => {
  test('shows the state of an entity in its own statechart', async () => {
    const { body } = await world.owner.get(actor(world.written.ids[1] as string))
    expect(body.data).toMatchObject({
      machineVersion: '1',
      state: 'paid',
      context: { version: 2 },
      timers: [],
      nextEvents: ['ship', 'entity/update', 'entity/delete'],
    })
    expect(body.data.journal.length).toBe(2)
  })

  test('returns the statechart of one entity', async () => {
    const { status, body } = await world.owner.get(actor(world.written.ids[0] as string, '/machine'))
    expect(status).toBe(200)
    expect(body.data).toMatchObject({ kind: 'entity', title: 'Entity order', version: '1' })
    expect(body.data.states).toEqual(['open', 'paid', 'shipped', 'canceled', 'entity/deleted'])
    expect(body.data.transitions).toContainEqual({
      from: 'open',
      event: 'touch',
      guard: 'versionExpected',
      to: 'open',
      effects: [],
      declaredAt: 'open',
      declaredTo: 'open',
    })
    // transitions that Troupe adds to every state are apart from those of the Definition
    expect(body.data.groups).toEqual([
      { name: 'entity/living', parent: null, states: ['open', 'paid', 'shipped', 'canceled'] },
    ])
    expect(body.data.mermaid).toContain('open --> paid : pay [versionExpected]')
  })

  test('returns one representative statechart for the kind', async () => {
    const { data: ofKind } = (await world.owner.get('/api/v1/machines/entity')).body
    expect([ofKind.kind, ofKind.title]).toEqual(['entity', 'Entity'])
  })

  test("returns the kind's statechart for an actor whose kind has only one", async () => {
    const { environmentId } = world.place
    const { body } = await world.owner.get(`/api/v1/actors/environment/${environmentId}/machine`)
    expect(body.data).toEqual((await world.owner.get('/api/v1/machines/environment')).body.data)
  })

  test.each([
    ['pay', { accepted: true, state: 'paid', effects: [] }],
    ['ship', { accepted: false, state: 'open', effects: [] }],
    [
      { type: 'pay', expectedVersion: 9 },
      { accepted: false, state: 'open', effects: [] },
    ],
    ['entity/delete', { accepted: true, state: 'entity/deleted', effects: [] }],
    ['toString', { accepted: false, state: 'open', effects: [] }],
  ])('the effect of %j is previewed without executing it', async (event, expected) => {
    const id = world.written.ids[0] as string
    const { body } = await world.owner.post(actor(id, '/preview'), { event })
    expect(body.data).toEqual(expected)
    expect((await world.owner.get(entity(id))).body.data).toMatchObject({ state: 'open', version: 1 })
  })

  test('several events are simulated on a copy of the entity, by its own statechart', async () => {
    const id = world.written.ids[1] as string
    const { body } = await world.owner.post(actor(id, '/simulate'), { steps: [{ event: 'pay' }, { event: 'ship' }] })
    expect(body.data).toMatchObject({ start: { state: 'paid' }, end: { state: 'shipped', context: { version: 3 } } })
    expect(body.data.steps[0].refusal.code).toBe('invalid_transition')
    expect((await world.owner.get(entity(id))).body.data).toMatchObject({ state: 'paid', version: 2 })
  })

  test('verifies the journal', async () => {
    const { body } = await world.owner.get(actor(world.written.ids[2] as string, '/verify'))
    expect(body.data).toEqual({ valid: true, storedState: 'shipped', replayedState: 'shipped', problem: null })
  })

  test('streams it: an entity in a final state can still be changed', async () => {
    const stream = await world.owner.raw('GET', actor(world.written.ids[2] as string, '/stream'))
    const reader = stream.body?.getReader() as ReadableStreamDefaultReader<Uint8Array>
    const text = new TextDecoder().decode((await reader.read()).value)
    expect(text).toContain('event: actor.snapshot')
    expect(text).toContain('"nextEvents":["entity/update","entity/delete"]')
    await reader.cancel()
  })

  test.each(['', '/machine', '/verify', '/stream'])('returns 404 for a deleted entity (%p)', async (more) => {
    expect((await world.owner.get(actor(world.written.ids[6] as string, more))).status).toBe(404)
  })
})
