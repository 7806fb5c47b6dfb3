/** Several events in a row on a copy, with its own clock, and without any change. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { openWorld, pathOf, toOpen, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.close())

const at = '2030-01-01T00:00:00.000Z'

interface Answered {
  start: Record<string, unknown>
  steps: Record<string, unknown>[]
  end: Record<string, unknown>
  complete: boolean
}

async function ask(path: string, request: unknown, key = 'reader') {
  const response = await world.post(path, typeof request === 'string' ? request : JSON.stringify(request), key)
  const body = (await response.json()) as { data: Answered; error: { code: string; details: { issues: unknown[] } } }
  return { status: response.status, ...body }
}
const simulate = async (id: string, request: object) => (await ask(pathOf(id, '/simulate'), request)).data
const ofMachine = async (kind: string, request: object) =>
  (await ask(`/api/v1/machines/${kind}/simulate`, request)).data

const stored = (id: string) =>
  Promise.all(
    ['tickets where id', 'transitions where actor_id', 'timers where actor_id', 'effects where actor_id'].map((from) =>
      world.store.all({ sql: `select * from ${from} = ?`, parameters: [id] }),
    ),
  )

/** Event, states and outcome of each step. */
const path = ({ steps }: Answered) =>
  steps.map(({ event, from, to, accepted }) => `${event}: ${from} ${accepted ? '→' : '✗'} ${to}`)

describe('a copy of an actor', () => {
  test('processes several events, one after the other, without changing the actor', async () => {
    const id = await world.ticket()
    const before = await stored(id)
    const data = await simulate(id, {
      at,
      steps: [
        { event: 'submit' },
        { event: { type: 'approve', tags: [] } },
        { event: { type: 'approve', tags: ['ready'] } },
        { waitMs: 5_000, event: { type: 'close', answer: { code: 7 } } },
        { event: 'park' },
      ],
    })
    expect(path(data)).toEqual([
      'submit: draft → in-review',
      'approve: in-review ✗ in-review',
      'approve: in-review → open',
      'close: open → closed',
      'park: closed ✗ closed',
    ])
    expect(data.start).toEqual({ state: 'draft', at, context: { notes: 0, lines: [] }, timers: [] })
    expect(data.end).toEqual({
      state: 'closed',
      at: '2030-01-01T00:00:05.000Z',
      context: { notes: 7, lines: [] },
      timers: [],
      nextEvents: [],
    })
    expect(data.complete).toBe(true)
    expect(await stored(id)).toEqual(before)
  })

  test('reports what each step would commit and do', async () => {
    const id = await world.ticket()
    const { steps } = await simulate(id, { at, steps: [{ event: 'submit' }, { event: { type: 'note', text: 'x' } }] })
    expect(steps[0]).toEqual({
      step: 0,
      cause: 'event',
      event: 'submit',
      at,
      from: 'draft',
      to: 'in-review',
      accepted: true,
      rows: [{ to: 'in-review', guard: null, holds: true, assumed: false, taken: true }],
      effects: [{ effect: 'announce', done: 'hint' }],
      sequence: 2,
      changes: {},
      timers: [{ event: 'reviewDeadline', dueAt: '2030-01-01T00:01:00.000Z' }],
      refusal: null,
    })
    expect(steps[1]).toMatchObject({
      accepted: false,
      rows: [],
      refusal: { status: 409, code: 'invalid_transition', message: 'Not possible while in-review.' },
    })
  })

  test('reports its guards, and accepts overrides', async () => {
    const id = await world.ticket({ type: 'submit' })
    const approve = { event: { type: 'approve', tags: [] } }
    const { steps } = await simulate(id, { steps: [approve, { ...approve, assume: { tagged: true } }] })
    expect(steps.map(({ rows, accepted }) => [accepted, ...(rows as object[])])).toEqual([
      [false, { to: 'open', guard: 'tagged', holds: false, assumed: false, taken: false }],
      [true, { to: 'open', guard: 'tagged', holds: true, assumed: true, taken: true }],
    ])
  })

  test('a guard that cannot be evaluated with the data of an event counts as false, and breaks nothing', async () => {
    const id = await world.ticket({ type: 'submit' })
    const { steps, end } = await simulate(id, { steps: [{ event: { type: 'approve' } }, { event: 'reject' }] })
    expect(steps[0]).toMatchObject({
      accepted: false,
      rows: [{ guard: 'tagged', holds: null, taken: false }],
      refusal: { status: 422, code: 'validation_failed' },
    })
    expect(end).toHaveProperty('state', 'draft')
  })

  test('shows the changed fields, and no private ones', async () => {
    const id = await world.ticket(...toOpen)
    const answer = await ask(pathOf(id, '/simulate'), {
      steps: [{ event: 'scribble' }, { event: { type: 'close', answer: { code: 3 } } }],
    })
    expect(answer.data.steps.map(({ changes }) => changes)).toEqual([{ lines: ['scribbled'] }, { notes: 3 }])
    expect(JSON.stringify(answer)).not.toContain('do not tell')
  })

  test('begins with the given fields of the context', async () => {
    const id = await world.ticket()
    const { start, end } = await simulate(id, {
      context: { notes: 40 },
      steps: [{ event: { type: 'note', text: 'ab' } }],
    })
    expect([start.context, end.context]).toEqual([
      { notes: 40, lines: [] },
      { notes: 42, lines: [] },
    ])
  })

  test('a deadline fires when the clock reaches it, before later events', async () => {
    const id = await world.ticket({ type: 'submit' })
    const [running] = (await simulate(id, { steps: [] })).start.timers as { dueAt: string }[]
    const data = await simulate(id, { steps: [{ waitMs: 59_000 }, { waitMs: 61_000, event: 'submit' }] })
    expect(data.steps.map(({ step, cause, event, to }) => [step, cause, event, to])).toEqual([
      [1, 'deadline', 'reviewDeadline', 'draft'],
      [1, 'event', 'submit', 'in-review'],
    ])
    expect(data.steps[0]?.at).toBe(running?.dueAt)
  })

  test('a new one begins in the initial state of the same statechart', async () => {
    const id = await world.ticket(...toOpen)
    const data = await simulate(id, { from: 'start', at, steps: [{ event: 'submit' }] })
    expect(data.start).toMatchObject({ state: null, timers: [] })
    expect(path(data)).toEqual(['create: null → draft', 'submit: draft → in-review'])
    expect(data.steps.map(({ step, cause, sequence }) => [step, cause, sequence])).toEqual([
      [null, 'creation', 1],
      [0, 'event', 2],
    ])
  })
})

describe('the public statechart of a kind', () => {
  const authority = { authorized: true, budgetLeft: true, roomLeft: true, conversationFits: true }

  test('a run goes through all its states: guards are evaluated, deadlines are those of its states', async () => {
    const data = await ofMachine('run', {
      at,
      birth: { event: { type: 'start', ...authority } },
      steps: [
        { event: { type: 'leaseRequested', attemptId: 'a1', machine: 'm1' } },
        { event: { type: 'leased', attemptId: 'a1', fencingToken: 1 } },
        { event: { type: 'booted', fencingToken: 1 } },
        { event: { type: 'completed', fencingToken: 2, stopReason: 'endTurn' } },
        { event: { type: 'attemptLost', fencingToken: 1, cause: { code: 'lost', message: 'Lost.' } } },
        { event: 'cancel' },
      ],
    })
    expect(path(data)).toEqual([
      'start: null → queued',
      'leaseRequested: queued → acquiring',
      'leased: acquiring → starting',
      'booted: starting → running',
      'completed: running ✗ running',
      'attemptLost: running → queued',
      'cancel: queued → canceled',
    ])
    expect(data.steps[5]?.rows).toEqual([
      { to: 'queued', guard: 'drained', holds: false, assumed: false, taken: false },
      { to: 'queued', guard: 'currentAndRetriesLeft', holds: true, assumed: false, taken: true },
      { to: 'failed', guard: 'current', holds: true, assumed: false, taken: false },
    ])
    expect(data.steps[3]?.timers).toEqual([{ event: 'activeDeadline', dueAt: '2030-01-01T01:00:00.000Z' }])
  })

  test('a creation whose guard fails is refused as by the server', async () => {
    const data = await ofMachine('run', {
      birth: { event: { type: 'start', ...authority, authorized: false } },
      steps: [{ event: 'cancel' }],
    })
    expect(data.steps.map(({ accepted }) => accepted)).toEqual([false, false])
    expect(data.steps[0]).toMatchObject({
      rows: [{ guard: 'admitted', holds: false }],
      refusal: { status: 403, code: 'permission_denied' },
    })
    expect(data.end).toMatchObject({ state: null, nextEvents: [] })
  })

  test('every machine can be simulated from its start, with each of its first events', async () => {
    const { data: listed } = (await (await world.get('/api/v1/machines')).json()) as {
      data: { items: { kind: string }[] }
    }
    expect(listed.items.length).toBeGreaterThan(10)
    for (const { kind } of listed.items) {
      const first = await ofMachine(kind, { steps: [] })
      expect([kind, first.steps[0]?.cause, first.steps[0]?.accepted]).toEqual([kind, 'creation', true])
      for (const event of first.end.nextEvents as string[]) {
        const { steps } = await ofMachine(kind, { steps: [{ event }] })
        expect([kind, event, steps.length]).toEqual([kind, event, 2])
      }
    }
  })

  test('an unknown kind is 404', async () => {
    expect((await ask('/api/v1/machines/nothing/simulate', { steps: [] }, 'nobody')).status).toBe(404)
  })
})

describe('invalid requests', () => {
  const refused: [string, string, number][] = [
    ['no steps', '{}', 422],
    ['no JSON', '{', 400],
    ['an empty step', '{"steps":[{}]}', 422],
    ['too many steps', JSON.stringify({ steps: Array(51).fill({ event: 'submit' }) }), 422],
    ['an event without a type', '{"steps":[{"event":{}}]}', 422],
    ['a long type', JSON.stringify({ steps: [{ event: 'x'.repeat(65) }] }), 422],
    ['a clock set back', '{"steps":[{"waitMs":-1}]}', 422],
    ['an endless wait', '{"steps":[{"waitMs":1e15}]}', 422],
    ['no instant', '{"at":"yesterday","steps":[]}', 422],
    ['an invalid override', '{"steps":[{"event":"submit","assume":{"tagged":"yes"}}]}', 422],
    ['an unknown field of the context', '{"context":{"none":1},"steps":[]}', 422],
    ['the creation of an existing actor', '{"birth":{"event":"create"},"steps":[]}', 422],
    ['an unknown creation', '{"from":"start","birth":{"event":"toString"},"steps":[]}', 422],
    ['an invalid chance', '{"chance":1,"steps":[]}', 422],
    ['much', JSON.stringify({ steps: [{ event: { type: 'note', text: 'x'.repeat(70_000) } }] }), 413],
  ]
  test.each(refused)('%s is refused', async (_, body, status) => {
    const answer = await ask(pathOf(await world.ticket(), '/simulate'), body)
    expect(answer.status).toBe(status)
  })

  test('the refusal names the existing fields', async () => {
    const { error } = await ask('/api/v1/machines/ticket/simulate', { context: { none: 1 }, steps: [] })
    expect(error.details.issues).toEqual([
      { path: '/body/context/none', message: 'The context has no such field. It has: secret, notes, lines.' },
    ])
  })

  test.each([
    ['powerless', 403],
    ['foreigner', 404],
    ['nobody', 401],
  ])('%s gets %d', async (key, status) => {
    const answer = await ask(pathOf(await world.ticket(), '/simulate'), { steps: [{ event: 'submit' }] }, key)
    expect(answer.status).toBe(status)
  })

  test.each(['{"type":"__proto__"}', '{"type":"constructor"}', '{"type":"submit","__proto__":{"polluted":true}}'])(
    'nothing is changed by %s',
    async (event) => {
      const response = await world.post(pathOf(await world.ticket(), '/simulate'), `{"steps":[{"event":${event}}]}`)
      expect(response.status).toBeLessThan(500)
      expect('polluted' in {}).toBe(false)
    },
  )
})
