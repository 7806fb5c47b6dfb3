/** The answer of an actor to an event, without any change. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { dataOf, openWorld, pathOf, toOpen, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.close())

describe('preview', () => {
  const preview = async (id: string, event: unknown) => {
    const response = await world.post(pathOf(id, '/preview'), JSON.stringify({ event }))
    return { status: response.status, data: await dataOf(response) }
  }
  const stored = async (id: string) => {
    const tables = ['tickets where id', 'transitions where actor_id', 'timers where actor_id', 'effects where actor_id']
    return Promise.all(tables.map((from) => world.store.all({ sql: `select * from ${from} = ?`, parameters: [id] })))
  }

  test.each([
    ['submit', { accepted: true, state: 'in-review', effects: ['announce'] }],
    [{ type: 'submit' }, { accepted: true, state: 'in-review', effects: ['announce'] }],
    [
      { type: 'note', text: 'x' },
      { accepted: true, state: 'draft', effects: [] },
    ],
    ['approve', { accepted: false, state: 'draft', effects: [] }],
    ['shelve', { accepted: false, state: 'draft', effects: [] }],
    ['an unknown event', { accepted: false, state: 'draft', effects: [] }],
  ])('%j on a draft', async (event, answer) => {
    const id = await world.ticket()
    const before = await stored(id)
    expect(await preview(id, event)).toEqual({ status: 200, data: answer })
    expect(await stored(id)).toEqual(before)
    expect(await dataOf(await world.get(pathOf(id)))).toMatchObject({ state: 'draft', version: 1 })
  })

  test.each([
    [['ready'], { accepted: true, state: 'open', effects: ['stopClock', 'tell', 'announce'] }],
    [[], { accepted: false, state: 'in-review', effects: [] }],
  ])('a guard decides: tags %j', async (tags, answer) => {
    const id = await world.ticket({ type: 'submit' })
    expect((await preview(id, { type: 'approve', tags })).data).toEqual(answer)
  })

  test('a statechart that modifies its input does not change the actor', async () => {
    const id = await world.ticket(...toOpen)
    expect((await preview(id, 'scribble')).data).toEqual({ accepted: true, state: 'open', effects: [] })
    expect(await dataOf(await world.get(pathOf(id)))).toHaveProperty('context.lines', [])
  })

  test('a deadline can be tried before its time', async () => {
    const id = await world.ticket({ type: 'submit' })
    expect((await preview(id, 'reviewDeadline')).data).toEqual({
      accepted: true,
      state: 'draft',
      effects: ['stopClock'],
    })
  })

  const hostile = [
    '{"type":"approve"}',
    '{"type":"approve","tags":null}',
    '{"type":"approve","tags":{"includes":"yes"}}',
    '{"type":"approve","tags":[{"toString":1}],"at":"never","chance":{}}',
    '{"type":"__proto__"}',
    '{"type":"constructor"}',
    '{"type":"toString"}',
    '{"type":"create"}',
    '{"type":"xstate.init"}',
    '{"type":"xstate.after.reviewDeadline.ticket.in-review"}',
    '{"type":"*"}',
    '{"type":"approve","constructor":{"prototype":{"polluted":true}}}',
  ]
  test.each(hostile)('%s is refused, and breaks nothing', async (event) => {
    const id = await world.ticket({ type: 'submit' })
    const before = await stored(id)
    const response = await world.post(pathOf(id, '/preview'), `{"event":${event}}`)
    expect(response.status).toBe(200)
    expect(await dataOf(response)).toEqual({ accepted: false, state: 'in-review', effects: [] })
    expect(await stored(id)).toEqual(before)
    expect('polluted' in {}).toBe(false)
  })

  test.each(['{"type":"close"}', '{"type":"close","answer":null}'])(
    'an assignment that fails because of %s is refused',
    async (event) => {
      const id = await world.ticket(...toOpen)
      const response = await world.post(pathOf(id, '/preview'), `{"event":${event}}`)
      expect(response.status).toBe(200)
      expect(await dataOf(response)).toEqual({ accepted: false, state: 'open', effects: [] })
    },
  )

  test('a field named __proto__ changes no object', async () => {
    const id = await world.ticket()
    const response = await world.post(
      pathOf(id, '/preview'),
      '{"event":{"type":"submit","__proto__":{"polluted":true}}}',
    )
    expect(response.status).toBeLessThan(500)
    expect('polluted' in {}).toBe(false)
  })

  test.each([
    ['', 400],
    ['{', 400],
    ['{}', 422],
    ['[]', 422],
    ['{"event":null}', 422],
    ['{"event":[]}', 422],
    ['{"event":{}}', 422],
    ['{"event":{"type":5}}', 422],
    ['{"event":{"type":""}}', 422],
    ['{"event":""}', 422],
    [`{"event":"${'x'.repeat(65)}"}`, 422],
    [`{"event":{"type":"${'x'.repeat(65)}"}}`, 422],
    ['{"event":"submit","also":1}', 422],
  ])('the body %s: %d', async (body, status) => {
    const response = await world.post(pathOf(await world.ticket(), '/preview'), body)
    expect(response.status).toBe(status)
  })
})
