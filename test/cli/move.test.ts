/** `troupe admin move`: moves a store from a file to PostgreSQL. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { Troupe } from '@troupe/sdk'
import { say, script } from '@troupe/sdk/testing'
import { SQL } from 'bun'
import { openStore } from '../../storage/open.ts'
import { type Database, newDatabase, postgresIsInstalled } from '../support/services/postgres.ts'
import { openTroupe } from '../support/troupe.ts'
import { endCommands, type Home, openHome } from './command.ts'

const sha256 = (of: string | Uint8Array) => createHash('sha256').update(of).digest('hex')
const digestOfFile = async (file: string) => sha256(await Bun.file(file).bytes())

describe.skipIf(!postgresIsInstalled())('a store', () => {
  let home: Home
  let file: string
  let keys: string
  let database: Database
  let runId: string
  let longId: string
  let longHash: string
  const long = 'A very long text. '.repeat(40_000)

  beforeAll(async () => {
    home = await openHome({})
    database = await newDatabase()
    const server = await openTroupe({ folder: home.folder })
    const troupe = new Troupe({ baseUrl: server.url, apiKey: server.key })
    const run = await troupe.runs.start({ agent: 'agt_system_assistant', query: script(say('Before.')) })
    await run.output()
    runId = run.id
    const longOne = await troupe.runs.start({ agent: 'agt_system_assistant', query: long })
    longHash = sha256((await longOne.output()).text as string)
    longId = longOne.id
    file = server.file
    const refused = await home.run('admin', 'move', '--store', `sqlite:${file}`, '--to', database.address)
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain('is in use by another server')
    await server.stop()
    keys = (await Bun.file(`${file}.keys`).text()).trim()
  })
  afterAll(async () => {
    await endCommands()
    await database?.remove()
    await home?.remove()
  })

  const move = (to: string) => home.run('admin', 'move', '--store', `sqlite:${file}`, '--to', to, '--json')

  test('is not moved to an address that is not PostgreSQL, or to a database in use', async () => {
    expect(await move('sqlite:/tmp/elsewhere.db')).toMatchObject({ code: 1 })
    const filled = await newDatabase()
    const admin = new SQL({ url: filled.address, max: 1 })
    await admin`create table something (id int)`
    const { code, stderr } = await move(filled.address)
    expect(code).toBe(1)
    expect(stderr).toContain('is not empty: it has a table something')
    expect(stderr).toContain('--to its new database')
    expect([...(await admin`select count(*) from something`)]).toHaveLength(1)
    await admin.close()
    await filled.remove()
  })

  test('that was moved partially cannot be opened, and is moved completely the next time', async () => {
    const half = home.start(['admin', 'move', '--store', `sqlite:${file}`, '--to', database.address])
    const admin = new SQL({ url: database.address, max: 1 })
    for (;;) {
      const [row] = (await admin`select to_regclass('public.agent_steps') as steps`) as [{ steps: string | null }]
      if (row.steps !== null) break
      await Bun.sleep(5)
    }
    half.process.kill('SIGKILL')
    await half.process.exited
    await expect(openStore(database.address)).rejects.toThrow(/`troupe admin move` into it was interrupted/)
    await admin.close()
    expect(await home.run('admin', 'create-key', 'late', '--store', database.address)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('`troupe admin move` into it was interrupted'),
    })

    const before = await digestOfFile(file)
    const moved = await move(database.address)
    expect({ code: moved.code, stderr: moved.stderr }).toEqual({ code: 0, stderr: '' })
    const { tables, rows, digest, replaced } = moved.json<{
      tables: number
      rows: number
      digest: string
      replaced: 0
    }>()
    expect(tables).toBeGreaterThan(90)
    expect(rows).toBeGreaterThan(50)
    expect({ digest: /^sha256:[0-9a-f]{64}$/.test(digest), replaced }).toEqual({ digest: true, replaced: 0 })
    expect(await digestOfFile(file)).toBe(before)
  })

  test('works in its database as it did in its file', async () => {
    const server = await openTroupe({
      environment: { TROUPE_STORE: database.address, TROUPE_MASTER_KEYS: keys },
    })
    const read = await server.owner.get(`/api/v1/agent-runs/${runId}?include=output`)
    expect(read.body.data).toMatchObject({ state: 'completed', output: { text: 'Before.' } })
    // in its file that text is stored in chunks
    const { body } = await server.owner.get(`/api/v1/agent-runs/${longId}?include=output`)
    expect(sha256(body.data.output.text)).toBe(longHash)
    const troupe = new Troupe({ baseUrl: server.url, apiKey: server.key })
    const run = await troupe.runs.start({ agent: 'agt_system_assistant', query: script(say('After.')) })
    expect(await run.output()).toMatchObject({ text: 'After.' })
    await server.stop()
    expect(await move(database.address)).toMatchObject({ code: 1 })
  })
})
