import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test'
import { close, openWorld, toOpen, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const path = (id: string, more = '') => `/api/v1/actors/ticket/${id}${more}`
const dataOf = async (response: Response) => ((await response.json()) as { data: Record<string, unknown> }).data

describe('who may look', () => {
  const calls = [
    ['GET', ''],
    ['GET', '/stream'],
    ['GET', '/verify'],
    ['POST', '/preview'],
  ] as const
  const call = (id: string, [method, more]: readonly [string, string], key: string) =>
    method === 'GET' ? world.get(path(id, more), key) : world.post(path(id, more), '{"event":"submit"}', key)

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

  test('a kind that nobody watches is not found', async () => {
    expect((await world.get('/api/v1/actors/entity/x')).status).toBe(404)
  })
})

describe('an actor', () => {
  test('shows where it stands, what can happen and what happened, and nothing secret', async () => {
    const id = await world.ticket({ type: 'note', text: 'four' }, { type: 'submit' })
    const response = await world.get(path(id))
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

  test('an event whose row does nothing is not among the next ones', async () => {
    const data = await dataOf(await world.get(path(await world.ticket())))
    expect(data.nextEvents).toEqual(['submit', 'note'])
  })

  test('an actor at its end has no deadlines and no next events', async () => {
    const data = await dataOf(await world.get(path(await world.ticket(...toOpen, close))))
    expect({ ...data, journal: [] }).toMatchObject({ state: 'closed', timers: [], nextEvents: [] })
  })

  test('is shown as it was at one moment, even when it moves while it is read', async () => {
    const id = await world.ticket()
    using _ = world.afterNextLookAt('timers', () => world.send(id, { type: 'submit' }))
    const data = await dataOf(await world.get(path(id)))
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
    const data = await dataOf(await world.get(path(id)))
    expect(looks).toBe(3)
    expect({ state: data.state, timers: data.timers }).toEqual({ state: 'draft', timers: [] })
  })

  test('the journal shows the last hundred, ascending', async () => {
    const id = await world.ticket(...toOpen)
    const moves = Array.from({ length: 120 }, (_, index) => world.send(id, { type: index % 2 ? 'resume' : 'park' }))
    await Promise.all(moves)
    const { journal } = (await dataOf(await world.get(path(id)))) as { journal: { sequence: number }[] }
    expect(journal.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 100 }, (_, index) => index + 24))
  })
})

describe('preview', () => {
  const preview = async (id: string, event: unknown) => {
    const response = await world.post(path(id, '/preview'), JSON.stringify({ event }))
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
    ['nothing like this', { accepted: false, state: 'draft', effects: [] }],
  ])('%j on a draft', async (event, answer) => {
    const id = await world.ticket()
    const before = await stored(id)
    expect(await preview(id, event)).toEqual({ status: 200, data: answer })
    expect(await stored(id)).toEqual(before)
    expect(await dataOf(await world.get(path(id)))).toMatchObject({ state: 'draft', version: 1 })
  })

  test.each([
    [['ready'], { accepted: true, state: 'open', effects: ['stopClock', 'tell', 'announce'] }],
    [[], { accepted: false, state: 'in-review', effects: [] }],
  ])('a guard decides: tags %j', async (tags, answer) => {
    const id = await world.ticket({ type: 'submit' })
    expect((await preview(id, { type: 'approve', tags })).data).toEqual(answer)
  })

  test('not even a statechart that changes what it looks at changes the actor', async () => {
    const id = await world.ticket(...toOpen)
    expect((await preview(id, 'scribble')).data).toEqual({ accepted: true, state: 'open', effects: [] })
    expect(await dataOf(await world.get(path(id)))).toHaveProperty('context.lines', [])
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
  test.each(hostile)('%s is not accepted, and breaks nothing', async (event) => {
    const id = await world.ticket({ type: 'submit' })
    const before = await stored(id)
    const response = await world.post(path(id, '/preview'), `{"event":${event}}`)
    expect(response.status).toBe(200)
    expect(await dataOf(response)).toEqual({ accepted: false, state: 'in-review', effects: [] })
    expect(await stored(id)).toEqual(before)
    expect('polluted' in {}).toBe(false)
  })

  test.each(['{"type":"close"}', '{"type":"close","answer":null}'])(
    'an assignment that fails over %s is not accepted',
    async (event) => {
      const id = await world.ticket(...toOpen)
      const response = await world.post(path(id, '/preview'), `{"event":${event}}`)
      expect(response.status).toBe(200)
      expect(await dataOf(response)).toEqual({ accepted: false, state: 'open', effects: [] })
    },
  )

  test('a field named __proto__ changes no object', async () => {
    const id = await world.ticket()
    const response = await world.post(path(id, '/preview'), '{"event":{"type":"submit","__proto__":{"polluted":true}}}')
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
    const response = await world.post(path(await world.ticket(), '/preview'), body)
    expect(response.status).toBe(status)
  })
})

describe('verify', () => {
  const verify = async (id: string) => dataOf(await world.get(path(id, '/verify')))

  test('a journal that leads to the stored state is valid', async () => {
    const id = await world.ticket(...toOpen, { type: 'park' })
    expect(await verify(id)).toEqual({ valid: true, storedState: 'note', replayedState: 'note', problem: null })
  })

  test('so is one of many pages, with deadlines in it', async () => {
    const id = await world.ticket(...toOpen)
    await Promise.all(
      Array.from({ length: 1_100 }, (_, index) => world.send(id, { type: index % 2 ? 'resume' : 'park' })),
    )
    expect(await verify(id)).toMatchObject({ valid: true, storedState: 'open' })

    const late = await world.ticket({ type: 'submit' })
    world.clock.advance(60_000)
    await world.actors.timers.start()
    world.actors.timers.stop()
    expect(await verify(late)).toMatchObject({ valid: true, storedState: 'draft' })
    expect(await dataOf(await world.get(path(late)))).toHaveProperty('journal.2.event', 'reviewDeadline')
  })

  test('a move between the look at the journal and the look at the actor is read on', async () => {
    const id = await world.ticket(...toOpen)
    using _ = world.afterNextLookAt('transitions', () => world.send(id, { type: 'park' }))
    expect(await verify(id)).toEqual({ valid: true, storedState: 'note', replayedState: 'note', problem: null })
  })

  test('an actor that moves meanwhile is not taken for a broken one', async () => {
    const id = await world.ticket(...toOpen)
    const moves = (async () => {
      for (let index = 0; index < 60; index += 1) await world.send(id, { type: index % 2 ? 'resume' : 'park' })
    })()
    for (let index = 0; index < 20; index += 1) {
      const response = await world.get(path(id, '/verify'))
      if (response.status === 200) expect(await dataOf(response)).toMatchObject({ valid: true })
      else expect(response.status).toBe(409)
    }
    await moves
    expect(await verify(id)).toMatchObject({ valid: true, storedState: 'open' })
  })

  const journal = 'transitions set'
  const at = (sequence: number) => `where actor_id = ? and sequence = ${sequence}`
  // the ticket went: 1 draft, 2 in-review, 3 open, 4 note
  test.each([
    ['a gap', `delete from transitions ${at(2)}`, 'draft', 'Transition 2 is missing.'],
    ['no beginning', `delete from transitions ${at(1)}`, null, 'Transition 1 is missing.'],
    ['no end', `delete from transitions ${at(4)}`, 'open', 'The journal ends in open'],
    ['no journal at all', 'delete from transitions where actor_id = ?', null, 'The journal ends in nothing'],
    [
      'a move to another state',
      `update ${journal} to_state = 'closed' ${at(3)}`,
      'in-review',
      'Transition 3 is no move',
    ],
    ['a state that there is not', `update ${journal} to_state = 'lost' ${at(4)}`, 'open', 'Transition 4 is no move'],
    ['an unknown event', `update ${journal} event = 'bribe' ${at(2)}`, 'draft', 'Transition 2 is no move'],
    ['an event of another state', `update ${journal} event = 'resume' ${at(2)}`, 'draft', 'Transition 2 is no move'],
    [
      'a move from elsewhere',
      `update ${journal} from_state = 'note' ${at(3)}`,
      'in-review',
      'Transition 3 begins in note',
    ],
    [
      'a second beginning',
      `update ${journal} from_state = null ${at(3)}`,
      'in-review',
      'Transition 3 begins in nothing',
    ],
    ['another initial state', `update ${journal} to_state = 'open' ${at(1)}`, null, 'Transition 1 begins in open'],
  ] as const)('%s is not valid', async (_, sql, replayedState, problem) => {
    const id = await world.ticket(...toOpen, { type: 'park' })
    await world.tamper(sql, id)
    const answer = await verify(id)
    expect({ ...answer }).toMatchObject({ valid: false, storedState: 'note', replayedState })
    expect(answer.problem).toStartWith(problem)
  })

  test.each([
    ["state = 'open'", 'open', 'The journal ends in note, and the stored state is open.'],
    ["state = 'lost'", 'lost', 'A stored snapshot of kind ticket cannot be read: its statechart has no state lost.'],
    ["context = '{'", 'note', 'A stored snapshot of kind ticket cannot be read: its context is not JSON.'],
  ])('a stored row with %s is not valid, even while memory knows better', async (change, storedState, problem) => {
    const id = await world.ticket(...toOpen, { type: 'park' })
    await world.tamper(`update tickets set ${change} where id = ?`, id)
    expect(await verify(id)).toEqual({ valid: false, storedState, replayedState: 'note', problem })
  })
})
