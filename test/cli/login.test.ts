/** Signing in: profiles, keys, and errors. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { statSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openTroupe, ownerEmail, ownerPassword, type Troupe as Server } from '../support/troupe.ts'
import { endCommands, type Home, openHome } from './command.ts'

let server: Server
let home: Home

beforeAll(async () => {
  server = await openTroupe()
  home = await openHome()
})
afterAll(async () => {
  await endCommands()
  await server?.stop()
  await home?.remove()
})

const config = () => join(home.folder, '.config/troupe/config.json')

describe('login', () => {
  test('stores a key that only its user can read, and later commands use it', async () => {
    const signedIn = await home.start(['login', '--url', `${server.url}/`, '--key', '-'], { input: `${server.key}\n` })
      .ended
    expect(signedIn).toMatchObject({ code: 0, stdout: expect.stringContaining('organization default') })
    expect(statSync(config()).mode & 0o777).toBe(0o600)
    const who = await home.run('whoami', '--json')
    expect(who.json()).toMatchObject({
      url: server.url,
      organizations: [{ slug: 'default' }],
      key: { id: expect.stringMatching(/^key_/), projectId: null, expiresAt: expect.any(String) },
    })
    expect((await home.run('profiles')).stdout).toContain(server.url)
  })

  test('creates a key with a password, under the named profile', async () => {
    const words = ['login', '--url', server.url, '--email', ownerEmail, '--profile', 'owner']
    const signedIn = await home.start(words, { input: `${ownerPassword}\n` }).ended
    expect(signedIn).toMatchObject({ code: 0, stderr: expect.stringContaining('Created the API key key_') })
    expect((await home.run('whoami', '--profile', 'owner')).code).toBe(0)
    const wrong = await home.start(words, { input: 'not the password' }).ended
    expect(wrong).toMatchObject({ code: 3, stdout: '' })
    expect(wrong.stderr).not.toContain('Sign in with')
  })

  test('creates a key via a page in any browser, once a person has approved it', async () => {
    const going = home.start(['login', '--browser', '--url', server.url, '--profile', 'browser'])
    const [, code = ''] = await going.says(/approve the code ([A-Z-]+)\./)
    expect(going.said()).toContain(`/device?code=${code}`)
    const approved = await server.owner.post(`/api/v1/device-authorizations/${code}/approve`, { operations: ['*'] })
    expect(approved.status).toBe(204)
    const ended = await going.ended
    expect(ended).toMatchObject({ code: 0, stderr: expect.stringContaining('Created the API key key_') })
    expect((await home.run('whoami', '--profile', 'browser')).code).toBe(0)
  })

  test('keeps a profile that another command has stored while it waited', async () => {
    const going = home.start(['login', '--browser', '--url', server.url, '--profile', 'patient'])
    const [, code = ''] = await going.says(/approve the code ([A-Z-]+)\./)
    const words = ['login', '--key', server.key, '--url', server.url, '--profile', 'meanwhile']
    expect((await home.run(...words)).code).toBe(0)
    await server.owner.post(`/api/v1/device-authorizations/${code}/approve`, { operations: ['*'] })
    expect((await going.ended).code).toBe(0)
    const profiles = (await home.run('profiles', '--json')).json<{ name: string; current: boolean }[]>()
    expect(profiles).toContainEqual(expect.objectContaining({ name: 'meanwhile', current: false }))
    expect(profiles).toContainEqual(expect.objectContaining({ name: 'patient', current: true }))
  })

  test('exits when a person denies it, or on Ctrl-C, and stores nothing', async () => {
    const before = await readFile(config(), 'utf8')
    const denied = home.start(['login', '--browser', '--url', server.url])
    const interrupted = home.start(['login', '--browser', '--url', server.url])
    const [, code = ''] = await denied.says(/approve the code ([A-Z-]+)\./)
    await interrupted.says(/approve the code/)
    interrupted.process.kill('SIGINT')
    await server.owner.post(`/api/v1/device-authorizations/${code}/deny`)
    expect((await denied.ended).code).toBe(3)
    expect((await interrupted.ended).code).not.toBe(0)
    expect(await readFile(config(), 'utf8')).toBe(before)
  })

  test('stores nothing when the server rejects the key', async () => {
    const before = await readFile(config(), 'utf8')
    const wrong = `trp_${'0'.repeat(49)}`
    const refused = await home.run('login', '--url', server.url, '--key', wrong)
    expect(refused.code).toBe(3)
    expect(await readFile(config(), 'utf8')).toBe(before)
  })

  test('sends a stored key to its own server only', async () => {
    const seen: (string | null)[] = []
    const other = Bun.serve({
      port: 0,
      fetch: (request) => {
        seen.push(request.headers.get('authorization'))
        return new Response('', { status: 404 })
      },
    })
    const { code, stderr } = await home.run('whoami', '--url', `http://localhost:${other.port}`)
    await other.stop(true)
    expect({ code, seen }).toEqual({ code: 3, seen: [] })
    expect(stderr).toContain('Not signed in')
  })

  test.each([
    [['login', '--url', 'ftp://x', '--key', 'trp_x'], 2, /not the address of a server/],
    [['login', '--key', 'secret'], 2, /not an API key/],
    [['login'], 2, /no terminal/],
    [['whoami', '--profile', 'nobody'], 2, /no profile nobody/],
    [['profiles', 'use', 'nobody'], 2, /no profile nobody/],
  ])('%p exits with %d', async (words, exit, message) => {
    const { code, stderr } = await home.run(...words)
    expect(code).toBe(exit)
    expect(stderr).toMatch(message)
  })

  test('explains how to fix an invalid configuration file', async () => {
    const kept = await readFile(config(), 'utf8')
    await writeFile(config(), '{"profiles": []')
    const { code, stderr } = await home.run('whoami')
    await writeFile(config(), kept)
    expect(code).toBe(2)
    expect(stderr).toContain(config())
  })

  test("accepts the SDK's environment variable for the key too", async () => {
    const environment = { TROUPE_KEY: server.key, TROUPE_URL: server.url }
    expect((await home.start(['whoami'], { environment }).ended).code).toBe(0)
    // if both are set, the command line's own is used
    const both = { ...environment, TROUPE_API_KEY: `${server.key.slice(0, -1)}!` }
    expect((await home.start(['whoami'], { environment: both }).ended).code).toBe(3)
  })

  test('exits with 7 if there is no server, or another service responds', async () => {
    const environment = { TROUPE_API_KEY: server.key, TROUPE_URL: 'http://127.0.0.1:9' }
    const away = await home.start(['whoami'], { environment }).ended
    expect(away).toMatchObject({ code: 7, stdout: '' })
    expect(away.stderr).toContain('troupe dev')
    const asked = await home.start(['api', '/organizations'], { environment }).ended
    expect([asked.code, asked.stderr]).toEqual([7, expect.stringMatching(/cannot be reached: \w+/)])
    // the output is on a full disk
    const program = ['sh', '-c', '"$@" > /dev/full', 'sh', ...home.commandLine]
    const full = await home.start(['profiles'], { program }).ended
    expect([full.code, full.stderr]).toEqual([1, expect.stringContaining('The output cannot be written: ENOSPC')])
    const other = Bun.serve({ port: 0, fetch: () => new Response('<html>', { status: 404 }) })
    const strange = await home.start(['whoami'], { environment: { ...environment, TROUPE_URL: other.url.href } }).ended
    await other.stop(true)
    expect(strange.stderr).toContain('Is http://localhost')
  })

  test('logout deletes the profile', async () => {
    expect((await home.run('logout')).code).toBe(0)
    expect((await home.run('whoami')).code).toBe(3)
  })
})

describe('keys', () => {
  const environment = () => ({ TROUPE_URL: server.url, TROUPE_API_KEY: server.key })
  const run = (...words: string[]) => home.start(words, { environment: environment() }).ended

  test('are created, listed and revoked', async () => {
    const made = (
      await run('keys', 'create', 'ci', '--allow', 'agent-runs:get,projects:list', '--days', '3', '--json')
    ).json<{
      id: string
      secret: string
      operations: string[]
    }>()
    expect(made.operations.toSorted()).toEqual(['agent-runs:get', 'projects:list'])
    expect((await run('keys', 'list')).stdout).toContain(made.id)

    const weak = { TROUPE_URL: server.url, TROUPE_API_KEY: made.secret }
    const forbidden = await home.start(['keys', 'list'], { environment: weak }).ended
    expect(forbidden.code).toBe(4)
    expect(forbidden.stderr).toMatch(/lacks the permission [\w-]+:/)

    expect((await run('keys', 'revoke', made.id)).code).toBe(0)
    expect((await home.start(['whoami'], { environment: weak }).ended).code).toBe(3)
    expect((await run('keys', 'list')).stdout).not.toContain(made.id)
    expect((await run('keys', 'list', '--all')).stdout).toContain(made.id)
  })

  test('require permissions and a lifetime', async () => {
    expect((await run('keys', 'create', 'ci')).code).toBe(2)
    expect((await run('keys', 'create', 'ci', '--allow', '*', '--days', '0')).code).toBe(2)
    const unknown = await run('keys', 'create', 'ci', '--allow', 'nonsense')
    expect(unknown.code).toBe(6)
    expect(unknown.stderr).toContain('/body/operations')
  })
})

describe('the program', () => {
  test('writes JSON errors with --json, also about the command line', async () => {
    const { code, stderr } = await home.run('keys', 'lst', '--json')
    expect(code).toBe(2)
    expect(JSON.parse(stderr).error).toMatchObject({ code: 'usage' })
  })

  test('prints no colours without a terminal, unless forced', async () => {
    const plain = await home.run('whoami')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours start with this character
    const colour = /\u001b\[/
    expect(plain.stderr).not.toMatch(colour)
    expect((await home.start(['whoami'], { environment: { FORCE_COLOR: '1' } }).ended).stderr).toMatch(colour)
  })

  test.each(['bash', 'zsh', 'fish'])('completes its commands in %s', async (shell) => {
    const { code, stdout } = await home.run('complete', shell)
    expect(code).toBe(0)
    if (Bun.which(shell)) {
      const checked = Bun.spawn([shell, '-n'], { stdin: new Blob([stdout]), stderr: 'pipe' })
      expect(await checked.exited).toBe(0)
    }
    expect((await home.run('complete', '--', 'runs', 'l')).stdout).toContain('list')
  })
})
