/** What the process does with settings, and the master keys that it finds. Source: contract 9, "Configuration". */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { version } from '../../../package.json'
import type { Config } from '../../../src/config.ts'
import { Secret } from '../../../src/platform/operating/secret.ts'
import {
  deriveKey,
  type KeyRing,
  keyFileOf,
  loadMasterKeys,
  parseKeyRing,
} from '../../../src/platform/secrets/keyring.ts'
import { helpText } from '../../../src/server/command-line.ts'

const key = (byte: number) => Buffer.alloc(32, byte).toString('base64')

describe('the process', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'troupe-config-'))
    await Bun.write(
      join(folder, 'start.ts'),
      `import { configure } from ${JSON.stringify(join(import.meta.dir, '../../../src/server/command-line.ts'))}
       configure(process.argv.slice(2), process.env)
       console.log('started')`,
    )
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  const run = async (args: string[], env: Record<string, string>) => {
    const child = Bun.spawn([process.execPath, join(folder, 'start.ts'), ...args], {
      env,
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
    return { code: await child.exited, stdout, stderr }
  }

  test('ends with code 1 and one line for an invalid setting', async () => {
    expect(await run([], { TROUPE_RUNNER_SLOTS: 'abc' })).toEqual({
      code: 1,
      stdout: '',
      stderr: 'TROUPE_RUNNER_SLOTS: must be an integer from 1 to 4096, not "abc"\n',
    })
  })
  test('ends with code 1 in production without master keys', async () => {
    expect(await run([], { NODE_ENV: 'production' })).toEqual({
      code: 1,
      stdout: '',
      stderr: 'TROUPE_MASTER_KEYS: is required in production, as k1:$(openssl rand -base64 32)\n',
    })
  })
  test('starts with a warning about unknown settings', async () => {
    expect(await run([], { TROUPE_TYPO: 'x' })).toEqual({
      code: 0,
      stdout: 'started\n',
      stderr: 'TROUPE_TYPO is not a setting of this program, and ignored; see bun src/main.ts --help\n',
    })
  })
  test('refuses an unknown argument, with code 2 and one line', async () => {
    expect(await run(['--help', '--prot=1'], {})).toEqual({
      code: 2,
      stdout: '',
      stderr: '"--prot=1" is not an argument of this program; see bun src/main.ts --help\n',
    })
  })
  test('prints its version', async () => {
    expect(await run(['--version'], { PORT: 'bad' })).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
  })
  test('prints the table for --help', async () => {
    expect(await run(['--help'], {})).toEqual({ code: 0, stdout: helpText(), stderr: '' })
  })
})

describe('master keys', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'troupe-keys-'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  const settings = (
    store: string,
    environment: Config['environment'] = 'development',
    masterKeys: string | null = null,
  ) => ({
    store,
    environment,
    masterKeys: masterKeys === null ? null : new Secret(masterKeys),
  })
  const bytes = (ring: KeyRing) => Buffer.from(ring.primary.key).toString('base64')

  test('are a ring, of which the first one encrypts', () => {
    const ring = parseKeyRing(` new:${key(2)}, old:${key(1)} `)
    expect(ring.primary.id).toBe('new')
    expect([...ring.keys.keys()]).toEqual(['new', 'old'])
    expect(bytes(ring)).toBe(key(2))
  })

  const bad = [
    '',
    'a',
    'a:',
    `:${key(1)}`,
    `a:${Buffer.alloc(31).toString('base64')}`,
    `a:${Buffer.alloc(33).toString('base64')}`,
    `a:${key(1)},`,
    `a:${key(1)},a:${key(2)}`,
    `a b:${key(1)}`,
  ]
  test.each(bad)('are refused without being repeated: %p', (text) => {
    const caught = (() => {
      try {
        return parseKeyRing(text)
      } catch (error) {
        return error as Error
      }
    })() as Error
    expect(caught.name).toBe('InvalidSetting')
    expect(caught.message).toStartWith('TROUPE_MASTER_KEYS: ')
    expect(caught.message).not.toContain(key(1))
  })

  test('are generated once, in a file next to the store that only its owner can read', async () => {
    const store = `sqlite:${join(folder, 'deep', 'troupe.db')}`
    const first = loadMasterKeys(settings(store))
    const path = keyFileOf(store)!
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect(bytes(loadMasterKeys(settings(store)))).toBe(bytes(first))
    expect(await readdir(join(folder, 'deep'))).toEqual(['troupe.db.keys'])
  })

  test('two stores have two keys, and a store in memory has no file', () => {
    const one = loadMasterKeys(settings(`sqlite:${join(folder, 'one.db')}`))
    const two = loadMasterKeys(settings(`sqlite:${join(folder, 'two.db')}`))
    expect(bytes(one)).not.toBe(bytes(two))
    expect(keyFileOf('sqlite::memory:')).toBeNull()
    expect(loadMasterKeys(settings('sqlite::memory:')).primary.key).toHaveLength(32)
  })

  test('are required in production and with PostgreSQL', () => {
    expect(() => loadMasterKeys(settings('sqlite:./x.db', 'production'))).toThrow('TROUPE_MASTER_KEYS: is required')
    expect(() => loadMasterKeys(settings('postgres://db/x'))).toThrow('TROUPE_MASTER_KEYS: is required')
    expect(bytes(loadMasterKeys(settings('postgres://db/x', 'production', `a:${key(9)}`)))).toBe(key(9))
  })

  test('derived keys differ by label and by master key, and are deterministic', () => {
    const ring = parseKeyRing(`a:${key(1)}`)
    const hex = (label: string, of = ring) => Buffer.from(deriveKey(of, label)).toString('hex')
    expect(hex('cursors')).toMatch(/^[0-9a-f]{64}$/)
    expect(hex('cursors')).toBe(hex('cursors'))
    expect(hex('cursors')).not.toBe(hex('attempt-tokens'))
    expect(hex('cursors')).not.toBe(hex('cursors', parseKeyRing(`a:${key(2)}`)))
    expect(hex('cursors')).not.toBe(Buffer.from(ring.primary.key).toString('hex'))
  })
})
