/** Behavior specific to SQLite: its settings, its file and damage to that file. */

import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, truncateSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StoreRefused, StoreUnavailable } from '../../storage/errors.ts'
import { openBeside, openStore } from '../../storage/open.ts'
import { dueTimers, insertTimer } from '../../storage/runtime/actors.ts'
import { openSqlite } from '../../storage/sqlite/store.ts'
import type { Store, Write } from '../../storage/store.ts'

let folder: string
let path: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'troupe-sqlite-'))
  path = join(folder, 'troupe.db')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const open = (file = path) => openStore(`sqlite:${file}`)
const timer = (store: Store, id: string, name = 'due') =>
  insertTimer(store, { kind: 'note', actor_id: id, name, due_at: 1 })
const stored = async (store: Store) =>
  (await store.all(dueTimers(store, { now: 9, limit: 1_000_000 }))).map(({ actor_id }) => actor_id)
const pragma = (store: Store, name: string) =>
  store.first<Record<string, unknown>>({ sql: `pragma ${name}`, parameters: [] })

async function hold(role: 'server' | 'writer') {
  const program = join(import.meta.dir, 'engines/holder.ts')
  const child = Bun.spawn([process.execPath, program, role, path], { stdin: 'pipe', stdout: 'pipe', stderr: 'inherit' })
  await child.stdout.getReader().read()
  return {
    end: async (how: 'kill' | 'leave') => {
      if (how === 'kill') child.kill('SIGKILL')
      else child.stdin.end()
      await child.exited
    },
  }
}

test('a condition shared by concurrent units holds for each of them', async () => {
  const store = await open()
  const asked = (ids: string[]): Write => ({
    sql: `update timers set due_at = due_at where actor_id in (${ids.map(() => '?')})`,
    parameters: ids,
    rows: 0,
    once: ids.join(),
  })
  const units = [
    [asked(['x', 'y']), timer(store, 'a')],
    [timer(store, 'x')],
    [asked(['x', 'y']), timer(store, 'b')],
    [asked(['y']), timer(store, 'c')],
  ]
  const outcomes = await Promise.allSettled(units.map((unit) => store.commit(unit)))
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
  expect((await stored(store)).sort()).toEqual(['a', 'c', 'x'])
  await Promise.all(['d', 'e', 'f'].map((id) => store.commit([asked(['y']), timer(store, id)])))
  expect((await stored(store)).sort()).toEqual(['a', 'c', 'd', 'e', 'f', 'x'])
  await store.close()
})

describe('settings', () => {
  test.each([
    ['journal_mode', 'wal'],
    // 2 is full: every commit is synced.
    ['synchronous', 2],
    ['foreign_keys', 1],
  ])('%s is %p', async (name, value) => {
    const store = await open()
    expect(Object.values((await pragma(store, name)) ?? {})).toEqual([value])
    await store.close()
  })
  test('the file says whose it is, also one of before stores did', async () => {
    const idOf = async () => Buffer.from(await Bun.file(path).slice(68, 72).bytes()).toString()
    await (await open()).close()
    expect(await idOf()).toBe('Trpe')
    const earlier = new Database(path)
    earlier.run('pragma application_id = 0')
    earlier.close()
    await (await open()).close()
    expect(await idOf()).toBe('Trpe')
  })

  test('a missing folder is created', async () => {
    const store = await open(join(folder, 'some', 'where', 'troupe.db'))
    await store.ping()
    await store.close()
    expect(existsSync(join(folder, 'some', 'where', 'troupe.db'))).toBe(true)
  })
  test('two stores in memory are independent', async () => {
    const [one, other] = [await open(':memory:'), await open(':memory:')]
    await one.commit([timer(one, 'a')])
    expect([await stored(one), await stored(other)]).toEqual([['a'], []])
    await Promise.all([one.close(), other.close()])
  })
  test('close leaves one complete file', async () => {
    const store = await open()
    await store.commit([timer(store, 'a')])
    await store.close()
    expect(existsSync(`${path}-wal`)).toBe(false)
  })
})

describe('one server owns the file', () => {
  test('a second server is refused, also in the same process', async () => {
    const store = await open()
    await expect(open()).rejects.toBeInstanceOf(StoreRefused)
    await expect(open()).rejects.toThrow(/is in use by another server/)
    await store.commit([timer(store, 'a')])
    await store.close()
    const next = await open()
    expect(await stored(next)).toEqual(['a'])
    await next.close()
  })
  test('a second server is refused by whichever link it opens the file', async () => {
    const elsewhere = join(folder, 'elsewhere')
    await mkdir(elsewhere)
    const link = join(elsewhere, 'linked.db')
    await symlink(path, link)
    for (const [one, other] of [
      [link, path],
      [path, link],
    ]) {
      const store = await open(one)
      await expect(open(other)).rejects.toThrow(/is in use by another server/)
      await store.close()
    }
  })
  test('another process locks us out until it dies, however it dies', async () => {
    for (const how of ['kill', 'leave'] as const) {
      const other = await hold('server')
      await expect(open()).rejects.toThrow(/is in use by another server/)
      await other.end(how)
      const store = await open()
      await store.close()
    }
  })
  test('a refused start releases its resources', async () => {
    await writeFile(path, 'not a database, but long enough to be taken for the first page of something'.repeat(20))
    await expect(open()).rejects.toBeInstanceOf(StoreRefused)
    await rm(path)
    const store = await open()
    await store.close()
  })
})

describe('another connection holds the lock', () => {
  test('briefly: commits wait for it, and nothing else does', async () => {
    const store = openSqlite({ path, busyTimeoutMs: 60_000 })
    await store.commit([{ sql: 'create table notes (id integer primary key)', parameters: [] }])
    const other = await hold('writer')
    let answered = 0
    const commits = [1, 2, 3].map((id) =>
      store.commit([{ sql: 'insert into notes values (?)', parameters: [id] }]).then(() => {
        answered += 1
      }),
    )
    // Many turns of the event loop, in which reads are answered.
    for (let turn = 0; turn < 20; turn += 1) {
      await new Promise((resolve) => setTimeout(resolve, 1))
      expect(await store.all({ sql: 'select id from notes', parameters: [] })).toEqual([])
    }
    expect(answered).toBe(0)
    await other.end('kill')
    await Promise.all(commits)
    expect(await store.all<{ id: number }>({ sql: 'select id from notes', parameters: [] })).toHaveLength(3)
    await store.close()
  })
  test('longer than the busy timeout: StoreUnavailable, and it works again afterwards', async () => {
    const store = openSqlite({ path, busyTimeoutMs: 60 })
    await store.commit([{ sql: 'create table notes (id integer primary key)', parameters: [] }])
    const other = await hold('writer')
    const results = await Promise.allSettled(
      [1, 2].map((id) => store.commit([{ sql: 'insert into notes values (?)', parameters: [id] }])),
    )
    for (const result of results) {
      expect(result.status === 'rejected' && result.reason).toBeInstanceOf(StoreUnavailable)
      expect(String(result.status === 'rejected' && result.reason)).toContain('locked by another process')
    }
    await other.end('kill')
    await store.commit([{ sql: 'insert into notes values (3)', parameters: [] }])
    expect(await store.all<{ id: number }>({ sql: 'select id from notes', parameters: [] })).toEqual([{ id: 3 }])
    await store.close()
  })
  test('while we close: waiting units are rejected', async () => {
    const store = openSqlite({ path })
    await store.commit([{ sql: 'create table notes (id integer primary key)', parameters: [] }])
    const other = await hold('writer')
    const commit = store.commit([{ sql: 'insert into notes values (1)', parameters: [] }])
    const outcome = commit.catch((refusal: unknown) => refusal)
    await store.close()
    expect(await outcome).toBeInstanceOf(StoreUnavailable)
    expect(String(await outcome)).toContain('closing')
    await other.end('kill')
  })
})

describe('an invalid file is refused with a one-line message for the operator', () => {
  const refused = async (message: RegExp) => {
    const opening = open()
    await expect(opening).rejects.toBeInstanceOf(StoreRefused)
    await expect(opening).rejects.toThrow(message)
  }
  test('garbage', async () => {
    await writeFile(path, Buffer.alloc(8_192, 'garbage '))
    await refused(/cannot be opened: The store is not a database/)
  })
  test('a truncated store', async () => {
    const store = await open()
    await store.commit([timer(store, 'a')])
    await store.close()
    const { size } = await stat(path)
    truncateSync(path, size - 8_192)
    await refused(/The store is damaged/)
  })
  test('a store whose first page is damaged', async () => {
    const store = await open()
    await store.close()
    const bytes = new Uint8Array(await Bun.file(path).arrayBuffer())
    bytes.fill(0xff, 100, 4_096)
    await writeFile(path, bytes)
    await refused(/The store is damaged/)
  })
  test('a folder', async () => {
    await mkdir(path)
    await refused(/cannot be opened/)
  })
  test('a path below a file', async () => {
    await writeFile(path, '')
    await expect(open(join(path, 'troupe.db'))).rejects.toThrow(/The store's folder .+ cannot be created/)
  })
  test('the database of another program is left unchanged', async () => {
    const other = new Database(path)
    other.run('create table runs (id text)')
    other.run("insert into runs values ('theirs')")
    other.close()
    const bytes = await Bun.file(path).bytes()
    await refused(/the database of another program: it has a table runs\./)
    await expect(openBeside(`sqlite:${path}`)).rejects.toThrow(/the database of another program/)
    expect(await Bun.file(path).bytes()).toEqual(bytes)
  })
  test('the database of another program, which has it open', async () => {
    const other = new Database(path)
    other.run('pragma journal_mode = wal')
    other.run('create table runs (id text)')
    const before = await readdir(folder)
    await refused(/the database of another program: it has a table runs\./)
    expect(await readdir(folder)).toEqual(before)
    other.close()
  })
})
