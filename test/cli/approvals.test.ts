/** `troupe approvals`, `open` and `api`: resources by their names and ids. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Troupe } from '@troupe/sdk'
import { call, say, script } from '@troupe/sdk/testing'
import { mistyped } from '../support/mistyped.ts'
import { openTroupe, type Troupe as Server } from '../support/troupe.ts'
import { endCommands, type Home, openHome } from './command.ts'

const manifest = `version: 1
project: { slug: shop, name: Shop }
definitions:
  refunds:
    kind: operations
    source:
      operations:
        - { name: pay, description: Pays back., inputSchema: { type: object }, effect: write, idempotent: true, approval: always, handler: { type: echo } }
        - { name: delegate, description: Has a clerk pay., inputSchema: { type: object }, effect: write, idempotent: true, approval: never, handler: { type: agent, agent: clerk, query: "{{input.query}}" } }
  settle:
    kind: workflow
    source:
      params: { type: object }
      steps: [{ id: pay, operation: refunds.pay, input: { amount: "{{params.amount}}" } }]
agents:
  lead:
    content:
      instructions: Have it paid back.
      tools: [{ kind: operation, name: delegate, operation: refunds.delegate }, { kind: workflow, name: settle, workflow: settle }]
  clerk:
    content: { instructions: Pay back., tools: [{ kind: operation, name: pay, operation: refunds.pay }] }
`

let server: Server
let home: Home
let troupe: Troupe
let ids: { projectId: string; environmentId: string; agentId: string }

beforeAll(async () => {
  server = await openTroupe()
  home = await openHome({ TROUPE_URL: server.url, TROUPE_API_KEY: server.key })
  troupe = new Troupe({ baseUrl: server.url, apiKey: server.key })
  writeFileSync(join(home.folder, 'troupe.yaml'), manifest)
  expect((await home.run('apply')).code).toBe(0)
  const [project] = (await troupe.projects.list({ slug: 'shop' })).items
  const projectId = project!.id
  const environments = (await troupe.environments.list({ projectId })).items
  const [agent] = (await troupe.agents.list({ projectId, slug: 'clerk' })).items
  ids = { projectId, environmentId: environments.find(({ kind }) => kind === 'development')!.id, agentId: agent!.id }
})
afterAll(async () => {
  await endCommands()
  await server?.stop()
  await home?.remove()
})

const place = 'shop/development'

/** A run that waits for an approval, started without a terminal. */
async function ask(amount: number): Promise<{ run: string; approval: string }> {
  const { code, stderr } = await home.run('run', `${place}/clerk`, script(call('pay', { amount }), say('Done.')))
  expect(code).toBe(8)
  const approval = /troupe approvals approve (apr_\w+), or: troupe approvals reject \1/.exec(stderr)?.[1]
  const run = /troupe runs watch (run_\w+)/.exec(stderr)?.[1]
  return { run: run as string, approval: approval as string }
}

describe('approvals', () => {
  test('are found from a run that waits for the run of another Agent, or for a workflow', async () => {
    const going = home.start(['run', `${place}/lead`, script(call('delegate', { query: script(call('pay')) }))])
    const [, other] = await going.says(/delegate waits for the run of another Agent: troupe runs watch (run_\w+)/)
    going.process.kill('SIGINT')
    await going.ended
    const watched = await home.run('runs', 'watch', other as string)
    expect(watched).toMatchObject({ code: 8, stderr: expect.stringMatching(/troupe approvals approve apr_\w+/) })

    const settling = home.start(['run', `${place}/lead`, script(call('settle', { amount: 3 }))])
    await settling.says(/settle waits for the workflow run (wfr_\w+): troupe open \1/)
    settling.process.kill('SIGINT')
    await settling.ended
  })

  test('are named by the run that waits, listed, shown with what they send, and approved', async () => {
    const { run, approval } = await ask(12)
    const listed = await home.run('approvals', 'list', place)
    expect(listed.stdout).toMatch(new RegExp(`${approval} +pending +refunds\\.pay .* \\{"amount":12\\}`))
    const shown = await home.run('approvals', 'show', approval, '--json')
    expect(shown.json<object>()).toMatchObject({
      id: approval,
      input: { amount: 12 },
      request: { target: { type: 'echo' } },
    })
    const approved = await home.run('approvals', 'approve', approval, '--note', 'Checked.')
    expect(approved).toMatchObject({ code: 0, stdout: `${approval} (refunds.pay) is approved.\n` })
    expect((await home.run('runs', 'watch', run)).stdout).toContain('Done.')
    const after = await home.run('approvals', 'show', approval)
    expect(after.stdout).toMatch(/note +Checked\./)
    // the first decision counts
    expect(await home.run('approvals', 'reject', approval)).toMatchObject({ code: 6, stdout: '' })
  })

  test('can be rejected by a key that may not list them, which names the Environment', async () => {
    const { approval } = await ask(900)
    const { secret } = await troupe.apiKeys.create({
      name: 'decider',
      operations: ['projects:list', 'projects:get', 'operation-approvals:reject'],
    })
    const as = (...words: string[]) => home.start(words, { environment: { TROUPE_API_KEY: secret } }).ended
    expect((await as('approvals', 'reject', approval)).code).toBe(5)
    expect(await as('approvals', 'reject', approval, '--on', place, '--json')).toMatchObject({ code: 0 })
    const rejected = await home.run('approvals', 'list', place, '--status', 'rejected', '--json')
    expect(rejected.json<{ id: string }[]>().map(({ id }) => id)).toEqual([approval])
  })

  test.each([
    [['approvals', 'show', 'refunds'], 2, /apr_…\): troupe approvals list/],
    [['approvals', 'list', place, '--status', 'open'], 2, /Allowed choices are pending/],
    [['approvals', 'list', 'shop'], 2, /give PROJECT\/KIND/],
    [['approvals', 'approve', 'apr_01h455vb4pex5vsknk084sn02q'], 5, /no such/],
  ])('%p exits with %d', async (words, exit, message) => {
    const { code, stderr } = await home.run(...words)
    expect(code).toBe(exit)
    expect(stderr).toMatch(message)
  })
})

describe('open', () => {
  const addressOf = async (...what: string[]) => (await home.run('open', ...what, '--json')).json<{ url: string }>().url

  test('prints the address of the organization, a place or a resource in the console', async () => {
    const { projectId, environmentId, agentId } = ids
    const root = `${server.url}/o/default`
    const run = await troupe.runs.start({ agent: `${place}/clerk`, query: script(say('Hello.')) })
    expect(await addressOf()).toBe(root)
    expect(await addressOf('shop')).toBe(`${root}/p/${projectId}`)
    expect(await addressOf(place)).toBe(`${root}/p/${projectId}/e/${environmentId}`)
    expect(await addressOf(environmentId)).toBe(`${root}/p/${projectId}/e/${environmentId}`)
    expect(await addressOf(agentId)).toBe(`${root}/p/${projectId}/agents/${agentId}`)
    expect(await addressOf(run.id)).toBe(`${root}/runs/${run.id}`)
    expect(await addressOf('usr_01h455vb4pex5vsknk084sn02q')).toBe(`${root}/settings/members`)
    const { configurationHead } = await troupe.environments.get({ projectId, environmentId })
    const configuration = `${root}/p/${projectId}/e/${environmentId}/configuration`
    expect(await addressOf(configurationHead.revisionId)).toBe(configuration)
  })

  test('reports what the console does not have', async () => {
    expect(await home.run('open', 'att_01h455vb4pex5vsknk084sn02q')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/has no page for att_.* An attempt is shown on the page of its run/),
    })
    expect((await home.run('open', mistyped(ids.agentId), '--json')).code).toBe(5)
  })
})

describe('api', () => {
  test('reads a path below /api/v1, with the ids of a place', async () => {
    const environment = '/projects/{projectId}/environments/{environmentId}'
    const read = await home.run('api', environment, '--on', place)
    expect(read.json<object>()).toMatchObject({ data: { id: ids.environmentId } })
    expect((await home.run('api', `/api/v1/projects/${ids.projectId}`, '--json')).stdout.split('\n')).toHaveLength(2)
    expect((await home.run('api', '/readyz')).code).toBe(0)
  })

  test('sends a body from the command line, a file or the standard input', async () => {
    const body = { name: 'Renamed' }
    writeFileSync(join(home.folder, 'body.json'), JSON.stringify(body))
    const path = `/projects/${ids.projectId}`
    for (const data of [JSON.stringify(body), '@body.json', '-']) {
      const words = ['api', path, '--method', 'patch', '--data', data]
      const sent = await home.start(words, { input: JSON.stringify(body) }).ended
      expect(sent.json<object>()).toMatchObject({ data: body })
    }
  })

  test('prints every item of every page of a list, and streams as they arrive', async () => {
    const started = await troupe.runs.start({ agent: `${place}/clerk`, query: script(say('One.')) })
    await troupe.runs.start({ agent: `${place}/clerk`, query: script(say('Two.')) })
    const known: string[] = []
    for await (const { id } of troupe.runs.list()) known.push(id)
    const all = await home.run('api', '/agent-runs?limit=1', '--all')
    expect(all.lines().map(({ id }) => id)).toEqual(known)
    const events = '/projects/{projectId}/environments/{environmentId}/events?limit=1'
    const history = await home.run('api', events, '--on', place, '--all')
    expect(history.lines().map(({ type }) => type)).toContain('deployment.ready')
    const stream = await home.run('api', `/agent-runs/${started.id}/stream?after=0`)
    expect(stream.stdout).toMatch(/^id: 1$/m)
    expect(stream.stdout).toMatch(/^event: end$/m)
  })

  test('prints the whole answer to a reader that is slower than the server', async () => {
    const whole = await home.run('api', '/docs/json')
    // a pipe holds less than this answer
    expect(whole.stdout.length).toBeGreaterThan(1_000_000)
    const slowly = ['sh', '-c', '"$@" | (sleep 1; cat)', 'sh', ...home.commandLine]
    const piped = await home.start(['api', '/docs/json'], { program: slowly }).ended
    expect(piped.stdout.length).toBe(whole.stdout.length)
  })

  test.each([
    [['api', 'agent-runs'], 2, /is not a path, such as \/agent-runs/],
    [['api', '/projects/{projectId}'], 2, /Give an id for \{projectId\}/],
    [['api', '/agent-runs', '--on', 'shop'], 2, /--on is for names in braces/],
    [['api', '/agent-runs', '-X', 'BREW'], 2, /There is no method BREW/],
    [['api', '/agent-runs', '-X', 'GET', '-d', '{}'], 2, /GET has no --data/],
    [['api', '/machines/run', '--all'], 2, /is not a list/],
    [['api', '/agent-runs', '-d', '{}'], 6, /\/body\/agentId: Is required/],
    [['api', '/agent-run'], 5, /no such path/],
  ])('%p exits with %d', async (words, exit, message) => {
    const { code, stdout, stderr } = await home.run(...words)
    expect({ code, stdout }).toEqual({ code: exit, stdout: '' })
    expect(stderr).toMatch(message)
  })
})
