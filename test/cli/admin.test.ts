/** `troupe admin` on the store of a running server. */

import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { copyFile, mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Troupe } from '@troupe/sdk'
import { say, script } from '@troupe/sdk/testing'
import { openTroupe, ownerEmail, ownerPassword, type Troupe as Server } from '../support/troupe.ts'
import { endCommands, type Home, openHome } from './command.ts'

let server: Server
let home: Home
let troupe: Troupe

beforeAll(async () => {
  server = await openTroupe()
  home = await openHome({ TROUPE_STORE: `sqlite:${server.file}` })
  troupe = new Troupe({ baseUrl: server.url, apiKey: server.key })
})
afterAll(async () => {
  await endCommands()
  await server?.stop()
  await home?.remove()
})

const signIn = (password: string) =>
  new Troupe({ baseUrl: server.url, apiKey: null }).sessions.create({ email: ownerEmail, password })

describe('backup', () => {
  test('is one consistent file from which another server can start', async () => {
    const run = await troupe.runs.start({ agent: 'agt_system_assistant', query: script(say('Before.')) })
    await run.output()
    // commits continue during the backup
    const busy = Promise.all(
      Array.from({ length: 20 }, () =>
        troupe.runs.start({ agent: 'agt_system_assistant', query: script(say('Meanwhile.')) }),
      ),
    )
    const file = join(home.folder, 'backup.db')
    const made = await home.run('admin', 'backup', file, '--json')
    await busy
    expect(made).toMatchObject({ code: 0, stderr: '' })
    const { mode, size } = await stat(file)
    expect({ mode: mode & 0o777, json: made.json() }).toEqual({ mode: 0o600, json: { file, bytes: size } })

    const folder = join(home.folder, 'restored')
    await mkdir(folder)
    await copyFile(file, join(folder, 'troupe.db'))
    await copyFile(`${server.file}.keys`, join(folder, 'troupe.db.keys'))
    const restored = await openTroupe({ folder })
    const read = await restored.owner.get(`/api/v1/agent-runs/${run.id}?include=output`)
    await restored.stop()
    expect(read.body.data).toMatchObject({ state: 'completed', output: { text: 'Before.' } })
  })

  test('overwrites nothing, and leaves nothing behind when it fails', async () => {
    const there = join(home.folder, 'there.db')
    await writeFile(there, 'something else')
    const before = await readdir(home.folder)
    expect((await home.run('admin', 'backup', there)).stderr).toContain('overwrites nothing')
    const nowhere = await home.run('admin', 'backup', join(home.folder, 'no/such/folder.db'))
    expect(nowhere).toMatchObject({ code: 1, stdout: '' })
    expect(nowhere.stderr).toContain('its folder is not there')
    expect(await Bun.file(there).text()).toBe('something else')
    expect(await readdir(home.folder)).toEqual(before)
  })

  test('reports a full disk, and leaves no file there', async () => {
    const before = await readdir(home.folder)
    // limits the file size below that of the store
    const limited = Bun.spawn(
      [
        'bash',
        '-c',
        'ulimit -f 64; trap "" XFSZ; exec "$@"',
        'bash',
        ...home.commandLine,
        'admin',
        'backup',
        join(home.folder, 'full.db'),
      ],
      { env: home.environment, stdout: 'pipe', stderr: 'pipe' },
    )
    const said = await new Response(limited.stderr).text()
    expect(await limited.exited).toBe(1)
    expect(said).toMatch(/full\.db was not written: .*(full|disk)/)
    expect(await readdir(home.folder)).toEqual(before)
  })

  test.each([
    ['troupe.db', /not one that this version can open; use sqlite:PATH/],
    ['', /There is no store at .*data\/troupe\.db/],
    ['sqlite::memory:', /in memory/],
    ['postgres://localhost/troupe', /pg_dump/],
    ['sqlite:./nothing.db', /There is no store/],
  ])('of %s is rejected', async (store, message) => {
    const { code, stderr } = await home.run('admin', 'backup', 'x.db', '--store', store)
    expect(code).toBe(1)
    expect(stderr).toMatch(message)
  })
})

describe('reset-password', () => {
  test('sets a new password and ends the sessions', async () => {
    const cookie = await fetch(`${server.url}/api/auth/sessions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: ownerEmail, password: ownerPassword }),
    }).then((answer) => answer.headers.getSetCookie()[0]?.split(';')[0] as string)
    const isSignedIn = async () => (await fetch(`${server.url}/api/auth/session`, { headers: { cookie } })).ok
    expect(await isSignedIn()).toBe(true)

    const reset = await home.run('admin', 'reset-password', ownerEmail, '--json')
    const { password } = reset.json<{ password: string }>()
    expect(password.length).toBeGreaterThan(20)
    await signIn(password)
    await expect(signIn(ownerPassword)).rejects.toMatchObject({ status: 401 })
    while (await isSignedIn()) await Bun.sleep(50)

    const [organization] = (await troupe.organizations.list()).items
    const { items } = await troupe.organizations.listAuditEvents({ organizationIdOrSlug: organization!.id })
    expect(items).toContainEqual(
      expect.objectContaining({ operation: 'resetPassword', actor: { type: 'server', id: 'operator' } }),
    )
  })

  test('reports a missing account', async () => {
    const { code, stderr } = await home.run('admin', 'reset-password', 'nobody@example.com')
    expect(code).toBe(5)
    expect(stderr).toContain('nobody@example.com')
  })
})

describe('create-key', () => {
  test('creates a key that the server accepts immediately', async () => {
    const { secret } = (await home.run('admin', 'create-key', 'lost', '--json')).json<{ secret: string }>()
    expect((await new Troupe({ baseUrl: server.url, apiKey: secret }).organizations.list()).items).toHaveLength(1)
    const weak = (await home.run('admin', 'create-key', 'weak', '--allow', 'agent-runs:get', '--json')).json<{
      secret: string
    }>()
    await expect(new Troupe({ baseUrl: server.url, apiKey: weak.secret }).apiKeys.list()).rejects.toMatchObject({
      status: 403,
    })
  })

  test('rejects an unknown permission and an invalid name', async () => {
    expect((await home.run('admin', 'create-key', 'x', '--allow', 'nonsense')).code).toBe(6)
    expect((await home.run('admin', 'create-key', ' ')).code).toBe(6)
  })
})

describe('check', () => {
  test('reports a store in use as valid', async () => {
    const { code, json } = await home.run('admin', 'check', '--json')
    expect({ code, problems: json<{ problems: string[] }>().problems }).toEqual({ code: 0, problems: [] })
  })

  test('of an older store tells what the next start migrates, and it can be backed up before an upgrade', async () => {
    const older = join(home.folder, 'older.db')
    expect((await home.run('admin', 'backup', older)).code).toBe(0)
    const database = new Database(older)
    const { name } = database.query<{ name: string }, []>('select max(name) as name from kysely_migration').get()!
    database.run('delete from kysely_migration where name = ?', [name])
    database.close()
    const checked = await home.run('admin', 'check', '--store', `sqlite:${older}`)
    expect({ code: checked.code, stdout: checked.stdout.trim() }).toEqual({
      code: 0,
      stdout: `${older} is sound. The next start of the server migrates it: ${name}.`,
    })
    const { json } = await home.run('admin', 'check', '--store', `sqlite:${older}`, '--json')
    expect(json()).toEqual({ store: older, problems: [], pending: [name] })
    const copy = join(home.folder, 'older-copy.db')
    expect((await home.run('admin', 'backup', copy, '--store', `sqlite:${older}`)).code).toBe(0)
  })

  test('tells a newer store from a damaged one', async () => {
    const file = join(home.folder, 'newer.db')
    expect((await home.run('admin', 'backup', file)).code).toBe(0)
    const database = new Database(file)
    database.run("insert into kysely_migration (name, timestamp) values ('9999_future', '')")
    database.close()
    const newer = await home.run('admin', 'check', '--store', `sqlite:${file}`)
    expect(newer.code).toBe(8)
    expect(newer.stderr).toContain('is of a newer version; nothing else is wrong with it')

    // its first pages, without those that follow
    const broken = join(home.folder, 'broken.db')
    await writeFile(broken, (await Bun.file(file).bytes()).subarray(0, 256 * 1024))
    const damaged = await home.run('admin', 'check', '--store', `sqlite:${broken}`)
    expect(damaged.code).toBe(8)
    expect(damaged.stdout.trim()).not.toBe('')
    expect(damaged.stderr).toContain(`${broken} is damaged.`)
  })

  test('reports dangling references, unknown migrations, and files that are not a store', async () => {
    const damaged = join(home.folder, 'damaged.db')
    expect((await home.run('admin', 'backup', damaged)).code).toBe(0)
    const database = new Database(damaged)
    database.run('pragma foreign_keys = off')
    database.run("update memberships set user_id = 'usr_nobody'")
    database.run("insert into kysely_migration (name, timestamp) values ('9999_future', '')")
    database.close()
    const found = await home.run('admin', 'check', '--store', `sqlite:${damaged}`)
    expect(found.code).toBe(8)
    expect(found.stdout).toMatch(/of memberships refers to a row of users/)
    expect(found.stdout).toMatch(/9999_future/)
    expect((await home.run('admin', 'create-key', 'x', '--store', `sqlite:${damaged}`)).stderr).toMatch(
      /newer than this program/,
    )

    const other = join(home.folder, 'notes.txt')
    await writeFile(other, 'not a database '.repeat(100))
    const unread = await home.run('admin', 'check', '--store', `sqlite:${other}`)
    expect(unread.code).toBe(1)
    expect(unread.stderr).toContain(`${other} is not a SQLite database`)
  })
})
