/** From a file to an active Agent in the terminal: `plan`, `apply`, `promote`, `rollback`, `export`. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Troupe } from '@troupe/sdk'
import { openTroupe, type Troupe as Server } from '../support/troupe.ts'
import { endCommands, type Home, openHome } from './command.ts'

let server: Server
let home: Home
beforeAll(async () => {
  server = await openTroupe()
  home = await openHome({ TROUPE_URL: server.url, TROUPE_API_KEY: server.key })
})
afterAll(async () => {
  await endCommands()
  await server?.stop()
  await home?.remove()
})

const write = (name: string, text: string) => writeFileSync(join(home.folder, name), text)
const yaml = (slug: string, says = 'Answer briefly.') => `version: 1
project: { slug: ${slug}, name: Shop }
definitions:
  orders:
    kind: operations
    source:
      operations:
        - { name: find, description: Finds an order., inputSchema: { type: object }, effect: read, idempotent: true, approval: never, handler: { type: echo } }
agents:
  clerk:
    content:
      instructions: ${says}
      tools: [{ kind: operation, name: find, operation: orders.find }]
`

describe('a manifest in the folder', () => {
  test('is planned, applied, and applied again without effect', async () => {
    write('troupe.yaml', yaml('shop'))
    const planned = await home.run('plan')
    expect(planned).toMatchObject({ code: 0, stderr: '' })
    expect(planned.stdout).toContain('+ create agent clerk')
    expect((await home.run('plan', '--json')).json()).toMatchObject({ issues: [] })
    const applied = await home.run('apply')
    expect(applied.code).toBe(0)
    expect(applied.stdout).toMatch(/^Applied \(apl_\w+\): shop\/development serves it\.\n$/)
    expect((await home.run('run', 'shop/development/clerk', '/say Hello.')).stdout).toContain('Hello.')
    const again = await home.run('apply')
    expect(again.stdout).toBe('shop/development already matches troupe.yaml.\n')
    expect((await home.run('apply', '--json')).json()).toMatchObject({ state: 'applied', activationId: null })
  })

  test('is promoted and rolled back by Environment names', async () => {
    write('troupe.yaml', yaml('shop', 'Answer at length.'))
    expect((await home.run('apply')).code).toBe(0)
    const promoted = await home.run('promote', 'development', 'production')
    expect(promoted).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Promoted shop/development to production'),
    })
    const back = await home.run('rollback', 'shop/development', '--json')
    expect(back.json()).toMatchObject({ state: 'applied' })
    const none = await home.run('rollback', 'production')
    expect(none).toMatchObject({ code: 6, stderr: expect.stringContaining('Nothing served in production before') })
  })

  test('is exported as YAML, and the export changes nothing', async () => {
    const exported = await home.run('export', 'shop/production')
    expect(exported.code).toBe(0)
    write('exported.yaml', exported.stdout)
    const planned = await home.run('plan', '--file', 'exported.yaml', '--environment', 'production')
    expect(planned.stdout).toContain('Nothing to change.')
  })
})

test('a module can export a manifest', async () => {
  write(
    'troupe.mjs',
    `export default { version: 1, project: { slug: 'made' }, agents: { clerk: { content: { instructions: 'Help.' } } } }`,
  )
  expect((await home.run('apply', '--file', 'troupe.mjs')).stdout).toContain('made/development serves it')
})

describe('a module in a folder without packages', () => {
  const bin = [Bun.which('node') as string, join(import.meta.dir, '../../cli/bin.js')]
  const asked: string[] = []
  let registry: Bun.Server<undefined>
  const planOf = async (name: string) => {
    const environment = { NPM_CONFIG_REGISTRY: registry.url.href, BUN_INSTALL_CACHE_DIR: join(home.folder, 'cache') }
    return home.start(['plan', '--file', name], { program: bin, environment }).ended
  }
  beforeAll(() => {
    registry = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: ({ url }) => {
        asked.push(url)
        return new Response('{}', { status: 404 })
      },
    })
  })
  afterAll(() => registry.stop(true))

  test('uses the SDK of the command line', async () => {
    write(
      'shop.ts',
      `import { defineAgent, defineProject } from '@troupe/sdk'
export default defineProject({ slug: 'typed', agents: [defineAgent('clerk', { instructions: 'Help.' })] })`,
    )
    expect(await planOf('shop.ts')).toMatchObject({ code: 0, stdout: expect.stringContaining('create project typed') })
    expect(asked).toEqual([])
  })

  test('gets no package from a registry, and says which one to install', async () => {
    write('needing.ts', `import 'nowhere-to-be-found'\nexport default {}`)
    const { code, stderr } = await planOf('needing.ts')
    expect(code).toBe(2)
    expect(stderr).toContain('npm install nowhere-to-be-found')
    expect(asked).toEqual([])
  })
})

describe('errors', () => {
  test('in a manifest are reported together with their places, and nothing is changed', async () => {
    write('wrong.yaml', `${yaml('wrong').replace('orders.find }', 'orders.lose }')}  Boss: { content: {} }\n`)
    const planned = await home.run('plan', '--file', 'wrong.yaml')
    expect(planned.code).toBe(6)
    expect(planned.stderr).toContain('/agents/Boss')
    const applied = await home.run('apply', '--file', 'wrong.yaml', '--json')
    expect(applied.code).toBe(6)
    expect(JSON.parse(applied.stderr)).toMatchObject({ error: { code: 'plan_has_issues' } })
    const troupe = new Troupe({ baseUrl: server.url, apiKey: server.key })
    expect((await troupe.projects.list({ slug: 'wrong' })).items).toEqual([])
  })

  test.each<[string, string, string]>([
    ['no file', '', 'There is no file missing.yaml.'],
    ['a duplicate key', 'version: 1\nversion: 2\n', '"version" twice in one object'],
    [
      'aliases that expand exponentially',
      `a: &a [x,x,x,x,x,x,x,x,x]\n${[...'bcdefg'].map((name, at) => `${name}: &${name} [${Array(9).fill(`*${'abcdef'[at]}`)}]`).join('\n')}`,
      'alias',
    ],
    ['a list', '- 1\n', 'is not an object'],
  ])('with the file: %s', async (_, text, said) => {
    if (text !== '') write('missing.yaml', text)
    const { code, stderr } = await home.run('plan', '--file', 'missing.yaml')
    expect(code).toBe(2)
    expect(stderr.toLowerCase()).toContain(said.toLowerCase())
  })

  test('a missing permission is named', async () => {
    const troupe = new Troupe({ baseUrl: server.url, apiKey: server.key })
    const { secret } = await troupe.apiKeys.create({
      name: 'narrow',
      operations: ['projects:get', 'deployments:create'],
    })
    write('new.yaml', yaml('new'))
    const { code, stderr } = await home.start(['apply', '--file', 'new.yaml'], {
      environment: { TROUPE_API_KEY: secret },
    }).ended
    expect(code).toBe(4)
    expect(stderr).toContain('projects:create')
  })

  test('a server that is unavailable, and one that is older', async () => {
    const away = await home.run('plan', '--url', 'http://127.0.0.1:9')
    expect(away.code).toBe(7)
    const error = { code: 'not_found', message: 'There is no such resource.', requestId: 'req_1' }
    const old = Bun.serve({ port: 0, fetch: () => Response.json({ error }, { status: 404 }) })
    const { code, stderr } = await home.run('plan', '--url', old.url.href)
    await old.stop(true)
    expect([code, stderr]).toEqual([6, expect.stringContaining('is older than this command line')])
  })

  test('an Apply that fails ends the command with an error', async () => {
    const troupe = new Troupe({ baseUrl: server.url, apiKey: server.key })
    const [organization] = (await troupe.organizations.list()).items
    const organizationIdOrSlug = organization!.id
    const credential = await troupe.providerCredentials.create({
      organizationIdOrSlug,
      label: 'gone',
      provider: 'custom',
      credentialType: 'api_key',
      secret: 'x',
    })
    write(
      'failing.yaml',
      `${yaml('failing')}environments:
  development:
    connections: { shop: { kind: http, settings: { baseUrl: 'https://shop.example.com', auth: bearer }, credential: gone } }
`,
    )
    expect((await home.run('apply', '--file', 'failing.yaml')).code).toBe(0)
    // the manifest no longer names what its Agent needs, so that only the Deployment finds the problem
    await troupe.providerCredentials.update({ organizationIdOrSlug, credentialId: credential.id, status: 'disabled' })
    const needing = 'bindings: [{ bindingKey: shop, kind: connection, required: true }]\n      tools:'
    write('failing.yaml', yaml('failing').replace('tools:', needing))
    const { code, stderr } = await home.run('apply', '--file', 'failing.yaml')
    expect([code, stderr]).toEqual([8, expect.stringContaining('The earlier Deployment stays active.')])
  })
})
