/** The commands and programs of the guides, as printed, against a server with what they name. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { endCommands, type Home, openHome } from '../cli/command.ts'
import { eventually } from '../support/process.ts'
import { type IdentityProvider, openIdentityProvider } from '../support/services/identity-provider.ts'
import { openTroupe, type Troupe } from '../support/troupe.ts'
import { echoOperation } from '../support/world/places.ts'
import { data } from '../support/world/replies.ts'
import { blocksOf, programsIn, root } from './pages-as-scripts.ts'

/** Placeholders of the integrations page, which the provider knows as its client. */
const ofClient = (text: string) => text.replaceAll('….apps', 'x.apps').replaceAll('GOCSPX-…', 'GOCSPX-x')
const place = 'support-desk/development'

let troupe: Troupe
let home: Home
let provider: IdentityProvider
let url: string
/** What the shell of the reader has set. */
let variables: Record<string, string> = {}

const operations = (...all: object[]) => ({ kind: 'operations', source: { operations: all } })

/** The Project of the guides: the operations and the workflow that they name. */
function manifest() {
  const [workflow = ''] = blocksOf('docs/workflows.md', 'json')
  const content = { instructions: 'Help.', tools: [{ kind: 'operation', name: 'find', operation: 'shop.find' }] }
  return {
    version: 1,
    project: { slug: 'support-desk', name: 'Support desk' },
    definitions: {
      shop: operations(echoOperation('find'), echoOperation('refund', { approval: 'always' })),
      mail: operations(echoOperation('send')),
      'refund-order': { kind: 'workflow', source: JSON.parse(workflow) },
    },
    agents: {
      'support-desk': {
        name: 'Support desk',
        content,
        grantedOperations: ['shop.find', 'shop.refund', 'mail.send'],
      },
    },
    environments: { development: {} },
  }
}

async function apply(given: object) {
  const { id } = await data(troupe.owner.post('/api/v1/applies', { manifest: given, environment: 'development' }))
  await eventually('the end of the Apply', async () => {
    const { state } = await data<{ state: string }>(troupe.owner.get(`/api/v1/applies/${id}`))
    return state === 'applied'
  })
}

/** Runs blocks of commands in one shell of the reader; returns what they print. No answer may be an error. */
async function shell(...blocks: (string | undefined)[]): Promise<string> {
  const script = blocks.join('\n')
  const environment = { ...home.environment, ...variables }
  const { code, stdout, stderr } = await home.start(['-ec', script], { program: ['bash'], environment }).ended
  expect({ script, code, stderr, stdout }).toEqual({
    script,
    code: 0,
    stderr: expect.any(String),
    stdout: expect.not.stringContaining('{"error":{'),
  })
  return stdout
}

beforeAll(async () => {
  home = await openHome()
  provider = await openIdentityProvider({ clientId: 'x.apps.googleusercontent.com', clientSecret: 'GOCSPX-x' })
  const { issuer, authorizationEndpoint, tokenEndpoint, userinfoEndpoint } = provider
  const endpoints = { issuer, authorizationEndpoint, tokenEndpoint, userinfoEndpoint }
  const scopes = { scopes: [{ name: 'openid', description: 'Know who the user is.' }], defaultScopes: ['openid'] }
  const more = { name: 'Google', principalBinding: 'user', setupInstructions: 'Make a client.' }
  const presets = join(home.folder, 'presets.json')
  await Bun.write(presets, JSON.stringify([{ presetKey: 'google-workspace', ...endpoints, ...scopes, ...more }]))
  const environment = { TROUPE_ALLOW_PRIVATE_ADDRESSES: 'true', TROUPE_PRESETS_FILE: presets }
  troupe = await openTroupe({ environment })
  // the cookie of a consent is that of the address that the provider returns to
  const preset = await data<{ redirectUri: string }>(troupe.owner.get('/api/v1/connection-presets/google-workspace'))
  provider.redirectTo([preset.redirectUri])
  url = new URL(preset.redirectUri).origin
  await apply(manifest())

  const PATH = `${await programsIn(home.folder)}:${process.env.PATH}`
  variables = { PATH, TROUPE_URL: url, TROUPE_KEY: troupe.key }
  const [set = ''] = blocksOf('docs/api.md')
  const names = ['TROUPE_KEY', 'PLACE', 'PROJECT', 'ENVIRONMENT', 'AGENT']
  const shown = names.map((name) => `echo ${name}=$${name}`).join('\n')
  const found = (await shell(set.replace('http://localhost:3000', url), shown)).matchAll(/^(\w+)=(\w\S*)$/gm)
  variables = { ...variables, ...Object.fromEntries([...found].map(([, name, value]) => [name, value])) }
})
afterAll(async () => {
  await endCommands()
  await troupe?.stop()
  await provider?.close()
  await home?.remove()
})

describe.skipIf(!Bun.which('jq') || !Bun.which('curl'))('the commands', () => {
  test('that set the variables find the ids of a place', () => {
    expect({ ...variables }).toMatchObject({
      TROUPE_KEY: expect.stringMatching(/^trp_/),
      PLACE: place,
      PROJECT: expect.stringMatching(/^prj_/),
      ENVIRONMENT: expect.stringMatching(/^env_/),
      AGENT: expect.stringMatching(/^agt_/),
    })
    expect(variables.TROUPE_KEY).not.toBe(troupe.key)
  })

  test('of workflows, operations and approvals work', async () => {
    const [start, send] = blocksOf('docs/workflows.md')
    const { workflowRunId } = JSON.parse(await shell(start)).data
    expect(JSON.parse(await shell(send)).data.event).toBe('payment.received')

    const [invoke, importing, , decide] = blocksOf('docs/operations.md')
    expect(JSON.parse(await shell(invoke)).data).toMatchObject({ state: 'succeeded', output: { order: 'A-17' } })
    const path = `/api/v1/projects/${variables.PROJECT}/environments/${variables.ENVIRONMENT}`
    await eventually('the approval', async () => {
      const query = { status: 'pending' }
      const { items } = await data<{ items: object[] }>(troupe.owner.get(`${path}/operation-approvals`, { query }))
      return items.length === 1
    })
    expect(await shell(decide)).toContain('"status":"approved"')
    await eventually('the end of the workflow run', async () => {
      const { state } = await data(troupe.owner.get(`${path}/workflows/${workflowRunId}`))
      return state === 'completed'
    })

    const paths = { '/orders': { get: { operationId: 'listOrders', responses: {} } } }
    const document = { openapi: '3.1.0', info: { title: 'Shop', version: '1' }, paths }
    await Bun.write(join(home.folder, 'openapi.json'), JSON.stringify(document))
    expect(await shell(importing)).toContain('"name":"listOrders"')
  })

  test('of alerts, costs, billing and embedded charts work', async () => {
    const [rule] = blocksOf('docs/alerts.md')
    expect(JSON.parse(await shell(rule)).data.name).toBe('Runs fail')
    const [, start] = blocksOf('docs/cost.md')
    const { id, limits } = JSON.parse(await shell(start)).data
    expect(limits).toEqual({ maxTokens: 20_000 })
    variables.RUN = id
    const [ticket] = blocksOf('docs/embedding.md')
    expect(JSON.parse(await shell(ticket)).data.url).toContain(`/embed/actors/run/${id}?ticket=`)
    const [checkout, usage] = blocksOf('docs/billing.md').map((block) => block.replaceAll('http://localhost:3000', url))
    expect(await shell(checkout)).toContain('"planKey":"pro"')
    expect(await shell(usage)).toContain('"minutes":')
  })

  test('of jobs, webhooks and entities work', async () => {
    const [job] = blocksOf('docs/jobs.md')
    expect(JSON.parse(await shell(job)).data).toMatchObject({ name: 'Morning report', enabled: true })
    const [hook] = blocksOf('docs/webhooks.md')
    expect(JSON.parse(await shell(hook)).data.signingSecret).toStartWith('whsec_')
    const [define, read] = blocksOf('docs/entities.md')
    expect(JSON.parse(await shell(define)).data.source.states.initial).toBe('open')
    expect(JSON.parse(await shell(read)).data.items).toEqual([])
  })

  test('of integrations lead from a client to a Connection', async () => {
    const [list, register, rotate, begin, end, rename] = blocksOf('docs/integrations.md').map(ofClient)
    expect(await shell(list)).toContain('"presetKey":"google-workspace"')
    expect(JSON.parse(await shell(register)).data.status).toBe('active')
    expect(JSON.parse(await shell(rotate)).data.currentVersion.number).toBe(2)
    const [, address = ''] = /^location: (\S+)/i.exec(await shell(begin)) ?? []
    variables.CALLBACK = await provider.consent(address)
    const [, id = ''] = /oauth=success&connectionId=(con_\w+)/.exec(await shell(end)) ?? []
    variables.CONNECTION = id
    expect(JSON.parse(await shell(rename)).data).toMatchObject({ id, name: 'google', status: 'active' })
  })

  test('of applies prepare what the manifest names, and apply it', async () => {
    const [yaml = ''] = blocksOf('docs/applies.md', 'yaml')
    await Bun.write(join(home.folder, 'troupe.yaml'), yaml)
    const said = await shell(...blocksOf('docs/applies.md'))
    expect(said).toContain('shop/development')
    expect(said).toContain('shop/production')
  })

  test('of runners execute a run by hand, in a pool of the organization', async () => {
    const [, , pool, , lease, report] = blocksOf('docs/runners.md')
    const [, secret = '', id = ''] = /"secret":"(trr_\w+)"[\s\S]*(rpl_\w+)/.exec(await shell(pool, 'echo $POOL')) ?? []
    variables.TROUPE_RUNNER_TOKEN = secret
    const run = await data(troupe.owner.post('/api/v1/agent-runs', { agentId: 'agt_system_assistant', query: 'Hello' }))
    await shell(lease, report)
    const query = { include: 'output' }
    const ended = await data(troupe.owner.get(`/api/v1/agent-runs/${run.id}`, { query }))
    expect(ended).toMatchObject({ state: 'completed', output: { text: 'Done by hand.' } })
    await troupe.owner.delete(`/api/v1/runner-pools/${id}`)
  })
})

describe('the programs', () => {
  let folder: string
  beforeAll(async () => {
    // inside the checkout, so that they find their packages
    folder = await mkdtemp(join(root, 'node_modules', '.guides-'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  async function run(program: string[], name: string, text: string) {
    await Bun.write(join(folder, name), text)
    const environment = { ...home.environment, TROUPE_KEY: troupe.key }
    const { code, stdout, stderr } = await home.start([name], { program, cwd: folder, environment }).ended
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: expect.any(String), stderr: expect.any(String) })
    return stdout
  }

  test.each([
    ['OpenAI', 'openai', 'And in 200?'],
    ['AG-UI', '@ag-ui/client', 'You said: Where is my order?'],
    ['A2A', '@a2a-js/sdk', 'You said: Where is my order?'],
  ])('of the client of %s gets an answer', async (_, module, answer) => {
    const text = blocksOf('docs/protocols.md', 'ts').find((block) => block.includes(`'${module}'`)) ?? ''
    const placed = text
      .replaceAll('http://127.0.0.1:3000', url)
      .replace('shop/production/support', `${place}/support-desk`)
    expect(await run([process.execPath], `${module.replaceAll('/', '-')}.ts`, placed)).toContain(answer)
  })

  test.skipIf(!Bun.which('python3'))('of Python tells deliveries of the server from others', async () => {
    const [text = ''] = blocksOf('docs/webhooks.md', 'python')
    const secret = `whsec_${btoa('a secret of twenty-four b')}`
    const body = '{"type": "run.completed", "name": "Zoë"}'
    const at = new Date()
    const headers = {
      'webhook-id': 'evt_1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
      'webhook-signature': `v1,AAAA ${new Webhook(secret).sign('evt_1', at, body)}`,
    }
    const old = { ...headers, 'webhook-timestamp': '1' }
    const calls = [
      [body, headers],
      [`${body} `, headers],
      [body, old],
    ].map(([each, given]) => `is_signed(${JSON.stringify(each)}.encode(), ${JSON.stringify(given)}, "${secret}")`)
    expect(await run(['python3'], 'signed.py', `${text}\nprint(${calls.join(', ')})\n`)).toBe('True False False\n')
  })
})
