/** The workers of servers and runners that run as bundled processes. */
import { afterEach, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { endAll, eventually, Site } from '../../support/process.ts'

const sites: Site[] = []
afterEach(async () => {
  await endAll()
  await Promise.all(sites.splice(0).map((site) => site.remove()))
})

/** The living child processes of this one. */
const childrenOf = (pid: number): number[] =>
  readdirSync('/proc')
    .map(Number)
    .filter((id) => id > 0 && parentOf(id) === pid)

function parentOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return Number(stat.slice(stat.lastIndexOf(')')).split(' ')[2])
  } catch {
    return undefined
  }
}

const gone = (pids: number[]) =>
  eventually('an end of all workers', () => pids.every((pid) => !existsSync(`/proc/${pid}`)))

const again = { properties: { a: { $ref: '#' } } }
/** Work that doubles with each level of the value. */
const costly = { type: 'object', oneOf: [again, again] }
const nested = (levels: number): object => (levels === 0 ? {} : { a: nested(levels - 1) })

async function open(environment: Record<string, string> = {}) {
  const site = await Site.create(environment)
  sites.push(site)
  const server = await site.start()
  const { client } = server
  const data = async (reply: ReturnType<typeof client.get>) => {
    const { status, body } = await reply
    expect({ ok: status < 300, error: body?.error }).toEqual({ ok: true, error: undefined })
    return body.data
  }
  const project = `/api/v1/projects/${(await data(client.post('/api/v1/projects', { slug: 'p', name: 'P' }))).id}`
  const { items } = await data(client.get(`${project}/environments`))
  const environmentId: string = items[0].id
  const place = `${project}/environments/${environmentId}`
  await data(client.patch(place, { lifecycle: 'active', expectedLifecycle: 'provisioning' }))
  const { id: agentId } = await data(client.post(`${project}/agents`, { slug: 'a', name: 'A' }))

  /** An active Agent with a tool that accepts this; returns the run that calls it with the value. */
  async function run(inputSchema: object, value: object) {
    const tools = [{ kind: 'interactive', name: 'ask', description: 'Asks.', inputSchema }]
    const revision = { content: { instructions: 'Help.', tools } }
    const { id: agentRevisionId } = await data(client.post(`${project}/agents/${agentId}/revisions`, revision))
    const { id: releaseId } = await data(client.post(`${project}/releases`, { agents: [{ agentId, agentRevisionId }] }))
    const { configurationHead, generation } = await data(client.get(place))
    const { id: deploymentId } = await data(
      client.post(`${place}/deployments`, { releaseId, configurationRevisionId: configurationHead.revisionId }),
    )
    await eventually('a ready Deployment', async () => {
      const { state } = await data(client.get(`${place}/deployments/${deploymentId}`))
      return state === 'ready'
    })
    await data(client.post(`${place}/activations`, { deploymentId, expectedGeneration: generation }))
    const query = `/call ask ${JSON.stringify(value)}\n/say Done`
    return data(client.post('/api/v1/agent-runs', { agentId, environmentId, query }))
  }

  const failureOf = async (runId: string) => {
    await eventually('an end of the run', async () => {
      const { state } = await data(client.get(`/api/v1/agent-runs/${runId}`))
      return state === 'completed'
    })
    const { items: steps } = await data(client.get(`/api/v1/agent-runs/${runId}/steps`))
    return steps.find(({ kind }: { kind: string }) => kind === 'tool').error
  }
  return { site, server, run, failureOf }
}

test('the server has no worker until one is needed, and none is left after it stops', async () => {
  const { server, run, failureOf } = await open()
  expect(childrenOf(server.pid)).toEqual([])
  const { id } = await run(costly, nested(24))
  expect(await failureOf(id)).toMatchObject({ code: 'schema_too_costly' })
  // an ended worker is replaced when it is needed
  const { id: fitting } = await run({ type: 'object', unevaluatedProperties: false }, { a: 1 })
  expect((await failureOf(fitting)).message).toContain('must NOT have unevaluated properties')
  const workers = childrenOf(server.pid)
  expect(workers.length).toBeGreaterThan(0)
  for (const pid of workers) {
    const environment = readFileSync(`/proc/${pid}/environ`, 'utf8')
    expect(environment).not.toContain('TROUPE')
    // the server is compiled, and so are its workers
    expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).toContain('schema-worker.js')
  }
  expect(await server.end('SIGTERM')).toBe(0)
  await gone(workers)
})

test('workers end with a server that is killed', async () => {
  const { server, run, failureOf } = await open()
  const { id } = await run({ type: 'object', unevaluatedProperties: false }, { a: 1 })
  await failureOf(id)
  const workers = childrenOf(server.pid)
  expect(workers.length).toBeGreaterThan(0)
  await server.end('SIGKILL')
  await gone(workers)
})

test('an external runner checks in its own workers', async () => {
  const { site, server, run, failureOf } = await open({ TROUPE_RUNNER: 'none' })
  const runner = site.startRunner(server.url)
  const { id } = await run(costly, nested(24))
  expect(await failureOf(id)).toMatchObject({ code: 'schema_too_costly' })
  const { id: next } = await run({ type: 'object', unevaluatedProperties: false }, { a: 1 })
  expect((await failureOf(next)).message).toContain('must NOT have unevaluated properties')
  const workers = childrenOf(runner.pid)
  expect(workers.length).toBeGreaterThan(0)
  expect(await runner.end('SIGTERM')).toBe(0)
  await gone(workers)
})
