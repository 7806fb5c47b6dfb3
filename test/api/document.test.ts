import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type RunningServer, startServer } from '../support/server.ts'

const root = resolve(import.meta.dir, '../..')
let server: RunningServer
let folder: string

beforeAll(async () => {
  server = await startServer()
  // inside the checkout, so that the client finds its packages
  folder = await mkdtemp(join(root, 'node_modules', '.api-document-'))
  await Bun.write(join(folder, 'openapi.json'), await (await fetch(`${server.url}/docs/json`)).text())
})
afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
  await server.stop()
})

async function run(command: string, ...args: string[]) {
  const child = Bun.spawn([join(root, 'node_modules/.bin', command), ...args], {
    cwd: folder,
    stdout: 'pipe',
    stderr: 'pipe',
    env: {
      ...process.env,
      REDOCLY_TELEMETRY: 'off',
      REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
      TROUPE_URL: server.url,
      TROUPE_KEY: server.key,
    },
  })
  const [output, errors, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { code, output: output + errors }
}

const client = `import createClient from 'openapi-fetch'
import type { paths } from './api.ts'

const [url, key] = process.argv.slice(2) as [string, string]
const troupe = createClient<paths>({ baseUrl: url, headers: { authorization: \`Bearer \${key}\` } })
const started = await troupe.POST('/api/v1/agent-runs', { body: { agentId: 'agt_system_assistant', query: 'Hello' } })
if (started.error) throw new Error(started.error.error.message)
const agentRunId: string = started.data.data.id
for (;;) {
  const { data, error } = await troupe.GET('/api/v1/agent-runs/{agentRunId}', { params: { path: { agentRunId } } })
  if (error) throw new Error(error.error.message)
  if (data.data.state === 'completed') break
  await Bun.sleep(10)
}
const steps = await troupe.GET('/api/v1/agent-runs/{agentRunId}/steps', { params: { path: { agentRunId } } })
console.log(steps.data?.data.items.map(({ kind }) => kind).join(' '), steps.data?.pagination.totalCount)
// @ts-expect-error there is no such state
export const wrong = started.data.data.state === 'done'
`

test('redocly finds nothing in the document of the server, not even a warning', async () => {
  const { code, output } = await run('redocly', 'lint', 'openapi.json', '--format=json')
  if (code !== 0 || !output.includes('"warnings": 0')) console.error(output)
  expect({ code, clean: /"errors":\s*0,\s*"warnings":\s*0/.test(output) }).toEqual({ code: 0, clean: true })
}, 20_000)

const examples = ['client.ts', 'delivery-path.ts', 'approvals.ts']

test('a client made from the document compiles, and so do the examples', async () => {
  expect(await run('openapi-typescript', 'openapi.json', '-o', 'api.ts')).toMatchObject({ code: 0 })
  await Bun.write(join(folder, 'run-client.ts'), client)
  for (const name of examples) {
    await Bun.write(join(folder, name), await Bun.file(join(root, 'examples', name)).text())
  }
  await Bun.write(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      extends: '../../tsconfig.json',
      include: ['run-client.ts', ...examples],
      exclude: [],
      compilerOptions: { noUnusedLocals: false },
    }),
  )
  expect(await run('tsc', '--project', 'tsconfig.json')).toEqual({ code: 0, output: '' })
}, 60_000)

test('the client carries a run through', async () => {
  await Bun.write(join(folder, 'run-client.ts'), client)
  const ran = await run('bun', 'run-client.ts', server.url, server.key)
  expect(ran).toEqual({ code: 0, output: 'agent model 2\n' })
}, 30_000)

test('the example goes from source to a run of the active Deployment', async () => {
  const example = ['bun', join(root, 'examples/delivery-path.ts')] as const
  const { code, output } = await run(...example)
  expect({ code, output }).toMatchObject({ code: 0 })
  for (const line of [
    'deployment     ready',
    'activation     generation 1',
    'tool find_order: {"number":"A-17"}',
    'completed → completed',
  ]) {
    expect(output).toContain(line)
  }
}, 30_000)

test('the example of approvals lets a job and a workflow wait for decisions', async () => {
  const { code, output } = await run('bun', join(root, 'examples/approvals.ts'))
  expect({ code, output }).toMatchObject({ code: 0 })
  for (const line of [
    'asked     refunds.pay {"order":"A-17","amount":12.5}',
    'decided   approved: A-17 came back yesterday.',
    'run       completed',
    'step      find succeeded',
    'step      pay failed',
    'workflow  failed',
  ]) {
    expect(output).toContain(line)
  }
}, 30_000)
