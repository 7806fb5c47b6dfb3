/**
 * The API document in third-party tools: linted by redocly, and compiled by clients with the types of
 * openapi-typescript. The document of the tests' own area is included, for features that no area of the server uses.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import openapiTypes, { astToString } from 'openapi-typescript'
import { testApp } from '../platform/http/fixture.ts'
import { openTroupe, type Troupe } from '../support/troupe.ts'

const root = resolve(import.meta.dir, '../..')
let troupe: Troupe
let folder: string
// biome-ignore lint/suspicious/noExplicitAny: the test reads arbitrary parts of the document
let document: any

beforeAll(async () => {
  troupe = await openTroupe()
  // inside the checkout, so that the client resolves its packages
  folder = await mkdtemp(join(root, 'node_modules', '.api-document-'))
  const text = await (await fetch(`${troupe.url}/docs/json`)).text()
  document = JSON.parse(text)
  const things = await testApp().app.handle(new Request('http://localhost/docs/json'))
  await Bun.write(join(folder, 'openapi.json'), text)
  await Bun.write(join(folder, 'things.json'), await things.text())
  const older = await fetch(`${troupe.url}/swagger/openapi-3.0.json`)
  await Bun.write(join(folder, 'openapi-3.0.json'), await older.text())
})
afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
  await troupe?.stop()
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
    },
  })
  const [output, errors, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { code, output: output + errors }
}

describe('the document itself', () => {
  // biome-ignore lint/suspicious/noExplicitAny: the test reads arbitrary parts of the document
  type Loose = any
  const operations = (): Loose[] => Object.values(document.paths).flatMap((methods) => Object.values(methods as object))
  const isNamed = ({ schema }: Loose) => /^#\/components\/schemas\/[A-Z][A-Za-z]*$/.test(schema.$ref)
  const unnamed = (contentsOf: (operation: Loose) => Loose[]) =>
    operations()
      .filter((operation) => !contentsOf(operation).every(isNamed))
      .map(({ operationId }) => operationId)

  test('every request body has a named schema', () => {
    expect(unnamed(({ requestBody }) => Object.values(requestBody?.content ?? {}))).toEqual([])
  })

  test('every JSON response has a named schema', () => {
    const answers = ({ responses }: Loose) => Object.entries<Loose>(responses).filter(([status]) => status < '300')
    const json = (operation: Loose) => answers(operation).map(([, { content }]) => content?.['application/json'])
    expect(unnamed((operation) => json(operation).filter(Boolean))).toEqual(['getApiDocument'])
  })

  test('no parameter has the name of a schema, which would give clients a second type like AgentId2', () => {
    const { parameters, schemas } = document.components
    expect(Object.keys(parameters)).toContain('AgentIdParameter')
    expect(Object.keys(parameters).filter((name) => name in schemas)).toEqual([])
  })

  test('the resources of the requirement have its names', () => {
    for (const name of ['AgentRun', 'AgentStep', 'Checkpoint', 'Agent', 'AgentRevision', 'Webhook', 'PublicApiError']) {
      expect(document.components.schemas).toHaveProperty(name)
    }
  })

  test('operations on runs, events and automation show examples of their bodies and answers', () => {
    const wings = ['Runner protocol', 'Events', 'Webhooks', 'Workflows', 'Jobs', 'Entities']
    const onRuns = Object.keys(document.paths).filter((path) => path.startsWith('/api/v1/agent-runs'))
    const shown = [
      ...operations().filter(({ tags }) => wings.includes(tags[0])),
      ...onRuns.flatMap((path) => Object.values<Loose>(document.paths[path])),
    ]
    const contents = ({ requestBody, responses }: Loose) => [
      requestBody?.content,
      ...Object.entries<Loose>(responses).flatMap(([status, { content }]) => (status < '300' ? [content] : [])),
    ]
    const isPlain = (operation: Loose) =>
      contents(operation).some((content) => content?.['application/json'] && !content['application/json'].example)
    expect(shown.length).toBeGreaterThan(80)
    expect(shown.filter(isPlain).map(({ operationId }) => operationId)).toEqual([])
  })

  test('streams that resume are documented, with the header Last-Event-ID', () => {
    const resuming = ['/api/v1/agent-runs/{agentRunId}/stream', '/api/v1/agent-runs/{agentRunId}/logs']
    const resolved = (parameter: Loose): Loose =>
      parameter.$ref ? document.components.parameters[parameter.$ref.split('/').at(-1)] : parameter
    for (const path of [...resuming, '/api/v1/actors/run/{id}/stream']) {
      const names = document.paths[path].get.parameters.map((parameter: Loose) =>
        resolved(parameter).name.toLowerCase(),
      )
      expect(names, path).toContain('last-event-id')
      expect(Object.keys(document.paths[path].get.responses[200].content), path).toContain('text/event-stream')
    }
  })

  test('every operation has a summary, a tag and a response', () => {
    for (const { operationId, summary, tags, responses } of operations()) {
      expect(summary, operationId).not.toBe(operationId)
      expect(tags, operationId).toHaveLength(1)
      expect(Object.keys(responses)[0], operationId).toMatch(/^[23]/)
    }
  })
})

const client = `import createClient from 'openapi-fetch'
import type { components, paths } from './api.ts'

type AgentStep = components['schemas']['AgentStep']
const [url, key] = process.argv.slice(2) as [string, string]
const troupe = createClient<paths>({ baseUrl: url, headers: { authorization: \`Bearer \${key}\` } })
const started = await troupe.POST('/api/v1/agent-runs', { body: { agentId: 'agt_system_assistant', query: 'Hello' } })
if (started.error) throw new Error(started.error.error.message)
const agentRunId: components['schemas']['AgentRunId'] = started.data.data.id
for (;;) {
  const { data, error } = await troupe.GET('/api/v1/agent-runs/{agentRunId}', { params: { path: { agentRunId } } })
  if (error) throw new Error(error.error.message)
  if (data.data.state === 'completed') break
  await Bun.sleep(10)
}
const steps = await troupe.GET('/api/v1/agent-runs/{agentRunId}/steps', { params: { path: { agentRunId } } })
const items: AgentStep[] = steps.data?.data.items ?? []
console.log(items.map(({ kind }) => kind).join(' '), steps.data?.pagination.totalCount)
type RunEvent = components['schemas']['AgentRunEvent']
export const stateAtEnd = (event: RunEvent) =>
  event.event === 'end' && 'sequence' in event.data ? event.data.data.state : undefined
// @ts-expect-error a step has no such field
export const misreadStep = (event: RunEvent & { event: 'step.started' }) => event.data.data.colour
// @ts-expect-error there is no such state
export const wrong = started.data.data.state === 'done'
const canceled = await troupe.POST('/api/v1/agent-runs/{agentRunId}/cancel', { params: { path: { agentRunId } } })
console.log(canceled.error?.error.code === 'invalid_transition')
// @ts-expect-error a cancel has no such error
export const misread = canceled.error?.error.code === 'slug_taken'
`
const thingsClient = `import createClient from 'openapi-fetch'
import type { paths } from './things-api.ts'

const client = createClient<paths>({ baseUrl: 'https://troupe.test' })
export async function sizeOf(thingId: string): Promise<number> {
  const { data, error } = await client.GET('/api/v1/things/{thingId}', { params: { path: { thingId } } })
  if (error) throw new Error(error.error.message)
  const state: 'on' | 'off' = data.data.state
  return state === 'on' ? data.data.size : 0
}
// @ts-expect-error the body requires a name
export const wrong = () => client.POST('/api/v1/things', { body: { size: 1 } })
`

test('redocly reports nothing, not even a warning', async () => {
  const names = ['openapi.json', 'things.json', 'openapi-3.0.json']
  const { code, output } = await run('redocly', 'lint', ...names, '--format=json')
  if (code !== 0) console.error(output)
  const totals = output.match(/"errors": \d+,\s*"warnings": \d+/g)?.map((text) => text.replaceAll(/\s+/g, ' '))
  const clean = '"errors": 0, "warnings": 0'
  // 3.0 has no webhooks, so the schemas of their events are unused
  const older = `"errors": 0, "warnings": ${output.match(/"ruleId": "no-unused-components"/g)?.length}`
  expect({ code, totals }).toEqual({ code: 0, totals: [clean, clean, older] })
  for (const name of names) expect(output).toContain(`${name}: validated`)
})

test('clients generated from the document compile', async () => {
  for (const [name, types] of [
    ['openapi.json', 'api.ts'],
    ['things.json', 'things-api.ts'],
  ] as const) {
    const nodes = await openapiTypes(await Bun.file(join(folder, name)).text())
    await Bun.write(join(folder, types), astToString(nodes))
  }
  await Bun.write(join(folder, 'run-client.ts'), client)
  await Bun.write(join(folder, 'things-client.ts'), thingsClient)
  await Bun.write(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      extends: '../../tsconfig.json',
      include: ['run-client.ts', 'things-client.ts'],
      exclude: [],
      compilerOptions: { noUnusedLocals: false },
    }),
  )
  expect(await run('tsc', '--project', 'tsconfig.json')).toEqual({ code: 0, output: '' })
})

test('the generated client completes a run', async () => {
  await Bun.write(join(folder, 'run-client.ts'), client)
  const ran = await run('bun', 'run-client.ts', troupe.url, troupe.key)
  expect(ran).toEqual({ code: 0, output: 'agent model 2\ntrue\n' })
})
