/** Failing calls of the gateway: vendors, runners and attempts that end during a call. Source: contract 5. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { eventually } from '../../support/process.ts'
import { getRun } from '../../support/run-records.ts'
import { completed, failed } from '../../support/simulated-runner.ts'
import { frames } from '../providers/wire.ts'
import { fed, type Gateway, type Line, linesOf, openGateway, textOf } from './world.ts'

let world: Gateway
beforeAll(async () => {
  world = await openGateway()
  await world.credential('openai')
})
afterAll(() => world?.stop())
afterEach(() => {
  world.vendors.asked.length = 0
})

const openai = { provider: 'openai' }
const said = frames.openaiChat({ text: ['Hello ', 'there'], finish: 'stop' })
/** Up to the text. */
const begun = said.slice(0, 3)

/** A call whose vendor has begun to answer; `lines` is the rest of the answer. */
async function begin(more: { token?: string } = {}) {
  const vendor = fed()
  world.vendors.reply = () => vendor.response
  const attempt = await world.running('Hello?', openai, more.token)
  const step = await world.begin(attempt)
  const hangUp = new AbortController()
  const response = await world.call(attempt, step, {}, hangUp.signal)
  await vendor.send(...begun)
  const reader = response.body!.getReader()
  let first = ''
  while (!first.includes('there')) first += new TextDecoder().decode((await reader.read()).value)
  const rest = async (): Promise<Line[]> => {
    let text = first
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      text += new TextDecoder().decode(next.value)
    }
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
  }
  return { vendor, attempt, step, hangUp, rest, reader }
}

const noTokens = { inputTokens: 0, outputTokens: 0, totalTokens: 0, cachedInputTokens: 0, reasoningTokens: 0 }
const endedWithoutWord = { status: 'canceled', output: 'x', tokenUsage: noTokens }

describe('a vendor', () => {
  test.each<[string, () => Response, object]>([
    [
      'that refuses further requests',
      () => Response.json({ error: { message: 'Slow down' } }, { status: 429, headers: { 'retry-after': '7' } }),
      { code: 'provider_rate_limited', retryable: true, retryAfterMs: 7_000 },
    ],
    [
      'that refuses the request',
      () => Response.json({ error: { message: 'No such model' } }, { status: 404 }),
      { code: 'provider_error', retryable: false },
    ],
    [
      'that fails',
      () => Response.json({ error: { message: 'Ouch' } }, { status: 500 }),
      { code: 'provider_error', retryable: true },
    ],
    ['that sends an HTML page', () => new Response('<html>'), { code: 'provider_error', retryable: false }],
  ])("%s: the external runner gets the embedded one's error", async (_, reply, error) => {
    world.vendors.reply = reply
    const attempt = await world.running('Hello?', openai)
    const step = await world.begin(attempt)
    const lines = await linesOf(await world.call(attempt, step))
    expect(lines).toMatchObject([{ type: 'error', error }])
    expect(world.vendors.asked).toHaveLength(1)
    expect((await world.usageOf(attempt, step)).totalTokens).toBe(0)
    await attempt.complete(failed(false))
  })

  test('that ends in the middle has failed, and its output counts', async () => {
    const { vendor, attempt, step, rest } = await begin()
    await vendor.end()
    const lines = await rest()
    expect(lines.at(-1)).toMatchObject({ type: 'error', error: { code: 'provider_error', retryable: true } })
    const { inputTokens, outputTokens } = await world.usageOf(attempt, step)
    expect(outputTokens).toBe(3)
    expect(inputTokens).toBeGreaterThan(5)
    await attempt.complete(failed(false))
  })

  test('that sends more than 8 MiB is aborted', async () => {
    const vendor = fed()
    world.vendors.reply = () => vendor.response
    const attempt = await world.running('Hello?', openai)
    const step = await world.begin(attempt)
    const [piece] = frames.openaiChat({ text: ['x'.repeat(1024 * 1024)], finish: 'stop' }).slice(1, 2)
    const answered = world.call(attempt, step).then(linesOf)
    for (let count = 0; count < 9; count += 1) await vendor.send(piece as string)
    const lines = await answered
    expect(lines.at(-1)).toMatchObject({
      type: 'error',
      error: { code: 'provider_error', message: expect.stringContaining('answer_too_large'), retryable: false },
    })
    expect(textOf(lines).length).toBeLessThanOrEqual(8 * 1024 * 1024)
    await world.hungUp()
    await attempt.complete(failed(false))
  })

  test('that is silent is waited for, with signs of life', async () => {
    const vendor = fed()
    world.vendors.reply = () => vendor.response
    const attempt = await world.running('Hello?', openai)
    const step = await world.begin(attempt)
    const response = await world.call(attempt, step)
    const reader = response.body!.getReader()
    // one at once, and another one after some seconds
    for (let count = 0; count < 2; count += 1) {
      expect(new TextDecoder().decode((await reader.read()).value)).toBe('\n')
    }
    await vendor.send(...said)
    await vendor.end()
    let text = ''
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      text += new TextDecoder().decode(next.value)
    }
    expect(text).toContain('"finish"')
    await attempt.complete(completed('x'))
  })
})

describe('a runner', () => {
  test('that disconnects ends the call of the vendor, and its output counts', async () => {
    const { attempt, step, hangUp } = await begin()
    hangUp.abort()
    await world.hungUp()
    await attempt.endStep(step, endedWithoutWord)
    expect((await world.usageOf(attempt, step)).outputTokens).toBe(3)
    await attempt.complete(failed(false))
  })

  test('cannot end the step during a call so that nothing counts', async () => {
    const { attempt, step, rest } = await begin()
    expect((await attempt.endStep(step, endedWithoutWord)).status).toBe(200)
    expect((await rest()).at(-1)).toEqual({ type: 'stopped', signal: 'stale' })
    await world.hungUp()
    expect((await world.usageOf(attempt, step)).outputTokens).toBe(3)
    await attempt.complete(failed(false))
  })

  test('cannot end the attempt during a call so that nothing counts', async () => {
    const { attempt, step, rest } = await begin()
    expect((await attempt.complete(completed('x'))).status).toBe(200)
    expect((await rest()).at(-1)).toEqual({ type: 'stopped', signal: 'stale' })
    expect((await world.usageOf(attempt, step)).outputTokens).toBe(3)
  })

  test('that calls again has lost the previous call', async () => {
    const first = await begin()
    world.vendors.reply = () => new Response(said.join(''), { headers: { 'content-type': 'text/event-stream' } })
    const lines = await linesOf(await world.call(first.attempt, first.step))
    expect(textOf(lines)).toBe('Hello there')
    expect((await first.rest()).at(-1)).toEqual({ type: 'stopped', signal: 'stale' })
    await world.hungUp(0)
    await first.attempt.complete(completed('x'))
  })

  test('that does not read blocks the vendor, and fills no memory', async () => {
    let pulled = 0
    const [piece] = frames.openaiChat({ text: ['x'.repeat(16_384)], finish: 'stop' }).slice(1, 2)
    world.vendors.reply = () =>
      new Response(
        new ReadableStream(
          {
            async pull(controller) {
              pulled += 1
              controller.enqueue(new TextEncoder().encode(piece))
              await new Promise((resolve) => setImmediate(resolve))
            },
          },
          { highWaterMark: 0 },
        ),
        { headers: { 'content-type': 'text/event-stream' } },
      )
    const attempt = await world.running('Hello?', openai)
    const step = await world.begin(attempt)
    const hangUp = new AbortController()
    const response = await world.call(attempt, step, {}, hangUp.signal)
    expect(response.status).toBe(200)
    const settled = await eventually('a vendor that waits', async () => {
      const before = pulled
      await Bun.sleep(300)
      return before > 0 && pulled === before && { pulled }
    })
    // data in transit is in the buffers of three connections
    expect(settled.pulled * 16_384).toBeLessThan(32 * 1024 * 1024)
    hangUp.abort()
    await world.hungUp()
    await attempt.complete(failed(false))
  })
})

describe('a call ends at once', () => {
  test('when the run is canceled', async () => {
    const { attempt, step, rest } = await begin()
    await world.owner.post(`/api/v1/agent-runs/${attempt.runId}/cancel`)
    expect((await rest()).at(-1)).toEqual({ type: 'stopped', signal: 'cancel' })
    await world.hungUp()
    const again = await linesOf(await world.call(attempt, step))
    expect(again).toEqual([{ type: 'stopped', signal: 'cancel' }])
    await attempt.endStep(step, endedWithoutWord)
    expect((await world.usageOf(attempt, step)).outputTokens).toBe(3)
    await attempt.complete({ outcome: 'canceled' })
    expect((await getRun(world.owner, attempt.runId)).state).toBe('canceled')
  })

  test("when the token of its runner is revoked; the tokens count for the run's organization", async () => {
    const pool = (await world.owner.post('/api/v1/runner-pools', { name: crypto.randomUUID() })).body.data
    const path = `/api/v1/runner-pools/${pool.id}/tokens`
    const token = (await world.owner.post(path, {})).body.data
    const used = async () =>
      (await world.owner.get(`/api/v1/organizations/${world.organization}/billing/usage`)).body.data.tokens
        .output as number
    const { attempt, step, rest } = await begin({ token: token.secret })
    const before = await used()
    await world.owner.post(`${path}/${token.id}/revoke`)
    expect((await rest()).at(-1)).toEqual({ type: 'stopped', signal: 'stale' })
    await world.hungUp()
    await eventually('tokens that count', async () => (await used()) === before + 3)
    expect((await world.usageOf(attempt, step)).outputTokens).toBe(3)
    await world.owner.post(`/api/v1/agent-runs/${attempt.runId}/cancel`)
  })
})
