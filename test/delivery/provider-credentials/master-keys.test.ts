/** Master keys across restarts. Source: contract 9; design 6. */
import { Database } from 'bun:sqlite'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StoreRefused } from '../../../storage/errors.ts'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import { endAll, eventually, Site, within } from '../../support/process.ts'
import { openTroupe } from '../../support/troupe.ts'
import { credentialsPath, organizationVariablesPath } from './world.ts'

const keyText = (id: string, fill: number) => `${id}:${Buffer.alloc(32, fill).toString('base64')}`
const [first, second, third] = [keyText('first', 1), keyText('second', 2), keyText('third', 3)]

describe('a restart', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'troupe-ring-'))
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  /** The key of the first start stays the owner's. */
  let ownersKey: string | undefined
  async function open(keys?: string, clock = new HandClock()) {
    const environment = { TROUPE_RUNNER: 'none', ...(keys !== undefined && { TROUPE_MASTER_KEYS: keys }) }
    const troupe = await openTroupe({ folder, clock, environment })
    const exists = (await troupe.owner.get(credentialsPath)).status === 200
    if (exists) ownersKey = troupe.key
    return { ...troupe, clock, owner: troupe.as(ownersKey as string) }
  }
  type Open = Awaited<ReturnType<typeof open>>

  const wrappedBy = ({ file }: Open) => {
    const database = new Database(file, { readonly: true })
    const rows = database
      .query<{ id: string }, []>('select master_key_id as id from data_keys union select master_key_id from canary')
      .all()
    database.close()
    return rows.map(({ id }) => id)
  }
  /** The digest of a value is made with the organization's key: it changes only with that key. */
  const digestOf = async ({ owner }: Open, name: string) => {
    const { status, body } = await owner.post(organizationVariablesPath, { name, value: 'hunter2' })
    expect(status).toBe(201)
    return body.data.valueDigest as string
  }

  test('with the same keys works, also with those in the file next to the store', async () => {
    const before = await open()
    const digest = await digestOf(before, 'BEFORE')
    await before.stop()
    expect(await readdir(folder)).toContain('troupe.db.keys')
    const after = await open()
    expect(await digestOf(after, 'AFTER')).toBe(digest)
    await after.stop()
  })

  test('with a new first key reads all secrets and wraps the data keys again; then the old key can be removed', async () => {
    const before = await open(first)
    const digest = await digestOf(before, 'BEFORE')
    await before.stop()

    const both = await open(`${second},${first}`)
    expect(await digestOf(both, 'BOTH')).toBe(digest)
    expect(wrappedBy(both)).toEqual(['first'])
    await eventually('keys wrapped by the second', () => {
      both.clock.advance(60_000)
      return wrappedBy(both).join() === 'second'
    })
    await both.stop()

    const after = await open(second)
    expect(await digestOf(after, 'AFTER')).toBe(digest)
    await after.stop()
  })

  test('without the old key is refused if it is still needed, and works with it again', async () => {
    const before = await open(first)
    const digest = await digestOf(before, 'BEFORE')
    await before.stop()
    const both = await open(`${second},${first}`)
    await both.stop()
    await expect(open(second)).rejects.toBeInstanceOf(StoreRefused)
    await expect(open(`${third},${second}`)).rejects.toBeInstanceOf(StoreRefused)
    // the store was closed again: no process holds its lock
    const after = await open(`${third},${second},${first}`)
    expect(await digestOf(after, 'AFTER')).toBe(digest)
    await after.stop()
  })
})

describe('a process', () => {
  const sites: Site[] = []
  afterAll(async () => {
    await endAll()
    for (const site of sites) await site.remove()
  })

  test.each<[string, string, RegExp]>([
    ['another key of the same id', keyText('first', 9), /^TROUPE_MASTER_KEYS: the key first is not the one/],
    ['only another key', second, /^TROUPE_MASTER_KEYS: has no key first/],
  ])('with %s does not start: one line, code 1, and the store is unchanged', async (_, keys, line) => {
    const site = await Site.create({ TROUPE_RUNNER: 'none' })
    sites.push(site)
    await (await site.start({ TROUPE_MASTER_KEYS: first })).end('SIGTERM')
    const dump = () => {
      const database = new Database(site.storePath, { readonly: true })
      const tables = database.query<{ name: string }, []>(`select name from sqlite_schema where type = 'table'`).all()
      const rows = tables.map(({ name }) => database.query(`select * from "${name}"`).all())
      database.close()
      return rows
    }
    const before = dump()
    const refused = site.spawn({ TROUPE_MASTER_KEYS: keys })
    expect(await within(refused.exited, 'an end', refused.output)).toBe(1)
    expect(refused.output()).toBe(refused.stderr())
    expect(refused.stderr().trimEnd().split('\n')).toHaveLength(1)
    expect(refused.stderr()).toMatch(line)
    expect(refused.stderr()).not.toContain(keys.split(':')[1] as string)
    expect(dump()).toEqual(before)
    expect(await (await site.start({ TROUPE_MASTER_KEYS: first })).end('SIGTERM')).toBe(0)
  })
})
