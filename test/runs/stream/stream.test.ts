import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { openWorld, type World } from '../world.ts'
import { EventReader, type StreamEvent } from './event-stream.ts'

const path = '/api/v1/agent-runs'
let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.close())
afterEach(() => {
  const left = world.runs.streams.statistics
  world?.runs.streams.close()
  expect(left).toEqual({ readers: 0, runs: 0 })
})

interface From {
  after?: number
  lastEventId?: number | string
  types?: string
  depth?: number
}
const open = (runId: string, { lastEventId, ...query }: From = {}, signal?: AbortSignal) =>
  world.owner.raw('GET', `${path}/${runId}/stream`, undefined, {
    query,
    headers: lastEventId === undefined ? {} : { 'last-event-id': String(lastEventId) },
    ...(signal && { signal }),
  })
const follow = async (runId: string, from: From = {}) => {
  const answer = await open(runId, from)
  if (answer.status !== 200) throw new Error(await answer.text())
  return new EventReader(answer)
}
const ids = (events: readonly StreamEvent[]) => events.map(({ id }) => id)
const names = (events: readonly StreamEvent[]) => events.map(({ event }) => event)
const through = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index)

/** A complete run: two chains, steps on two levels, deltas, a checkpoint, a wait. */
async function wholeLife(runId?: string) {
  runId ??= await world.start()
  const root = await world.runner.begin(runId)
  const model = await world.runner.startStep(runId, { parent_agent_step_id: root })
  await world.runner.deltas(runId, model, 'He', 'llo')
  await world.runner.checkpoint(runId, root, {
    kind: 'step',
    runtimeCheckpoint: { version: 1, messages: [], stepCount: 1, pendingToolCalls: [], chain: 1 },
  })
  await world.runner.awaitTools(runId, 'call_1')
  await world.owner.post(`${path}/${runId}/continue`, { query: 'the result' })
  await world.runner.begin(runId)
  await world.runner.complete(runId)
  await world.owner.post(`${path}/${runId}/continue`, { query: 'more' })
  await world.runner.begin(runId)
  await world.runner.complete(runId)
  return runId
}

describe('the stream of a run', () => {
  test('begins with a snapshot, then sends events, and ends with the run', async () => {
    const runId = await world.start()
    const reader = await follow(runId)
    const [snapshot] = await reader.take(1)
    expect(snapshot).toMatchObject({ id: 1, event: 'run.snapshot', data: { sequence: 1, attempt: 0 } })
    expect(snapshot?.data.data).toMatchObject({
      run: { id: runId, state: 'queued' },
      openSteps: [],
      lastSequence: 1,
      gap: false,
    })
    const root = await world.runner.begin(runId)
    const model = await world.runner.startStep(runId, { parent_agent_step_id: root })
    await world.runner.deltas(runId, model, 'Hi')
    await world.runner.complete(runId, 'Hi')
    const events = await reader.all()
    expect(reader.other[0]).toBe('retry: 2000')
    expect(names(events.slice(1))).toEqual([
      'run.transition',
      'run.transition',
      'run.transition',
      'step.started',
      'step.started',
      'step.delta',
      'step.failed',
      'step.completed',
      'run.transition',
      'end',
    ])
    expect(ids(events)).toEqual(through(1, 11))
    for (const { id, data } of events)
      expect(data).toMatchObject({ sequence: id, at: expect.any(String), attempt: expect.any(Number) })
    const delta = events.find(({ event }) => event === 'step.delta')
    expect(delta?.data).toMatchObject({ agentStepId: model, attempt: 1, data: { kind: 'text', text: 'Hi' } })
    expect(events.at(-1)?.data.data).toMatchObject({ id: runId, state: 'completed' })
    expect(events.at(-2)?.data.data).toMatchObject({ from: 'running', to: 'completed', sequence: 5 })
  })

  test('has only events of the API document', async () => {
    const runId = await wholeLife()
    // the client checks them
    for (const query of [{ after: 0 }, {}])
      expect((await world.owner.get(`${path}/${runId}/stream`, { query })).status).toBe(200)
  })

  test('has the headers of an event stream', async () => {
    const { status, headers, body } = await open(await world.start())
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/event-stream')
    expect(headers.get('cache-control')).toBe('no-cache, no-transform')
    expect(headers.get('x-accel-buffering')).toBe('no')
    expect(headers.get('x-request-id')).not.toBeNull()
    await body?.cancel()
  })

  test('shows the open steps to late readers', async () => {
    const runId = await world.start()
    const root = await world.runner.begin(runId)
    const reader = await follow(runId)
    const [snapshot] = await reader.take(1)
    expect(snapshot?.data.data.openSteps).toMatchObject([{ agentStepId: root, status: 'running' }])
    await reader.cancel()
  })

  test('of an ended run is its snapshot', async () => {
    const reader = await follow(await world.startIn('completed'))
    const events = await reader.all()
    expect(names(events)).toEqual(['run.snapshot'])
    expect(events[0]?.data.data.run.state).toBe('completed')
  })

  test.each(['awaitingToolResult', 'awaitingDelegateResult'])('stays open while %s', async (state) => {
    const runId = await world.startIn('running')
    const reader = await follow(runId)
    await (state === 'awaitingToolResult'
      ? world.runner.awaitTools(runId, 'a')
      : world.runner.awaitDelegates(runId, 'a'))
    const asked = await reader.until(({ event }) => event === 'input.requested')
    expect(asked.data.data).toMatchObject({ toolCallId: 'a', pending: [{ toolCallId: 'a' }] })
    await world.owner.post(`${path}/${runId}/cancel`)
    expect(names(await reader.all()).at(-1)).toBe('end')
  })

  test('is complete and without repeats after a resumption at any number', async () => {
    const runId = await wholeLife()
    const whole = await (await follow(runId, { after: 0 })).all()
    const tail = whole.length
    expect(ids(whole)).toEqual(through(1, tail))
    expect(names(whole).filter((name) => name === 'end')).toHaveLength(2)
    for (let cut = 1; cut < tail; cut += 1) {
      const rest = await (await follow(runId, { lastEventId: cut })).all()
      expect(rest).toEqual(whole.slice(cut))
    }
    expect((await open(runId, { after: tail })).status).toBe(204)
    expect((await open(runId, { lastEventId: tail })).status).toBe(204)
    // no further events, and no snapshot
    expect((await open(runId, { types: 'end' })).status).toBe(204)
  })

  test('replays exactly what it sent live', async () => {
    const runId = await world.start()
    const live: StreamEvent[] = []
    const listening = (async () => {
      // three chains: the server closes after each end, and the reader reconnects
      for (let after = 0; ; after = live.at(-1)?.id ?? 0) {
        const answer = await open(runId, { after })
        if (answer.status === 204) await new Promise((resolve) => setImmediate(resolve))
        else live.push(...(await new EventReader(answer).all()))
        if (live.filter(({ event }) => event === 'end').length === 2) return
      }
    })()
    await wholeLife(runId)
    await listening
    expect(await (await follow(runId, { after: 0 })).all()).toEqual(live)
  })

  test('passes from stored events to live ones', async () => {
    const runId = await world.start()
    const root = await world.runner.begin(runId)
    const model = await world.runner.startStep(runId, { parent_agent_step_id: root })
    // readers connect at every moment of a busy run
    const readers: Promise<EventReader>[] = []
    const busy = (async () => {
      for (let index = 0; index < 60; index += 1) await world.runner.deltas(runId, model, `${index}`)
      await world.runner.complete(runId)
    })()
    for (let index = 0; index < 30; index += 1) {
      readers.push(follow(runId, { after: index % 8 }))
      await new Promise((resolve) => setImmediate(resolve))
    }
    await busy
    for (const [index, reader] of readers.entries()) {
      const events = await (await reader).all()
      expect(ids(events)).toEqual(through((index % 8) + 1, events.at(-1)?.id ?? 0))
      expect(events.at(-1)?.event).toBe('end')
    }
  })

  test('is the same for a run that is not in memory', async () => {
    const other = await openWorld({ cacheSize: 1 })
    try {
      const runId = await other.startIn('running')
      const read = async (query: Record<string, number>) => {
        await other.start()
        const answer = await other.owner.raw('GET', `${path}/${runId}/stream`, undefined, { query })
        const reader = new EventReader(answer)
        const events = [...(await reader.take(query.after === 2 ? 3 : 1))]
        await reader.cancel()
        return events
      }
      expect(ids(await read({ after: 2 }))).toEqual([3, 4, 5])
      const [snapshot] = await read({})
      expect(snapshot).toMatchObject({
        id: 5,
        data: { data: { run: { state: 'running' }, openSteps: [{ kind: 'agent' }] } },
      })
    } finally {
      await other.close()
    }
  })

  test('can continue after its end', async () => {
    const runId = await world.startIn('completed')
    const [snapshot] = await (await follow(runId)).all()
    await world.owner.post(`${path}/${runId}/continue`, { query: 'x' })
    const reader = await follow(runId, { lastEventId: snapshot?.id })
    const [next] = await reader.take(1)
    expect(next).toMatchObject({ id: (snapshot?.id ?? 0) + 1, event: 'run.transition' })
    await reader.cancel()
  })
})

describe('a position', () => {
  test.each([
    ['beyond the end', { after: 99 }],
    ['beyond the end, in the header', { lastEventId: 99 }],
    ['that is not a number', { lastEventId: 'x' }],
    ['below zero', { after: -1 }],
    ['between numbers', { after: 1.5 }],
  ] as [string, From][])('%s is 422', async (_what, from) => {
    for (const state of ['queued', 'completed']) {
      const answer = await open(await world.startIn(state), from)
      expect(answer.status).toBe(422)
      await answer.body?.cancel()
    }
  })

  test('in the header takes precedence over the query', async () => {
    const reader = await follow(await world.startIn('running'), { lastEventId: 3, after: 0 })
    expect((await reader.take(1))[0]?.id).toBe(4)
    await reader.cancel()
  })
})

describe('a filter', () => {
  test('leaves only the named types, and the stream still ends', async () => {
    const runId = await wholeLife()
    const events = await (await follow(runId, { after: 0, types: 'run.transition,checkpoint.created' })).all()
    expect(new Set(names(events))).toEqual(new Set(['run.transition', 'checkpoint.created']))
    expect((await open(runId, { types: 'step.delta' })).status).toBe(204)
  })

  test('applies to live events too', async () => {
    const runId = await world.start()
    const reader = await follow(runId, { types: 'end' })
    await world.runner.begin(runId)
    await world.runner.complete(runId)
    expect(names(await reader.all())).toEqual(['end'])
  })

  test('by depth 1 omits events below root steps', async () => {
    const runId = await wholeLife()
    const all = await (await follow(runId, { after: 0 })).all()
    const shallow = await (await follow(runId, { after: 0, depth: 1 })).all()
    const isBelow = ({ data }: StreamEvent) => data.data.parentAgentStepId != null || data.data.kind === 'text'
    expect(shallow).toEqual(all.filter((event) => !isBelow(event)))
    expect(shallow.length).toBeLessThan(all.length)
  })

  test.each([{ types: 'noise' }, { types: '' }, { depth: 11 }, { depth: -1 }])('like %j is 422', async (from) => {
    expect((await open(await world.start(), from)).status).toBe(422)
  })
})
