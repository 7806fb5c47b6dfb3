/** docs/runners.md alone suffices to write a runner: its own code is one, and works with a real server. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { openWorld, type World } from '../runs/project/world.ts'
import { eventually } from '../support/process.ts'
import { echoOperation } from '../support/world/places.ts'
import { data } from '../support/world/replies.ts'

const root = resolve(import.meta.dir, '../..')
const runnerToken = 'runner-token-of-the-page'
let troupe: World
let folder: string
let runner: Bun.Subprocess<'ignore', 'pipe', 'pipe'>

beforeAll(async () => {
  const page = await Bun.file(join(root, 'docs/runners.md')).text()
  const blocks = [...page.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, block]) => block)
  folder = await mkdtemp(join(tmpdir(), 'troupe-runner-page-'))
  await Bun.write(join(folder, 'runner.ts'), `${blocks.join('\n')}\nexport {}\n`)
  // the only types that it needs besides the browser's; Bun's types take long to read
  const process_ = 'declare const process: { env: Record<string, string | undefined>; pid: number }\n'
  await Bun.write(join(folder, 'process.d.ts'), process_)
  troupe = await openWorld({
    environment: { TROUPE_RUNNER: 'none', TROUPE_RUNNER_TOKEN: runnerToken, TROUPE_LEASE_TTL_MS: '6000' },
  })
  runner = Bun.spawn([process.execPath, 'runner.ts'], {
    cwd: folder,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    env: { PATH: process.env.PATH ?? '', TROUPE_SERVER_URL: troupe.url, TROUPE_RUNNER_TOKEN: runnerToken },
  })
})
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

test('the code on the page compiles', async () => {
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
})

test('a run completes: the server calls the model, the runner a tool, with checkpoints', async () => {
  const id = await start('/call clock {}\n/say It is late.')
  expect(await ended(id)).toMatchObject({ state: 'completed', stopReason: 'end_turn', attempt: 1 })
  const steps = (await troupe.owner.get(`/api/v1/agent-runs/${id}/steps?depth=2`)).body.data.items
  const shown = JSON.stringify(steps)
  expect(shown).toContain('"kind":"tool","name":"clock"')
  expect(shown).toContain('It is late.')
  const checkpoints = (await troupe.owner.get(`/api/v1/agent-runs/${id}/checkpoints`)).body.data.items
  expect(checkpoints.map(({ kind }: { kind: string }) => kind).sort()).toEqual(['final', 'input', 'step', 'step'])
})

test('it sends heartbeats, so that its lease outlasts a long step', async () => {
  const id = await start('/sleep 7500\n/say Rested.')
  expect(await ended(id)).toMatchObject({ state: 'completed', attempt: 1 })
})

test('a run that is canceled meanwhile ends as canceled', async () => {
  const id = await start('/sleep 60000\n/say Never.')
  while ((await troupe.owner.get(`/api/v1/agent-runs/${id}`)).body.data.state !== 'running') await Bun.sleep(20)
  expect((await troupe.owner.post(`/api/v1/agent-runs/${id}/cancel`, {})).status).toBe(200)
  expect(await ended(id)).toMatchObject({ state: 'canceled' })
})

test('an ended run continues from its checkpoint', async () => {
  const id = await start('/say One.')
  expect(await ended(id)).toMatchObject({ state: 'completed' })
  const { status } = await troupe.owner.post(`/api/v1/agent-runs/${id}/continue`, { query: '/say Two.' })
  expect(status).toBe(200)
  expect(await ended(id)).toMatchObject({ state: 'completed', attempt: 2 })
})

describe('an Agent with delegates, questions and approvals', () => {
  let lead: string
  let counter: string
  let environmentId: string
  beforeAll(async () => {
    const place = await troupe.place()
    environmentId = place.environmentId
    const ask = { kind: 'interactive', name: 'ask', description: 'Asks a person.', inputSchema: { type: 'object' } }
    const outside = { name: 'partner', description: 'Works elsewhere.', external: true }
    const pay = { kind: 'operation', name: 'pay', operation: 'shop.pay' }
    const helper = await troupe.agent(place, { tools: [ask, pay], delegates: [outside] }, ['shop.pay'])
    const delegate = { name: 'helper', description: 'Helps.', agentId: helper.agentId }
    const own = await troupe.agent(place, { tools: [ask, { kind: 'builtin', name: 'clock' }], delegates: [delegate] })
    const operations = [echoOperation('pay', { approval: 'always', inputSchema: { type: 'object' } })]
    const counting = await troupe.agent(place, { outputSchema: { type: 'object' } })
    counter = counting.agentId
    await troupe.serve(place, [own, helper, counting], [await troupe.operations(place, 'shop', operations)])
    lead = own.agentId
  })

  const run = async (query: string, more: object = {}) =>
    (await data(troupe.owner.post('/api/v1/agent-runs', { agentId: lead, environmentId, query, ...more }))).id
  /** The instructions for the model from the delegating Agent. */
  const handOver = (...lines: string[]) => `/call helper ${JSON.stringify({ query: lines.join('\n') })}`
  const answerOf = async (id: string) => {
    const steps = await troupe.steps(id)
    // the delegate's step of the waiting attempt ends with it
    expect(steps.filter(({ status }) => !['completed', 'canceled'].includes(status))).toEqual([])
    return steps.find(({ name, status }) => name === 'helper' && status === 'completed')?.output
  }
  const awaiting = (id: string, state: string) =>
    eventually(`${state} of the run`, async () => {
      const { data: found } = (await troupe.owner.get(`/api/v1/agent-runs/${id}`)).body
      return found.state === state && found.awaiting
    })

  test('a delegate answers, and calls with equal vendor ids are told apart', async () => {
    const id = await run(`/call clock {}\n${handOver('/call clock {}', '/say Helped.')}\n/say Done.`)
    expect(await ended(id)).toMatchObject({ state: 'completed', attempt: 1 })
    const calls = (await troupe.steps(id)).filter(({ kind }) => kind === 'tool' || kind === 'delegate')
    const ids = calls.map(({ execution }) => execution.toolCallId)
    expect(new Set(ids).size).toBe(3)
  })

  test('the output of an Agent with an output schema is the value in the text, and else another attempt asks', async () => {
    const id = await run('/say {"sum":4}', { agentId: counter })
    expect(await ended(id)).toMatchObject({ state: 'completed', attempt: 1 })
    const { output } = (await troupe.owner.get(`/api/v1/agent-runs/${id}`, { query: { include: 'output' } })).body.data
    expect(output).toEqual({ text: '{"sum":4}', value: { sum: 4 } })

    const refused = await run('/say four', { agentId: counter, maxRetries: 1 })
    const code = 'invalid_model_output'
    expect(await ended(refused)).toMatchObject({ state: 'failed', stateReason: { code }, attempt: 2 })
    const latest = await data<{ runtimeCheckpoint: { messages: unknown[] } }>(
      troupe.owner.get(`/api/v1/agent-runs/${refused}/checkpoints/latest`),
    )
    expect(latest.runtimeCheckpoint.messages).toHaveLength(5)
  })

  test.each([
    ['its own question', '/call ask {"q":1}\n/say Heard.', false],
    ["a delegate's question", `${handOver('/call ask {"q":1}', '/say Helped.')}\n/say Done.`, true],
  ])('%s waits for its answer, and continues with it', async (_, query, isDelegated) => {
    const id = await run(query)
    expect(await awaiting(id, 'awaitingToolResult')).toMatchObject({ kind: 'tool', toolName: 'ask', input: { q: 1 } })
    await data(troupe.owner.post(`/api/v1/agent-runs/${id}/continue`, { query: '{"a":2}' }))
    expect(await ended(id)).toMatchObject({ state: 'completed', attempt: 2 })
    if (isDelegated) expect(await answerOf(id)).toBe('Helped.')
  })

  test('the result of an external delegate reaches the internal one', async () => {
    const id = await run(`${handOver('/call partner {"query":"Look."}', '/say Helped.')}\n/say Done.`)
    const { toolCallId } = await awaiting(id, 'awaitingDelegateResult')
    await data(troupe.owner.post(`/api/v1/agent-runs/${id}/delegate-results`, { toolCallId, result: 'Seen.' }))
    expect(await ended(id)).toMatchObject({ state: 'completed' })
    expect(await answerOf(id)).toBe('Helped.')
  })

  test('an operation continues by itself once it is approved', async () => {
    const id = await run(`${handOver('/call pay {}', '/say Paid.')}\n/say Done.`)
    const { approvalId } = await awaiting(id, 'awaitingToolResult')
    const place = (await data<{ projectId: string }>(troupe.owner.get(`/api/v1/agent-runs/${id}`))).projectId
    const path = `/api/v1/projects/${place}/environments/${environmentId}/operation-approvals/${approvalId}/approve`
    await data(troupe.owner.post(path, {}))
    expect(await ended(id)).toMatchObject({ state: 'completed' })
    expect(await answerOf(id)).toBe('Paid.')
  })
})
