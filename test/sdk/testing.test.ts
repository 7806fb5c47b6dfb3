/** `@troupe/sdk/testing`: a server for tests, scripts for its models, journeys of runs. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConnectionError, Troupe, TroupeError } from '@troupe/sdk'
import {
  call,
  expectJourney,
  fail,
  flaky,
  JourneyError,
  say,
  script,
  sleep,
  startTestServer,
  type TestServer,
  tokens,
} from '@troupe/sdk/testing'
import { bundledPrograms } from '../support/programs.ts'
import { openShop } from './shop.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
  await openShop(server.troupe)
})
afterAll(() => server?.stop())

const start = (query: string, maxRetries = 2) =>
  server.troupe.runs.start({ agent: 'shop/development/clerk', query, maxRetries })

describe('a server', () => {
  test('serves with its key, and uses no settings of this process', async () => {
    const troupe = new Troupe({ baseUrl: server.baseUrl, apiKey: server.apiKey })
    expect((await troupe.organizations.list()).items).toHaveLength(1)
    await expect(new Troupe({ baseUrl: server.baseUrl, apiKey: null }).organizations.list()).rejects.toMatchObject({
      status: 401,
    })
  })

  test('is gone after it was stopped, also when it is stopped twice', async () => {
    const { checkout } = await bundledPrograms()
    const other = await startTestServer({ server: checkout, environment: { TROUPE_RUNNER: 'none' } })
    expect(other.baseUrl).not.toBe(server.baseUrl)
    await other.stop()
    await other.stop()
    const gone = new Troupe({ baseUrl: other.baseUrl, apiKey: other.apiKey, maxRetries: 0 })
    await expect(gone.organizations.list()).rejects.toBeInstanceOf(ConnectionError)
  })

  test('that cannot start reports the reason', async () => {
    const error = await startTestServer({ environment: { TROUPE_RUNNER_SLOTS: 'many' } }).catch((error) => error)
    expect(error).toBeInstanceOf(TroupeError)
    expect(error).toMatchObject({ code: 'server_not_started' })
    expect(error.message).toContain('TROUPE_RUNNER_SLOTS')
  })

  test('that is not ready in time is killed', async () => {
    await expect(startTestServer({ startMs: 1 })).rejects.toThrow('was not ready within 1 ms')
  })

  test('that is not installed is looked for in the given folder', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'troupe-none-'))
    try {
      await expect(startTestServer({ server: folder })).rejects.toMatchObject({
        code: 'server_not_found',
        message: `There is no checkout of Troupe in ${folder}.`,
      })
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

describe('a script', () => {
  test('is what the sandbox executes', async () => {
    const run = await start(
      script(call('find_order', { number: 'A-17' }), sleep(1), say('Order A-17'), say('is on its way.')),
    )
    expect(await run.output()).toEqual({ text: 'Order A-17 is on its way.' })
    const counted = await start(script(tokens(3)))
    expect((await counted.output()).text.split(' ')).toHaveLength(3)
    const failed = await start(script(fail('No.')))
    await expect(failed.output()).rejects.toMatchObject({ code: 'provider_error' })
  })

  test.each([
    ['a text of two lines', () => say('one\ntwo'), 'A direction is one line: "/say one\\ntwo"'],
    ['a fraction of a millisecond', () => sleep(0.5), '/sleep takes a whole number, not 0.5.'],
    ['a negative number of words', () => tokens(-1), '/tokens takes a whole number, not -1.'],
  ])('refuses %s, which the sandbox would not execute', (_, write, message) => {
    expect(write).toThrow(message)
  })
})

describe('a journey', () => {
  test('is the states from the first one on', async () => {
    const run = await start(script(say('Hello.')))
    await expectJourney(run).toBe('queued', 'running', 'completed')
    await expectJourney(run).toBe('queued', 'acquiring', 'starting', 'running', 'completed')
  })

  test('can be checked halfway, and continue', async () => {
    const run = await start(script(call('ask', { question: 'Which?' }), say('Thanks.')))
    await expectJourney(run).toBe('queued', 'running', 'awaitingToolResult')
    await run.answer('call_1', 'blue')
    await expectJourney(run).toBe('queued', 'running', 'awaitingToolResult', 'queued', 'running', 'completed')
  })

  test('includes every attempt', async () => {
    const run = await start(script(flaky(1), say('At last.')))
    await expectJourney(run).toBe('queued', 'running', 'queued', 'running', 'completed')
  })

  test('with other states reports both', async () => {
    const run = await start(script(fail('No.')), 0)
    const error = await expectJourney(run)
      .toBe('queued', 'running', 'completed')
      .catch((error) => error)
    expect(error).toBeInstanceOf(JourneyError)
    expect(error.message).toBe(
      `${run.id} went elsewhere.\nexpected: queued → running → completed\nactual:   queued → running → failed`,
    )
  })

  test('that ended earlier, or takes too long, says so', async () => {
    const ended = await start(script(say('Hello.')))
    const more = expectJourney(ended).toBe('queued', 'running', 'completed', 'queued')
    await expect(more).rejects.toThrow(`${ended.id} ended before.`)
    const waiting = await start(script(call('ask', { question: 'Which?' })))
    const late = expectJourney(waiting, { timeoutMs: 300 }).toBe('queued', 'running', 'awaitingToolResult', 'queued')
    await expect(late).rejects.toThrow('did not get there within 300 ms')
    await waiting.cancel()
  })
})
