/** Whoever has nothing but docs/runners.md can write a runner: its own code is one, and works against a real server. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { eventually } from '../support/process.ts'
import { openTroupe, type Troupe } from '../support/troupe.ts'

const root = resolve(import.meta.dir, '../..')
const runnerToken = 'runner-token-of-the-page'
let troupe: Troupe
let folder: string
let runner: Bun.Subprocess<'ignore', 'pipe', 'pipe'>

beforeAll(async () => {
  const page = await Bun.file(join(root, 'docs/runners.md')).text()
  const blocks = [...page.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, block]) => block)
  folder = await mkdtemp(join(tmpdir(), 'troupe-runner-page-'))
  await Bun.write(join(folder, 'runner.ts'), `${blocks.join('\n')}\nexport {}\n`)
  // all that it needs besides what browsers have; the types of Bun take long to read
  const process_ = 'declare const process: { env: Record<string, string | undefined>; pid: number }\n'
  await Bun.write(join(folder, 'process.d.ts'), process_)
  troupe = await openTroupe({
    environment: { TROUPE_RUNNER: 'none', TROUPE_RUNNER_TOKEN: runnerToken, TROUPE_LEASE_TTL_MS: '3000' },
  })
  runner = Bun.spawn([process.execPath, 'runner.ts'], {
    cwd: folder,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    env: { PATH: process.env.PATH ?? '', TROUPE_SERVER_URL: troupe.url, TROUPE_RUNNER_TOKEN: runnerToken },
  })
}, 60_000)
afterAll(async () => {
  runner?.kill('SIGKILL')
  await runner?.exited
  await troupe?.stop()
  await rm(folder, { recursive: true, force: true })
})

const start = async (query: string): Promise<string> => {
  const { status, body } = await troupe.owner.post('/api/v1/agent-runs', { agentId: 'agt_system_assistant', query })
  expect(status).toBe(200)
  return body.data.id
}
const ended = (id: string) =>
  eventually('an end of the run', async () => {
    const { data } = (await troupe.owner.get(`/api/v1/agent-runs/${id}`)).body
    return data.endedAt !== null && data
  })

test('its code compiles', async () => {
  const options =
    '--noEmit --strict --skipLibCheck --target esnext --module preserve --lib esnext,dom,dom.asynciterable'
  const tsc = Bun.spawn(
    [
      process.execPath,
      join(root, 'node_modules/typescript/bin/tsc'),
      ...options.split(' '),
      'runner.ts',
      'process.d.ts',
    ],
    {
      cwd: folder,
      stdout: 'pipe',
      stderr: 'pipe',
    },
  )
  expect(await new Response(tsc.stdout).text()).toBe('')
  expect(await tsc.exited).toBe(0)
}, 60_000)

test('a run completes: the model is called by the server, a tool by the runner, with checkpoints', async () => {
  const id = await start('/call clock {}\n/say It is late.')
  expect(await ended(id)).toMatchObject({ state: 'completed', stopReason: 'end_turn', attempt: 1 })
  const steps = (await troupe.owner.get(`/api/v1/agent-runs/${id}/steps?depth=2`)).body.data.items
  const told = JSON.stringify(steps)
  expect(told).toContain('"kind":"tool","name":"clock"')
  expect(told).toContain('It is late.')
  const checkpoints = (await troupe.owner.get(`/api/v1/agent-runs/${id}/checkpoints`)).body.data.items
  expect(checkpoints.map(({ kind }: { kind: string }) => kind).sort()).toEqual(['final', 'input', 'step', 'step'])
}, 30_000)

test('it beats, so that its lease outlasts a step that takes longer', async () => {
  const id = await start('/sleep 4500\n/say Rested.')
  expect(await ended(id)).toMatchObject({ state: 'completed', attempt: 1 })
}, 30_000)

test('a run that is canceled meanwhile ends as canceled', async () => {
  const id = await start('/sleep 60000\n/say Never.')
  while ((await troupe.owner.get(`/api/v1/agent-runs/${id}`)).body.data.state !== 'running') await Bun.sleep(20)
  expect((await troupe.owner.post(`/api/v1/agent-runs/${id}/cancel`, {})).status).toBe(200)
  expect(await ended(id)).toMatchObject({ state: 'canceled' })
}, 30_000)

test('a run that has ended goes on from its checkpoint when it is continued', async () => {
  const id = await start('/say One.')
  expect(await ended(id)).toMatchObject({ state: 'completed' })
  const { status } = await troupe.owner.post(`/api/v1/agent-runs/${id}/continue`, { query: '/say Two.' })
  expect(status).toBe(200)
  expect(await ended(id)).toMatchObject({ state: 'completed', attempt: 2 })
}, 30_000)
