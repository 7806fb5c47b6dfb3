/** The runner as a separate process. */
import { afterEach, expect, test } from 'bun:test'
import { join } from 'node:path'
import { readSettings } from '../../../src/runs/runner/settings.ts'
import { ManualClock } from './support/clock.ts'
import { HttpServer } from './support/http-server.ts'
import { FakeServer } from './support/server.ts'

const main = join(import.meta.dir, '../../../src/runs/runner/main.ts')
const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

function startRunner(env: Record<string, string>) {
  const runner = Bun.spawn([process.execPath, main], { env, stdout: 'pipe', stderr: 'pipe' })
  cleanUps.push(async () => {
    runner.kill('SIGKILL')
    await runner.exited
  })
  return runner
}

async function createServer(query: string) {
  const desk = new FakeServer(new ManualClock(), { instructions: 'Be brief.' }, { query, contents: [] })
  const http = new HttpServer(desk)
  await http.start()
  cleanUps.push(() => http.stop())
  return { desk, http }
}

/** Waits by polling until the condition holds. */
async function until(isSo: () => boolean) {
  while (!isSo()) await Bun.sleep(5)
}

test('without a token the runner says so in one line and ends', async () => {
  const runner = startRunner({ TROUPE_SERVER_URL: 'http://127.0.0.1:1' })
  expect(await runner.exited).toBe(1)
  expect(await new Response(runner.stderr).text()).toMatch(/^TROUPE_RUNNER_TOKEN is required[^\n]*\n$/)
})

test('the runner executes attempts, logs JSON lines without secrets, and ends with 0 on SIGTERM', async () => {
  const { desk, http } = await createServer('Hello')
  http.afterOffers = 'wait'
  const runner = startRunner({
    TROUPE_SERVER_URL: http.url,
    TROUPE_RUNNER_TOKEN: 'runner-token',
    TROUPE_RUNNER_SLOTS: '3',
  })
  await until(() => desk.completions.length === 1)
  expect(desk.completions).toEqual([{ outcome: 'completed', stopReason: 'end_turn', output: 'You said: Hello' }])
  expect(http.seen[0]!.body).toMatchObject({ slots: 3, waitSeconds: 25, machineId: expect.stringMatching(/-\d+$/) })

  runner.kill('SIGTERM')
  expect(await runner.exited).toBe(0)
  const lines = (await new Response(runner.stdout).text()).trim().split('\n')
  expect(lines.length).toBeGreaterThan(2)
  for (const line of lines)
    expect(JSON.parse(line)).toMatchObject({ level: expect.any(String), msg: expect.any(String) })
  expect(lines.join()).not.toContain('runner-token')
})

test('on SIGTERM running attempts are handed back', async () => {
  const { desk, http } = await createServer('/sleep 60000')
  const runner = startRunner({ TROUPE_SERVER_URL: http.url, TROUPE_RUNNER_TOKEN: 'runner-token' })
  await until(() => desk.steps.length === 1)
  runner.kill('SIGTERM')
  expect(await runner.exited).toBe(0)
  expect(desk.completions).toMatchObject([
    { outcome: 'failed', error: { code: 'machine_unavailable', retryable: true } },
  ])
})

test('the runner survives a restart of the server', async () => {
  const { desk, http } = await createServer('Hello')
  const { port } = http
  await http.stop()
  const runner = startRunner({ TROUPE_SERVER_URL: `http://127.0.0.1:${port}`, TROUPE_RUNNER_TOKEN: 'runner-token' })
  const lines = runner.stdout.getReader()
  // It has tried, and failed to connect.
  for (let text = ''; !text.includes('not available'); ) {
    text += new TextDecoder().decode((await lines.read()).value)
  }
  const restarted = new HttpServer(desk)
  await restarted.start(port)
  cleanUps.push(() => restarted.stop())
  await until(() => desk.completions.length === 1)
  expect(desk.completions[0]).toMatchObject({ outcome: 'completed' })
})

test('a refused token ends the runner with 1', async () => {
  const { http } = await createServer('Hello')
  const runner = startRunner({ TROUPE_SERVER_URL: http.url, TROUPE_RUNNER_TOKEN: 'wrong' })
  expect(await runner.exited).toBe(1)
  expect(await new Response(runner.stdout).text()).toContain('TROUPE_RUNNER_TOKEN')
})

const token = { TROUPE_RUNNER_TOKEN: 't' }
test('settings have defaults', () => {
  expect(readSettings({ ...token, TROUPE_RUNNER_SLOTS: '' }, 7)).toMatchObject({
    serverUrl: 'http://localhost:3000',
    slots: 64,
    machineId: expect.stringMatching(/-7$/),
    logLevel: 'info',
  })
})

test.each<[string, Record<string, string>]>([
  ['TROUPE_RUNNER_TOKEN', { TROUPE_RUNNER_TOKEN: '' }],
  ['TROUPE_SERVER_URL', { ...token, TROUPE_SERVER_URL: 'localhost' }],
  ['TROUPE_SERVER_URL', { ...token, TROUPE_SERVER_URL: 'ftp://host' }],
  ['TROUPE_SERVER_URL', { ...token, TROUPE_SERVER_URL: 'http://user:pw@host' }],
  ['TROUPE_RUNNER_SLOTS', { ...token, TROUPE_RUNNER_SLOTS: '0' }],
  ['TROUPE_RUNNER_SLOTS', { ...token, TROUPE_RUNNER_SLOTS: '1.5' }],
  ['TROUPE_RUNNER_SLOTS', { ...token, TROUPE_RUNNER_SLOTS: '1001' }],
  ['TROUPE_RUNNER_MACHINE_ID', { ...token, TROUPE_RUNNER_MACHINE_ID: 'two words' }],
  ['LOG_LEVEL', { ...token, LOG_LEVEL: 'loud' }],
])('an invalid %s is named: %j', (name, env) => {
  expect(() => readSettings(env, 1)).toThrow(name)
})
