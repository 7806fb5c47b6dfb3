/** The write-ahead log stays short despite long readers and killed processes. */
import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, statSync } from 'node:fs'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '../../storage/open.ts'
import { insertEffect } from '../../storage/runtime/actors.ts'
import type { Store } from '../../storage/store.ts'

const mebibyte = 1024 * 1024
/** Once the log is longer than this it restarts; later commits are appended after the restart. */
const logBytesMax = 32 * mebibyte

let folder: string
let path: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'troupe-check-points-'))
  path = join(folder, 'troupe.db')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const open = () => openStore(`sqlite:${path}`)
const logBytes = () => statSync(`${path}-wal`).size
/** This many 4 KiB pages may wait in the log: they are copied with the next commit. */
const waitingMax = 1_000
const large = JSON.stringify('x'.repeat(mebibyte))

let made = 0
async function commitMebibytes(store: Store, count: number) {
  for (let each = 0; each < count; each += 1) {
    const id = `effect-${made++}`
    await store.commit([
      insertEffect(store, { id, kind: 'note', actor_id: 'a', name: 'n', params: large, due_at: 1, attempts: 0 }),
    ])
  }
}

async function pagesInLog(store: Store): Promise<{ log: number; waiting: number }> {
  const sql = 'pragma wal_checkpoint(noop)'
  const row = await store.first<{ log: number; checkpointed: number }>({ sql, parameters: [] })
  const { log, checkpointed } = row ?? { log: 0, checkpointed: 0 }
  return { log, waiting: log - checkpointed }
}

async function until(isSo: () => boolean | Promise<boolean>) {
  while (!(await isSo())) await Bun.sleep(10)
}

const stored = (database: Database) =>
  database
    .query<{ id: string }, []>('select id from effects')
    .all()
    .map(({ id }) => id)

test('commits are copied into the database in the background, not by the commit itself', async () => {
  const store = await open()
  const settings = await store.first<object>({ sql: 'pragma wal_autocheckpoint', parameters: [] })
  expect(Object.values(settings ?? {})).toEqual([0])
  // a slow machine copies the first pages before the last are written, and leaves the rest waiting
  for (const count of [5, 3]) {
    await commitMebibytes(store, count)
    await until(async () => (await pagesInLog(store)).waiting < waitingMax)
  }
  expect(statSync(path).size).toBeGreaterThan(4 * mebibyte)
  await store.close()
})

test('a check that finds nothing to copy does not stop later checks', async () => {
  const store = await open()
  await commitMebibytes(store, 1)
  // a check runs a tenth of a second after a commit: wait until it has run
  await Bun.sleep(300)
  await commitMebibytes(store, 8)
  await until(async () => (await pagesInLog(store)).waiting < waitingMax)
  await store.close()
})

test('the log restarts when it is long, and its file is truncated', async () => {
  const store = await open()
  await commitMebibytes(store, 48)
  await until(async () => logBytes() <= logBytesMax && (await pagesInLog(store)).log < 8_000)
  expect(stored(new Database(path, { readonly: true }))).toHaveLength(48)
  await store.close()
})

test('the log of a store that is opened by a link is restarted in the background too', async () => {
  const links = await mkdtemp(join(tmpdir(), 'troupe-check-points-links-'))
  await (await open()).close()
  await symlink(path, join(links, 'linked.db'))
  const store = await openStore(`sqlite:${join(links, 'linked.db')}`)
  await commitMebibytes(store, 48)
  await until(async () => logBytes() <= logBytesMax && (await pagesInLog(store)).log < 8_000)
  const settings = await store.first<object>({ sql: 'pragma wal_autocheckpoint', parameters: [] })
  expect(Object.values(settings ?? {})).toEqual([0])
  await store.close()
  await rm(links, { recursive: true })
})

test('an open reader keeps the log only as long as it reads', async () => {
  const store = await open()
  await commitMebibytes(store, 1)
  const reader = new Database(path, { readonly: true })
  reader.run('begin')
  const seen = stored(reader)
  await commitMebibytes(store, 48)
  expect(stored(reader)).toEqual(seen)
  expect(logBytes()).toBeGreaterThan(logBytesMax)
  reader.run('rollback')
  reader.close()
  await until(() => logBytes() <= logBytesMax)
  await commitMebibytes(store, 1)
  await store.close()
})

test('close leaves an empty log while another process has the file open', async () => {
  const store = await open()
  await commitMebibytes(store, 2)
  const other = new Database(path, { readonly: true })
  stored(other)
  await store.close()
  expect(logBytes()).toBe(0)
  expect(stored(other)).toHaveLength(2)
  other.close()
})

test('close during a checkpoint loses nothing', async () => {
  const store = await open()
  await commitMebibytes(store, 40)
  // checks are a tenth of a second apart: one is due
  await until(() => statSync(path).size > mebibyte)
  await Promise.all([commitMebibytes(store, 1), commitMebibytes(store, 1), store.close()])
  expect(existsSync(`${path}-wal`)).toBe(false)
  expect(stored(new Database(path, { readonly: true }))).toHaveLength(42)
})

test('a server that is killed while the log is copied keeps every acknowledged commit', async () => {
  const program = join(import.meta.dir, 'engines/committer.ts')
  const child = Bun.spawn([process.execPath, program, `sqlite:${path}`, 'killed', '100000'], { stdout: 'pipe' })
  // copying has begun and is still under way
  let output = ''
  const listening = (async () => {
    for await (const piece of child.stdout) output += Buffer.from(piece).toString()
  })()
  await until(() => child.exitCode !== null || (existsSync(path) && statSync(path).size > 4 * mebibyte))
  expect(child.exitCode).toBeNull()
  child.kill('SIGKILL')
  await Promise.all([child.exited, listening])
  const acknowledged = output.split('\n').slice(0, -1)
  expect(acknowledged.length).toBeGreaterThan(8)

  const store = await open()
  const kept = new Set(stored(new Database(path, { readonly: true })))
  expect(acknowledged.filter((id) => !kept.has(id))).toEqual([])
  const sound = await store.first<object>({ sql: 'pragma integrity_check', parameters: [] })
  expect(Object.values(sound ?? {})).toEqual(['ok'])
  await store.close()
})
