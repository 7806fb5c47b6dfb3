/** The output of runs, and answers to them, by the SDK. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { InvalidValueError, type Run, RunError, Troupe } from '@troupe/sdk'
import { z } from 'zod'
import { openTroupe, type Troupe as Server } from '../support/troupe.ts'
import { clerk as clerkAgent, openShop } from './shop.ts'

let server: Server
let troupe: Troupe
beforeAll(async () => {
  server = await openTroupe()
  troupe = new Troupe({ baseUrl: server.url, apiKey: server.key })
  await openShop(troupe)
})
afterAll(() => server?.stop())

const clerk = 'shop/development/clerk'
const lines = (...text: string[]) => text.join('\n')
const call = (tool: string, input: object = {}) => `/call ${tool} ${JSON.stringify(input)}`

describe('output', () => {
  test('is the output of the run', async () => {
    const run = await troupe.runs.start({ agent: clerk, query: '/say Forty-two.' })
    expect(await run.output()).toEqual({ text: 'Forty-two.' })
  })

  test('of a failed run throws its reason', async () => {
    const run = await troupe.runs.start({ agent: clerk, query: '/fail The vendor is away.', maxRetries: 0 })
    const error = await run.output().catch((error) => error)
    expect(error).toBeInstanceOf(RunError)
    expect(error).toMatchObject({ code: 'provider_error', runId: run.id, state: 'failed' })
    expect(error.message).toContain('The vendor is away.')
  })

  test('of a canceled run throws that it was canceled', async () => {
    const run = await troupe.runs.start({ agent: clerk, query: call('ask', { question: 'Which?' }) })
    const output = run.output().catch((error) => error)
    expect((await run.cancel()).state).toMatch(/^cancel/)
    expect((await run.cancel({ force: true })).state).toBe('canceled')
    expect(await output).toMatchObject({ name: 'RunError', state: 'canceled' })
  })

  test('that was removed at the end of its retention throws', async () => {
    const { id } = await troupe.runs.start({ agent: clerk, query: '/say Forty-two.' })
    const removed = new Troupe({
      baseUrl: server.url,
      apiKey: server.key,
      async fetch(address, init) {
        const answer = await fetch(address, init)
        const body = (await answer.json()) as { data: { state: string } }
        return Response.json(body.data.state === 'completed' ? { data: { ...body.data, output: null } } : body)
      },
    })
    expect(
      await removed.runs
        .open(id)
        .output()
        .catch((error) => error),
    ).toMatchObject({
      name: 'TroupeError',
      code: 'content_removed',
    })
  })

  test('of a fork is its own', async () => {
    const run = await troupe.runs.start({ agent: clerk, query: '/say One' })
    expect((await run.output()).text).toBe('One')
    const fork = await run.fork({ query: '/say Two' })
    expect((await fork.output()).text).toBe('Two')
    expect(await fork.get()).toMatchObject({ forkedFrom: { agentRunId: run.id, checkpointId: 0 } })
  })

  test('is awaited while somebody else answers', async () => {
    const run = await troupe.runs.start({
      agent: clerk,
      query: lines(call('ask', { question: 'Which?' }), '/say Thanks.'),
    })
    const output = run.output()
    for await (const event of run.events({ types: ['input.requested'] })) {
      if (event.type !== 'input.requested') continue
      expect(event.data).toMatchObject({ kind: 'tool', toolName: 'ask', input: { question: 'Which?' } })
      await troupe.runs.open(run.id).answer(event.data.toolCallId, 'The blue one')
      break
    }
    expect(await output).toEqual({ text: 'Thanks.' })
  })

  test('without a value is refused by a schema', async () => {
    const run = await troupe.runs.start({ agent: clerk, query: '/say No value.' })
    const refused = run.output(z.object({ answer: z.string() }))
    await expect(refused).rejects.toBeInstanceOf(InvalidValueError)
  })
})

describe('answers', () => {
  /** Resolves when the run waits. */
  async function waiting(run: Run) {
    for await (const { type } of run.events({ types: ['input.requested'] })) if (type === 'input.requested') return
  }

  test('also answer external delegates', async () => {
    const run = await troupe.runs.start({
      agent: clerk,
      query: lines(call('expert', { query: 'Is it blue?' }), '/say Yes.'),
    })
    await waiting(run)
    const { awaiting } = await run.get()
    await run.answer(awaiting!.toolCallId, { verdict: 'blue' })
    expect(await run.output()).toEqual({ text: 'Yes.' })
  })

  test('refuse a call that the run does not wait for', async () => {
    const run = await troupe.runs.start({ agent: clerk, query: call('ask', { question: 'Which?' }) })
    await waiting(run)
    await expect(run.answer('call_9', 'what?')).rejects.toMatchObject({ code: 'call_not_awaited' })
    await run.cancel()
    await run.output().catch(() => {})
    await expect(run.answer('call_1', 'too late')).rejects.toMatchObject({ code: 'call_not_awaited' })
  })

  test('of functions reach the model, and so do their exceptions', async () => {
    const query = lines(
      call('ask', { question: 'Which?' }),
      call('choose', { question: 'Red or blue?' }),
      '/say Thank you.',
    )
    const run = await troupe.runs.start({ agent: clerk, query })
    const asked: unknown[] = []
    const output = await run.answerWith({
      ask: ({ question }: { question: string }, { toolCallId, runId }) => {
        asked.push({ question, toolCallId, runId })
        return { chosen: 'blue' }
      },
      choose: () => {
        throw new Error('Nobody is there.')
      },
    })
    expect(output).toEqual({ text: 'Thank you.' })
    expect(asked).toEqual([{ question: 'Which?', toolCallId: 'call_1', runId: run.id }])
    const steps = await troupe.runs.listSteps({ agentRunId: run.id, limit: 100 })
    const results = steps.items.filter(({ kind }) => kind === 'tool').map(({ output }) => output)
    expect(results).toEqual([{ chosen: 'blue' }, { error: 'Nobody is there.' }])
  })

  test('of the Agent as it was defined get validated input', async () => {
    const query = lines(call('ask', { question: 'Which?' }), call('ask', { question: 7 }), '/say Thanks.')
    const run = await troupe.runs.start({ agent: clerk, query })
    expect(await run.answerWith(clerkAgent.answers)).toEqual({ text: 'Thanks.' })
    const steps = await troupe.runs.listSteps({ agentRunId: run.id, limit: 100 })
    const [answered, refused] = steps.items.filter(({ kind }) => kind === 'tool')
    expect(answered?.output).toBe('An answer to: Which?')
    // the server has validated it by the JSON Schema
    expect(refused?.status).toBe('failed')
  })

  test('of functions that come too late are dropped', async () => {
    const run = await troupe.runs.start({ agent: clerk, query: call('ask', { question: 'Which?' }) })
    const answering = run.answerWith({
      ask: async () => {
        await troupe.runs.open(run.id).cancel()
        return 'too late'
      },
    })
    await expect(answering).rejects.toMatchObject({ name: 'RunError', state: 'canceled' })
    expect((await run.get()).state).toBe('canceled')
  })

  test('of functions use one key for the call, not for each answer', async () => {
    const query = lines(call('ask', { question: 'One?' }), call('ask', { question: 'Two?' }), '/say Both.')
    const run = await troupe.runs.start({ agent: clerk, query })
    expect(await run.answerWith({ ask: () => 'yes' }, { idempotencyKey: 'twice' })).toEqual({ text: 'Both.' })
  })

  test.each(['choose', 'constructor'])('of functions leave other tools to others: %s', async (tool) => {
    const run = await troupe.runs.start({
      agent: clerk,
      query: lines(call(tool, { question: 'Which?' }), '/say Done.'),
    })
    const answering = run.answerWith({ ask: () => 'never asked' })
    await waiting(run)
    await run.answer('call_1', 'mine')
    expect(await answering).toEqual({ text: 'Done.' })
    const { items } = await troupe.runs.listSteps({ agentRunId: run.id, limit: 100 })
    expect(items.filter(({ kind }) => kind === 'tool').map(({ output }) => output)).toEqual(['mine'])
  })
})
