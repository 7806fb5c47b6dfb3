/** What an attempt may not report, and what a run always reports the same way. Source: contract 5, "Decided since". */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Client } from '../../support/client.ts'
import { expectWhole, framesOf, getRun, start, stepsOf } from '../../support/run-records.ts'
import { awaits, completed, conversation, failed, lease, textDelta } from '../../support/simulated-runner.ts'
import { openWorld, type World } from './support/held-attempts.ts'

let world: World
let client: Client
let running: World['running']
beforeAll(async () => {
  world = await openWorld()
  ;({ client, running } = world)
})
afterAll(() => world?.stop())

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const path = (id: string) => `/api/v1/agent-runs/${id}`

test('no text is accepted after the end of its step', async () => {
  const attempt = await running('/say hi')
  const step = await attempt.begin({ kind: 'model', name: 'sandbox' })
  expect((await attempt.report([textDelta(step, 'before')])).status).toBe(200)
  await attempt.endStep(step, { status: 'completed', output: { text: 'before' } })
  const late = await attempt.report([textDelta(step, 'after')])
  expect(late.status).toBe(422)
  expect(late.body.error.details.issues).toEqual([
    { path: '/body/events/0/agentStepId', message: 'The step has ended.' },
  ])
  await attempt.complete(completed('before'))
  const texts = (await framesOf(client, attempt.runId)).filter(({ event }) => event === 'step.delta')
  expect(texts.map(({ data }) => data.data)).toEqual([{ kind: 'text', text: 'before' }])
})

test('the input of a tool is shown with its call', async () => {
  const attempt = await running('/say hi')
  const step = await attempt.begin({ kind: 'model', name: 'sandbox' })
  const delta = (data: object) => [{ type: 'step.delta', agentStepId: step, data }]
  const input = { kind: 'toolInput', text: '{}', toolCallId: 'call_1', toolName: 'echo' }
  expect((await attempt.report(delta(input))).status).toBe(200)
  expect((await attempt.report(delta({ kind: 'toolInput', text: '{}' }))).status).toBe(422)
  expect((await attempt.report(delta({ ...input, kind: 'text' }))).status).toBe(422)
  await attempt.complete(completed('hi'))
  const frames = await framesOf(client, attempt.runId)
  expect(frames.find(({ event }) => event === 'step.delta')?.data.data).toEqual(input)
})

test('a checkpoint is of the chain of its attempt', async () => {
  const attempt = await running('/say hi')
  const step = await attempt.begin({ kind: 'model', name: 'sandbox' })
  const foreign = await attempt.checkpoint(step, conversation([{ role: 'user', content: 'x' }], [], 2))
  expect(foreign.body.error.details.issues[0].path).toBe('/body/runtimeCheckpoint/chain')
  expect((await attempt.checkpoint(step, conversation([{ role: 'user', content: 'x' }]))).status).toBe(201)
  await attempt.complete(completed('hi'))
})

test('a failure has a known code', async () => {
  const attempt = await running('/say hi')
  const report = failed(false)
  const refused = await attempt.complete({ ...report, error: { ...report.error, code: 'I was tired' } })
  expect(refused.body.error.details.issues[0].path).toBe('/body/error/code')
  const step = await attempt.begin({ kind: 'model', name: 'sandbox' })
  const error = { code: 'tired', message: 'I was.' }
  expect((await attempt.endStep(step, { status: 'failed', error })).status).toBe(422)
  expect((await attempt.complete(report)).body.data.stateReason.code).toBe('provider_error')
})

test.each(['tool', 'delegate'] as const)(
  'a run waits for a %s only with a checkpoint of this attempt',
  async (kind) => {
    const attempt = await running('/say hi')
    const refused = await attempt.complete(awaits(kind, 'call_1'))
    expect(refused.status).toBe(422)
    expect(refused.body.error.details.issues[0].path).toBe('/body/outcome')
    const step = await attempt.begin({ kind, name: 'ask' })
    await attempt.checkpoint(step, conversation([{ role: 'user', content: 'x' }]), 'step')
    expect((await attempt.complete(awaits(kind, 'call_1'))).status).toBe(422)
    expect((await getRun(client, attempt.runId)).state).toBe('running')
    await attempt.suspend(step)
    const waits = await attempt.complete(awaits(kind, 'call_1'))
    expect(waits.body.data).toMatchObject({ awaiting: { kind } })
    expect((await attempt.complete(awaits(kind, 'call_1'))).body.data).toEqual(waits.body.data)
  },
)

test('the end of a step is replayed as it was sent live, whatever came later', async () => {
  const attempt = await running('/say hi')
  const step = await attempt.begin({ kind: 'model', name: 'sandbox', execution: { retries: 2 } })
  const live = framesUntil(attempt.runId, 'checkpoint.created')
  await live.open
  await attempt.endStep(step, { status: 'completed', output: { text: 'hi' }, execution: { finishReason: 'stop' } })
  await attempt.checkpoint(step, conversation([{ role: 'user', content: 'x' }]))
  const told = await live.frames
  await attempt.complete(completed('hi'))
  const again = await framesOf(client, attempt.runId)
  for (const [id, data] of told) expect(again.find((frame) => frame.id === id)?.data).toEqual(data)
  const begun = again.find(({ event, data }) => event === 'step.started' && data.agentStepId === step)
  expect(begun?.data.data.execution).toMatchObject({ retries: 2, finishReason: null })
  expect(
    (await stepsOf(client, attempt.runId)).find(({ agentStepId }) => agentStepId === step)?.lastCheckpointId,
  ).toEqual(expect.any(Number))
})

test('canceled while queued and continued, a run still has its first question, with attachments', async () => {
  const image = { type: 'image', mediaType: 'image/png', data: png }
  const run = await start(client, 'What is this?', { contents: [image] })
  for (const query of ['And in blue?', 'And in red?']) {
    expect((await client.post(`${path(run.id)}/cancel`)).status).toBe(200)
    expect((await client.post(`${path(run.id)}/continue`, { query })).status).toBe(200)
  }
  const attempt = await lease(client, world.runnerToken)
  expect(attempt.runId).toBe(run.id)
  expect(attempt.assignment.resume).toEqual({
    version: 1,
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'image', image: png, mediaType: 'image/png' },
        ],
      },
      { role: 'user', content: 'And in blue?' },
    ],
    stepCount: 0,
    pendingToolCalls: [],
    chain: 2,
  })
  expect(attempt.assignment.input).toEqual({ query: 'And in red?', contents: [] })
  await attempt.boot()
  await attempt.complete(completed('Red.'))
  await expectWhole(client, run.id)
})

test('a queued run shows when its next attempt may begin', async () => {
  const attempt = await running('/say hi')
  expect((await getRun(client, attempt.runId)).availableAt).toBeUndefined()
  await attempt.complete(failed(true, { retryAfterMs: 3_600_000 }))
  const { state, availableAt } = await getRun(client, attempt.runId)
  expect(state).toBe('queued')
  expect(Date.parse(availableAt)).toBeGreaterThan(Date.now() + 3_000_000)
  await client.post(`${path(attempt.runId)}/cancel`)
})

test.each([
  ['{', 400, 'application/json'],
  ['{"force": true, "why": "so"}', 422, 'application/json'],
])('cancel refuses the body %s', async (body, status, type) => {
  const run = await start(client, '/say hi')
  const answer = await client.raw('POST', `${path(run.id)}/cancel`, body, { headers: { 'content-type': type } })
  expect(answer.status).toBe(status)
  expect((await getRun(client, run.id)).state).toBe('queued')
  await client.post(`${path(run.id)}/cancel`)
})

test('a list of large steps has pages of limited size', async () => {
  const attempt = await running('/say hi')
  const text = 'x'.repeat(1_500_000)
  const ids: number[] = []
  for (let count = 0; count < 4; count += 1) {
    ids.push(await attempt.begin({ kind: 'model', name: 'sandbox' }))
    const ended = await attempt.endStep(ids.at(-1) as number, { status: 'completed', output: { text } })
    expect(ended.status).toBe(200)
  }
  const first = await client.get(`${path(attempt.runId)}/steps`, { query: { limit: 100 } })
  expect(JSON.stringify(first.body).length).toBeLessThan(5_000_000)
  expect(first.body.pagination).toMatchObject({ hasMore: true, totalCount: 5 })
  const all = await stepsOf(client, attempt.runId)
  expect(all.slice(1).map(({ agentStepId }) => agentStepId)).toEqual(ids)
  await attempt.complete(completed('hi'))
})

/** The frames sent while the run is active, by number, up to the first of a kind. */
function framesUntil(runId: string, kind: string) {
  const opened = Promise.withResolvers<void>()
  const read = async () => {
    const answer = await client.raw('GET', `${path(runId)}/stream`)
    opened.resolve()
    const frames = new Map<number, unknown>()
    let text = ''
    const decoder = new TextDecoder()
    for await (const chunk of answer.body as ReadableStream<Uint8Array>) {
      text += decoder.decode(chunk, { stream: true })
      const blocks = text.split('\n\n')
      text = blocks.pop() as string
      for (const block of blocks) {
        const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1] ?? ''
        if (!block.includes('data:') || field('event') === 'run.snapshot') continue
        frames.set(Number(field('id')), JSON.parse(field('data')))
        if (field('event') === kind) return frames
      }
    }
    return frames
  }
  return { open: opened.promise, frames: read() }
}
