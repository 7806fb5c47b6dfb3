/** Streams reconnect by themselves: resumed after the last event, with back-off, until they end. */
import { afterEach, expect, test } from 'bun:test'
import { followStream, type StreamEvent, type StreamState } from '../../src/console/data/event-stream.ts'

const open = new Set<() => void>()
afterEach(() => {
  for (const stop of open) stop()
  open.clear()
})

type Answer = string | number | 'lost'

/** A server with these answers, one for each connection: a body, a status, or no answer. */
function serverOf(answers: Answer[]) {
  const asked: (string | null)[] = []
  const fetch = async (_url: string, init: RequestInit) => {
    asked.push(new Headers(init.headers).get('last-event-id'))
    const answer = answers.shift() ?? 204
    if (answer === 'lost') throw new TypeError('connection refused')
    if (typeof answer === 'string') return new Response(`retry: 1\n\n${answer}`)
    const code = answer === 422 ? 'validation_failed' : 'not_found'
    const error = { code, message: 'There is no such resource.', requestId: 'req_1' }
    return answer === 204 ? new Response(null, { status: 204 }) : Response.json({ error }, { status: answer })
  }
  return { fetch, asked }
}

/** Follows until the stream ends or fails. */
function follow(answers: Answer[]) {
  const { fetch, asked } = serverOf(answers)
  const events: StreamEvent[] = []
  const states: StreamState[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  open.add(
    followStream({
      url: 'http://troupe.test/stream',
      fetch,
      onEvents: (more) => void events.push(...more),
      onState(state) {
        states.push(state)
        if (state === 'ended' || state === 'failed') resolve()
      },
    }),
  )
  return promise.then(() => ({ asked, events, states }))
}

const event = (id: number, type = 'step.delta') => `id: ${id}\nevent: ${type}\ndata: {"sequence":${id}}\n\n`

test('events come in order, and the end event ends the stream', async () => {
  const { events, states } = await follow([event(1) + event(2) + event(3, 'end')])
  expect(events.map(({ id, type }) => `${id} ${type}`)).toEqual(['1 step.delta', '2 step.delta', '3 end'])
  expect(states).toEqual(['connecting', 'open', 'ended'])
})

test('an event with line separators in its text is whole', async () => {
  const text = 'one\u2028two\u2029three'
  const { events } = await follow([`id: 1\nevent: step.delta\ndata: ${JSON.stringify({ text })}\n\n${event(2, 'end')}`])
  expect(events.map(({ data }) => data)).toEqual([{ text }, { sequence: 2 }])
})

test('a lost connection is resumed after the last event', async () => {
  const { asked, events, states } = await follow([event(1) + event(2), event(3, 'end')])
  expect(asked).toEqual([null, '2'])
  expect(events.map(({ id }) => id)).toEqual(['1', '2', '3'])
  expect(states).toEqual(['connecting', 'open', 'resuming', 'open', 'ended'])
})

test('a partial event is not shown until it is complete', async () => {
  const { asked, events } = await follow([`${event(1)}id: 2\nevent: step.del`, event(2), 204])
  expect(asked).toEqual([null, '1', '2'])
  expect(events.map(({ id }) => id)).toEqual(['1', '2'])
})

test('an unavailable server is retried until it is back', async () => {
  const { asked, states } = await follow([event(1), 'lost', 503, 204])
  expect(asked).toEqual([null, '1', '1', '1'])
  expect(states.at(-1)).toBe('ended')
  expect(states.slice(2, -1).every((state) => state === 'resuming')).toBe(true)
})

test('an unknown position restarts the stream', async () => {
  const { asked } = await follow([event(7), 422, event(1, 'end')])
  expect(asked).toEqual([null, '7', null])
})

test('it survives an ended session, and resumes after sign-in', async () => {
  const { asked, states } = await follow([event(1), 401, event(2, 'end')])
  expect(asked).toEqual([null, '1', '1'])
  expect(states.at(-1)).toBe('ended')
})

test.each([403, 404])('%d ends it', async (status) => {
  const { states } = await follow([status])
  expect(states).toEqual(['connecting', 'failed'])
})

test.each([
  ['has to sign in', [401, event(2, 'end')], 'ended'],
  ['has lost the permission', [403], 'failed'],
] as const)('a revocation is reported: a user who %s learns it', async (_, answers, state) => {
  const revoked = 'event: end\ndata: {"reason":"revoked","at":"2026-01-31T12:00:00.000Z"}\n\n'
  const { asked, events, states } = await follow([event(1) + revoked, ...answers])
  expect(asked.slice(0, 2)).toEqual([null, '1'])
  expect(events.map(({ id }) => id)).toEqual(state === 'ended' ? ['1', '2'] : ['1'])
  expect(states.at(-1)).toBe(state)
})

test('comments, carriage returns and multi-line data are parsed by the standard', async () => {
  const { events } = await follow([': keep-alive\r\n\r\nid: 1\r\ndata: {"a":\r\ndata: 1}\r\n\r\n', 204])
  expect(events).toEqual([{ id: '1', type: 'message', data: { a: 1 } }])
})
