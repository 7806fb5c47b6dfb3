/** A server that must not start says so in one line. Source: contract 9, "Configuration"; design 6. */
import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { endAll, Site, within } from '../../support/process.ts'
import { inState, start } from '../../support/run-records.ts'

const sites: Site[] = []
const newSite = async () => {
  const site = await Site.withoutStore()
  sites.push(site)
  return site
}
afterAll(async () => {
  await endAll()
  for (const site of sites) await site.remove()
})

/** The only line of a server that fails to start. */
async function refusal(site: Site, environment: Record<string, string> = {}): Promise<string> {
  const process_ = site.spawn(environment)
  const code = await within(process_.exited, 'an end', process_.output)
  expect({ code, lines: process_.output().trimEnd().split('\n').length }).toEqual({ code: 1, lines: 1 })
  expect(process_.stderr().trimEnd()).toBe(process_.output().trimEnd())
  return process_.stderr().trimEnd()
}

test('a second server on the same store is refused, and does not disturb the first one', async () => {
  const site = await newSite()
  const first = await site.start()
  expect(await refusal(site)).toMatch(/in use by another server/)
  await inState(first.client, (await start(first.client, '/say still here')).id, 'completed')
  expect(await first.end('SIGTERM')).toBe(0)
})

test('the store of a newer program is refused and unchanged', async () => {
  const site = await newSite()
  await (await site.start()).end('SIGTERM')
  const database = new Database(site.storePath)
  database.run(
    "insert into kysely_migration (name, timestamp) values ('9999-from-the-future', '2099-01-01T00:00:00.000Z')",
  )
  const dump = () => database.query('select name from kysely_migration union all select sql from sqlite_schema').all()
  const before = dump()
  expect(await refusal(site)).toMatch(/newer than this program.*9999-from-the-future/)
  expect(dump()).toEqual(before)
  database.close()
})

test('a file that is not a database is refused and unchanged', async () => {
  const site = await newSite()
  await writeFile(site.storePath, 'This is a letter, not a database.'.repeat(100))
  expect(await refusal(site)).toMatch(/troupe\.db cannot be opened/)
  expect(await Bun.file(site.storePath).text()).toStartWith('This is a letter')
})

test.each(['a file', 'a folder'])('nothing is left beside %s that is no store, and it keeps its mode', async (what) => {
  const site = await newSite()
  if (what === 'a folder') await mkdir(site.storePath)
  else await writeFile(site.storePath, 'Dear Ada')
  await chmod(site.storePath, 0o755)
  const before = await readdir(dirname(site.storePath))
  expect(await refusal(site)).toMatch(/troupe\.db cannot be opened/)
  expect(await readdir(dirname(site.storePath))).toEqual(before)
  expect((await stat(site.storePath)).mode & 0o777).toBe(0o755)
})

test.each(['delete', 'wal'])(
  'the database of another program is refused and untouched, in journal mode %s',
  async (mode) => {
    const site = await newSite()
    const database = new Database(site.storePath)
    database.run(`pragma journal_mode = ${mode}`)
    database.run('create table notes (id integer primary key, text text)')
    database.close()
    await chmod(site.storePath, 0o644)
    const folder = dirname(site.storePath)
    const state = async () => ({
      files: await readdir(folder),
      modes: await Promise.all([folder, site.storePath].map(async (path) => (await stat(path)).mode)),
      bytes: await Bun.file(site.storePath).bytes(),
    })
    const before = await state()
    expect(await refusal(site)).toMatch(/the database of another program: it has a table notes/)
    expect(await state()).toEqual(before)
  },
)

test('a store that is a folder is refused', async () => {
  const site = await newSite()
  await mkdir(site.storePath)
  expect(await refusal(site)).toMatch(/cannot be opened/)
})

describe('an invalid setting is refused in a line that names it, and nothing is created', () => {
  const rows: [string, string][] = [
    ['PORT', 'eighty'],
    ['TROUPE_STORE', 'mysql://localhost/troupe'],
    ['TROUPE_RUNNER', 'sometimes'],
    ['TROUPE_RUNNER_SLOTS', '0'],
    ['TROUPE_LEASE_TTL_MS', '-1'],
    ['TROUPE_BOOTSTRAP_API_KEY', 'trp_hunter2'],
    ['TROUPE_MASTER_KEYS', 'hunter2'],
    ['TROUPE_RUNNER_TOKEN', 'hunter2'],
    ['TROUPE_PLATFORM_PROVIDER', 'oracle'],
    ['LOG_LEVEL', 'loud'],
  ]
  const lines = new Map<string, { line: string; site: Site }>()
  beforeAll(async () => {
    const tell = async ([name, value]: [string, string]) => {
      const site = await newSite()
      lines.set(name, { line: await refusal(site, { [name]: value }), site })
    }
    await Promise.all(rows.slice(0, 5).map(tell))
    await Promise.all(rows.slice(5).map(tell))
  })
  test.each(rows)('%s=%s', (name) => {
    const { line, site } = lines.get(name) as { line: string; site: Site }
    expect(line).toStartWith(name)
    expect(line).not.toContain('hunter2')
    expect(existsSync(site.storePath)).toBe(false)
  })
})

test('production without master keys is refused', async () => {
  expect(await refusal(await newSite(), { NODE_ENV: 'production' })).toMatch(/^TROUPE_MASTER_KEYS/)
})

test.each(['SIGTERM', 'SIGKILL'] as const)(
  'a store whose generated keys are missing or malformed is refused, and no others are generated; after %s',
  async (signal) => {
    const site = await newSite()
    await (await site.start()).end(signal)
    const keyFile = `${site.storePath}.keys`
    const keys = await Bun.file(keyFile).text()
    await rm(keyFile)
    expect(await refusal(site)).toContain(`the file ${keyFile} with the keys of this store is missing`)
    expect(existsSync(keyFile)).toBe(false)
    await writeFile(keyFile, 'local:hunter2')
    expect(await refusal(site)).toBe(`${keyFile}: must be a comma list of keyId:base64 of 32 bytes`)
    await writeFile(keyFile, keys)
    expect(await (await site.start()).end('SIGTERM')).toBe(0)
  },
)
