/**
 * The content of a run is removed at the time that the run shows. Source: requirement 2, "Agent Run": content
 * retention.
 */
import type { Database } from 'bun:sqlite'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { keepCallResult } from '../../storage/runs/call-results.ts'
import { openFile, traces } from '../tenancy/deletions/rows.ts'
import { noExecution } from './hand-runner.ts'
import { EventReader } from './stream/event-stream.ts'
import { openWorld, type World } from './world.ts'

const path = '/api/v1/agent-runs'
const [minute, day] = [60_000, 86_400_000]
/** A word in all content. */
const marker = 'Rumpelstilzchen'
const removed = 'Removed with the content of the run.'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.close())
beforeEach(() => {
  expect(world.errors).toEqual([])
})

const prune = () => world.runs.contentRetention.prune(500)
const get = (runId: string, rest = '') => world.owner.get(`${path}/${runId}${rest}`)
const proceed = (runId: string, query = 'more') => world.owner.post(`${path}/${runId}/continue`, { query })
const inFile = <Result>(work: (database: Database) => Result): Result => {
  const database = openFile(world.file)
  try {
    return work(database)
  } finally {
    database.close()
  }
}
const marks = () => inFile((database) => traces(database, [marker]))
const streamOf = (runId: string, query: Record<string, number> = {}, lastEventId?: number) =>
  world.owner.raw('GET', `${path}/${runId}/stream`, undefined, {
    query,
    headers: lastEventId === undefined ? {} : { 'last-event-id': String(lastEventId) },
  })
const eventsOf = async (...asked: Parameters<typeof streamOf>) => new EventReader(await streamOf(...asked)).all()

const failure = { code: 'tool_error', message: `No such thing: ${marker}.` }
const text = (words: string) => ({ type: 'text', text: words })
/** A run with all kinds of content: two chains, a failed call, an external result, a checkpoint. */
async function talkative({ endsWell = true } = {}) {
  const runId = await world.start({ query: marker, contents: [text(marker)], context: { note: marker } })
  const root = await world.runner.begin(runId)
  const said = JSON.stringify({ text: marker })
  const model = await world.runner.startStep(runId, { parent_agent_step_id: root, input: said })
  await world.runner.deltas(runId, model, marker)
  const ends = { execution: noExecution, token_usage: null }
  const ending = { status: 'completed' as const, output: said, error: null, ...ends }
  await world.runner.report(runId, { report: 'stepEnded', agentStepId: model, ending })
  const tool = await world.runner.startStep(runId, { parent_agent_step_id: root, kind: 'tool', name: 'find' })
  const failed = { status: 'failed' as const, output: null, error: JSON.stringify(failure), ...ends }
  await world.runner.report(runId, { report: 'stepEnded', agentStepId: tool, ending: failed })
  const checkpointId = await world.runner.checkpoint(runId, root, {
    kind: 'suspended',
    runtimeCheckpoint: {
      version: 1,
      messages: [{ role: 'user', content: [{ type: 'text', text: marker }] }],
      stepCount: 1,
      pendingToolCalls: [],
      chain: 1,
    },
  })
  await world.runner.awaitTools(runId, 'call_1')
  await proceed(runId, JSON.stringify({ answer: marker }))
  await world.runner.begin(runId)
  if (endsWell) await world.runner.complete(runId, marker)
  else await world.runner.end(runId, { type: 'failed', cause: { code: 'provider_error', message: marker } })
  return { runId, root, model, tool, checkpointId }
}

describe('the content of a run', () => {
  test('is kept for thirty days, and then is in no text of the store', async () => {
    const { runId, root, model, tool, checkpointId } = await talkative()
    const failed = await talkative({ endsWell: false })
    const { data: before } = (await get(runId)).body
    const { data: journal } = (await get(runId, '/transitions')).body
    const tail = (await eventsOf(runId, { after: 0 })).at(-1)?.id as number
    world.clock.advance(30 * day - 1)
    expect(await prune()).toBe(0)
    expect((await get(runId, `/steps/${model}`)).body.data.output).toEqual({ text: marker })
    expect(Object.keys(marks()).sort()).toEqual([
      'agent_steps.error',
      'agent_steps.input',
      'agent_steps.output',
      'call_results.outcome',
      'checkpoints.messages',
      'run_contexts.body',
      'run_events.frames',
      'run_inputs.body',
      'runs.context',
      'runs.query',
      'transitions.reason',
    ])

    world.clock.advance(1)
    expect(await prune()).toBe(2)
    expect(marks()).toEqual({})
    expect(await prune()).toBe(0)

    // the record stays
    const removedAt = new Date(world.clock.now()).toISOString()
    expect((await get(runId)).body.data).toEqual({
      ...before,
      contentRetention: { policy: 'standard', expiresAt: removedAt, removedAt },
    })
    expect((await get(runId, '/transitions')).body.data).toEqual(journal)
    const { items } = (await get(runId, '/steps')).body.data
    expect(items).toHaveLength(4)
    for (const step of items) expect(step).toMatchObject({ input: null, output: null, lastCheckpointId: null })
    expect((await get(runId, `/steps/${tool}`)).body.data).toMatchObject({
      name: 'find',
      status: 'failed',
      error: { code: 'tool_error', message: removed },
      timing: { durationMs: 0 },
    })
    expect((await get(failed.runId)).body.data).toMatchObject({
      state: 'failed',
      stateReason: { code: 'provider_error', message: removed },
    })
    // as of a run that never had any
    expect((await get(runId, '/checkpoints')).body.data.items).toEqual([])
    expect((await get(runId, '/checkpoints/latest')).status).toBe(404)
    expect((await get(runId, `/steps/${root}/checkpoints/${checkpointId}`)).status).toBe(404)

    const snapshot = { id: tail, event: 'run.snapshot', data: { data: { run: { id: runId }, openSteps: [] } } }
    expect(await eventsOf(runId)).toMatchObject([{ ...snapshot, data: { data: { gap: false } } }])
    for (const from of [0, 3, tail - 1]) {
      expect(await eventsOf(runId, { after: from })).toMatchObject([{ ...snapshot, data: { data: { gap: true } } }])
      expect(await eventsOf(runId, {}, from)).toMatchObject([snapshot])
    }
    expect((await streamOf(runId, {}, tail)).status).toBe(204)
    expect((await streamOf(runId, {}, tail + 1)).status).toBe(422)
  })

  test.each(['queued', 'running', 'awaitingToolResult', 'awaitingDelegateResult', 'canceling'])(
    'stays while the run is %s, and is removed when it has ended',
    async (state) => {
      const runId = await world.start({ query: marker })
      await world.runner.lead(runId, state)
      world.clock.advance(31 * day)
      expect(await prune()).toBe(0)
      expect(marks()).toEqual({ 'run_inputs.body': 1, 'runs.query': 1 })
      if (state === 'running') await world.runner.complete(runId)
      else if (state === 'canceling') await world.runner.end(runId, { type: 'reported' })
      else await world.owner.post(`${path}/${runId}/cancel`)
      // clients that waited for the end can still read it
      world.clock.advance(10 * minute - 1)
      expect(await prune()).toBe(0)
      world.clock.advance(1)
      expect(await prune()).toBe(1)
      expect(marks()).toEqual({})
    },
  )

  test('of a run that expired is removed, and is overdue once clients could read its end', async () => {
    const { contentRetention } = world.runs
    expect(await contentRetention.overdueSince()).toBeUndefined()
    const runId = await world.start({ query: marker })
    world.clock.advance(31 * day)
    await world.runner.lead(runId, 'expired')
    world.clock.advance(11 * minute)
    expect(await contentRetention.overdueSince()).toBe(world.clock.now() - minute)
    expect(await prune()).toBe(1)
    expect([await contentRetention.overdueSince(), marks()]).toEqual([undefined, {}])
  })

  test('is removed with the pieces of long texts', async () => {
    const runId = await world.start({ contents: [text(`${marker} `.repeat(100_000))] })
    await world.owner.post(`${path}/${runId}/cancel`)
    expect(marks()).toHaveProperty(['text_pieces.body'])
    world.clock.advance(31 * day)
    expect([await prune(), await world.store.sweepTexts()]).toEqual([1, 1])
    expect(marks()).toEqual({})
  })

  test('stays if the run continued before its retention ended, until it ends again', async () => {
    const { runId } = await talkative()
    world.clock.advance(30 * day - 1)
    expect((await proceed(runId)).status).toBe(200)
    world.clock.advance(day)
    expect(await prune()).toBe(0)
    await world.runner.begin(runId)
    await world.runner.complete(runId)
    world.clock.advance(10 * minute)
    expect(await prune()).toBe(1)
    expect(marks()).toEqual({})
  })
})

describe('a run without its content', () => {
  const gone = async (state: string) => {
    const runId = await world.startIn(state)
    world.clock.advance(31 * day)
    expect(await prune()).toBe(1)
    return runId
  }

  test.each(['completed', 'failed', 'canceled'])('cannot be continued if it was %s', async (state) => {
    const { status, body } = await proceed(await gone(state))
    expect({ status, error: body.error }).toMatchObject({
      status: 409,
      error: { code: 'invalid_transition', details: { currentState: state, conflictReason: 'content_removed' } },
    })
  })

  test('stores no late result of a call', async () => {
    const result = (runId: string) =>
      keepCallResult(world.store, { run_id: runId, tool_call_id: 'late', outcome: `"${marker}"`, created_at: 1 })
    const running = await world.startIn('running')
    await world.store.commit([result(await gone('canceled')), result(running)])
    expect(marks()).toEqual({ 'call_results.outcome': 1 })
    await world.runner.complete(running)
    world.clock.advance(10 * minute)
    await prune()
  })

  test('can be canceled, or not, as before', async () => {
    expect((await world.owner.post(`${path}/${await gone('canceled')}/cancel`)).status).toBe(200)
    expect((await world.owner.post(`${path}/${await gone('completed')}/cancel`)).status).toBe(409)
  })
})

describe('concurrently', () => {
  test.each([
    ['a continue', (runId: string) => proceed(runId)],
    ['a cancel', (runId: string) => world.owner.post(`${path}/${runId}/cancel`)],
  ])('%s and the removal do not interfere', async (_what, command) => {
    const runs = await Promise.all([1, 2, 3, 4].map(() => world.startIn('canceled')))
    world.clock.advance(31 * day)
    const [answers] = await Promise.all([Promise.all(runs.map(command)), prune(), prune()])
    for (const { status } of answers) expect([200, 409]).toContain(status)
    for (const [index, runId] of runs.entries()) {
      const { state } = (await get(runId)).body.data
      const inputs = await world.store.db.selectFrom('run_inputs').select('chain').where('run_id', '=', runId).execute()
      // either it continues with all its content, or nothing is left
      if (state === 'queued')
        expect({ status: answers[index]?.status, chains: inputs.length }).toEqual({ status: 200, chains: 2 })
      else expect([0, 1]).toContain(inputs.length)
      await world.owner.post(`${path}/${runId}/cancel`)
    }
    world.clock.advance(10 * minute)
    await prune()
    expect(await prune()).toBe(0)
  })

  test('a late reader gets the end, and no content', async () => {
    const { runId } = await talkative()
    const unread = await Promise.all([streamOf(runId, { after: 0 }), streamOf(runId, { after: 2 })])
    const reading = unread.map((answer) => new EventReader(answer))
    world.clock.advance(31 * day)
    await prune()
    const streams = await Promise.all(reading.map((reader) => reader.all()))
    for (const events of streams) {
      const last = events.at(-1)
      expect(['end', 'run.snapshot']).toContain(last?.event as string)
      expect(last?.data.data.state ?? last?.data.data.run.state).toBe('completed')
      for (const { event, data } of events) expect([event, data.data]).not.toEqual([event, null])
    }
    expect(world.runs.streams.statistics).toEqual({ readers: 0, runs: 0 })
  })

  test('a window of a slow reader shows no removed content', async () => {
    const runId = await world.startIn('running')
    const slow = new EventReader(await streamOf(runId))
    await slow.take(1)
    const model = await world.runner.startStep(runId, {})
    for (let index = 0; index < 20; index += 1) await world.runner.deltas(runId, model, `${marker} `.repeat(1_000))
    await world.runner.complete(runId)
    world.clock.advance(31 * day)
    expect(await prune()).toBe(1)
    const late = await eventsOf(runId, { after: 0 })
    expect(late.map(({ event }) => event)).toEqual(['run.snapshot'])
    const rest = await slow.all()
    expect(rest.at(-1)).toMatchObject({ event: 'run.snapshot', data: { data: { gap: true } } })
  })
})

test('a damaged record keeps neither its own content nor that of others', async () => {
  const { runId, tool } = await talkative()
  const other = await talkative({ endsWell: false })
  inFile((database) => {
    database.run('update agent_steps set error = ? where agent_step_id = ?', [`{${marker}`, tool])
    database.run("update transitions set reason = ? where actor_id = ? and to_state = 'completed'", ['null', runId])
    database.run("update runs set context = '{' where id = ?", [runId])
  })
  world.clock.advance(31 * day)
  expect(await prune()).toBe(2)
  expect(marks()).toEqual({})
  expect((await get(other.runId)).body.data.stateReason.code).toBe('provider_error')
})
