import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StoreUnavailable } from '../../storage/errors.ts'
import { openStore } from '../../storage/open.ts'
import { dueTimers, insertTimer } from '../../storage/runtime/actors.ts'
import type { Store } from '../../storage/store.ts'

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

/** Root may write anywhere, so the following runs as `nobody`. */
const asNobody = process.getuid?.() === 0 ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : []
const canBeNobody = asNobody.length === 0 || Bun.which('setpriv') !== null

describe.skipIf(!canBeNobody)('without the right to write', () => {
  const attempt = async () => {
    const program = `
      import { openStore } from ${JSON.stringify(join(import.meta.dir, '../../storage/open.ts'))}
      await openStore('sqlite:${path}').then(() => console.log('opened'), (error) => console.log(error.name + ': ' + error.message))`
    const script = join(folder, 'attempt.ts')
    await writeFile(script, program)
    const child = Bun.spawn([...asNobody, process.execPath, script], {
      stdout: 'pipe',
      env: { ...process.env, HOME: folder, BUN_RUNTIME_TRANSPILER_CACHE_PATH: '0' },
    })
    return (await new Response(child.stdout).text()).trim()
  }

  test('to the folder: refused', async () => {
    await chmod(folder, 0o555)
    expect(await attempt()).toMatch(
      /^StoreRefused: The store .+ cannot be opened: The store is (impossible to open|read-only)/,
    )
    await chmod(folder, 0o755)
  })
  test('to the file: refused', async () => {
    const store = await open()
    await store.close()
    await chmod(folder, 0o777)
    await chmod(`${path}.lock`, 0o666)
    await chmod(path, 0o444)
    expect(await attempt()).toMatch(/^StoreRefused: .+The store is read-only/)
  })
})

describe('a full disk', () => {
  const wide = 'x'.repeat(4_000)

  /** Fills the store until it refuses more; returns the committed ids. */
  async function fill(store: Store, prefix: string): Promise<{ committed: string[]; refusal: unknown }> {
    const committed: string[] = []
    for (let index = 0; index < 10_000; index += 1) {
      const id = `${prefix}${index}`
      try {
        await store.commit([timer(store, id), timer(store, id, wide)])
        committed.push(id)
      } catch (refusal) {
        return { committed, refusal }
      }
    }
    throw new Error('The store never became full.')
  }
  const twiceEach = (ids: string[]) => ids.flatMap((id) => [id, id]).toSorted()

  test('rejects with StoreUnavailable, keeps the stored data, and continues when there is room', async () => {
    const store = await open()
    const pages = Number(Object.values((await pragma(store, 'page_count')) ?? {})[0])
    await pragma(store, `max_page_count = ${pages + 20}`)
    const { committed, refusal } = await fill(store, 'a')
    expect(refusal).toBeInstanceOf(StoreUnavailable)
    expect(String(refusal)).toContain('out of disk space')
    expect((await stored(store)).toSorted()).toEqual(twiceEach(committed))
    await store.ping()
    await pragma(store, `max_page_count = ${pages + 1_000}`)
    await store.commit([timer(store, 'b'), timer(store, 'b', wide)])
    expect((await stored(store)).toSorted()).toEqual(twiceEach([...committed, 'b']))
    await store.close()
  })

  test('accepts units that still fit', async () => {
    const store = await open()
    const pages = Number(Object.values((await pragma(store, 'page_count')) ?? {})[0])
    await pragma(store, `max_page_count = ${pages + 20}`)
    const large = Array.from({ length: 100 }, (_, index) => timer(store, 'large', `${index}${wide}`))
    const results = await Promise.allSettled([
      store.commit([timer(store, 'one')]),
      store.commit(large),
      store.commit([timer(store, 'two')]),
    ])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect((await stored(store)).toSorted()).toEqual(['one', 'two'])
    await store.close()
  })

  const mount = (...words: string[]) => Bun.spawnSync(words).exitCode === 0
  const disk = process.getuid?.() === 0 ? join(tmpdir(), `troupe-disk-${process.pid}`) : undefined
  const mounted = disk !== undefined && mount('sh', '-c', `mkdir -p ${disk} && mount -t tmpfs -o size=3m tmpfs ${disk}`)

  test.skipIf(!mounted)('survives a truly full disk, also across a restart', async () => {
    const place = disk as string
    try {
      const file = join(place, 'troupe.db')
      let store = await open(file)
      const { committed, refusal } = await fill(store, 'a')
      expect(refusal).toBeInstanceOf(StoreUnavailable)
      expect(committed.length).toBeGreaterThan(5)
      expect((await stored(store)).toSorted()).toEqual(twiceEach(committed))
      expect(mount('mount', '-o', 'remount,size=16m', place)).toBe(true)
      await store.commit([timer(store, 'b'), timer(store, 'b', wide)])
      await store.close()
      store = await open(file)
      expect((await stored(store)).toSorted()).toEqual(twiceEach([...committed, 'b']))
      await store.close()
    } finally {
      mount('umount', '-l', place)
      await rm(place, { recursive: true, force: true })
    }
  })
})
