/**
 * Several moves in one unit of work store the same as one by one: of every kind, the journal, the projections, the
 * counts and the events. Source: design 3, rules 4 and 5.
 */
import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { charts } from '../../machines/charts/all.ts'
import { integrationKind } from '../../src/accounts/integrations/actor.ts'
import { entityKind } from '../../src/automation/entities/actor.ts'
import { readConfig } from '../../src/config.ts'
import { createLogger } from '../../src/platform/operating/logger.ts'
import { readFrames } from '../../src/runs/stream/stored-frames.ts'
import { Actors } from '../../src/runtime/actors.ts'
import { begin } from '../../src/runtime/decisions/decide.ts'
import { compile } from '../../src/runtime/decisions/table.ts'
import type { AnyKind, Effect } from '../../src/runtime/kind.ts'
import { type Core, openCore } from '../../src/server/core.ts'
import { environmentKind } from '../../src/tenancy/environments/actor.ts'
import { movesOf } from '../../storage/runtime/journal.ts'
import type { StoredMoves } from '../../storage/tables.ts'
import { bootstrapKey, ownerPassword, putUsedStore } from '../support/stores/used-store.ts'
import { at, type Case, clock, type Loose, place } from './moves.ts'
import { cases } from './moves-of-kinds.ts'

let folder: string
let count = 0
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'troupe-moves-'))
  await mkdir(join(folder, 'first'))
  await putUsedStore(fileIn(join(folder, 'first')), clock)
  // its keys are created when it is first opened
  await close(await openIn(join(folder, 'first')))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

function withDatabase<Result>(file: string, work: (database: Database) => Result): Result {
  const database = new Database(file)
  try {
    // a row of each table, with placeholder references and values
    database.run('pragma foreign_keys = off')
    database.run('pragma ignore_check_constraints = on')
    return work(database)
  } finally {
    database.close()
  }
}

const fileIn = (own: string) => join(own, 'troupe.db')

/** The kinds of the server, without any work in progress. */
async function openIn(own: string): Promise<Core> {
  const { config } = readConfig({
    PORT: '0',
    TROUPE_STORE: `sqlite:${fileIn(own)}`,
    TROUPE_OWNER_PASSWORD: ownerPassword,
    TROUPE_BOOTSTRAP_API_KEY: bootstrapKey,
    TROUPE_RUNNER: 'none',
  })
  return openCore({
    config,
    logger: createLogger('silent'),
    clock,
    listeningUrl: () => 'http://localhost',
  })
}

async function close({ leases, store }: Core) {
  await leases.close()
  await store.close()
}

interface Column {
  name: string
  type: string
  notnull: number
  pk: number
}

function plant(database: Database, table: string, given: Loose) {
  const columns = database.query<Column, []>(`pragma table_info(${table})`).all()
  const planted = ({ name, type, notnull, pk }: Column) => {
    if (name in given) return given[name]
    if (!notnull && !pk) return null
    return type.toLowerCase() === 'text' ? 'x' : 0
  }
  const names = columns.map(({ name }) => `"${name}"`).join(', ')
  const places = columns.map(() => '?').join(', ')
  database.query(`insert into ${table} (${names}) values (${places})`).run(...columns.map(planted))
}

test('no kind is left out', () => {
  expect([...new Set(cases.map(({ kind }) => kind))].sort()).toEqual(charts.map(({ machine }) => machine.id).sort())
})

/** A store with the actor, on which nothing works. */
async function prepare({ kind, table, input, row = {}, context: more, beside = [] }: Case): Promise<string> {
  const own = join(folder, `${kind}-${++count}`)
  await cp(join(folder, 'first'), own, { recursive: true })
  withDatabase(fileIn(own), (database) => {
    const { id: organization } = database.query<{ id: string }, []>('select id from organizations').get()!
    const inPlace = (columns: Loose) =>
      'organization_id' in columns ? { ...columns, organization_id: organization } : columns
    plant(database, 'projects', inPlace({ id: 'prj_x', organization_id: '', status: 'active' }))
    if (table !== 'environments') {
      plant(database, 'environments', inPlace({ id: 'env_x', ...place, state: 'active', context: '{}' }))
    }
    for (const [name, columns] of beside) plant(database, name, inPlace(columns))
    const chart = charts.find(({ machine }) => machine.id === kind)!
    const { state, context } = begin(compile(chart.machine), input)
    const first = kind === 'entity' ? 'open' : state
    const id = kind === 'subscription' ? {} : { id: 'actor_x' }
    const stored = {
      ...place,
      state: first,
      version: 1,
      machine_version: '1',
      context: JSON.stringify({ ...context, ...more }),
    }
    plant(database, table, inPlace({ ...stored, created_at: at, updated_at: at, ...id, ...row }))
  })
  return own
}

const quiet = (effect: Effect): Effect =>
  effect === 'inCommit' ? effect : 'hint' in effect ? { hint: () => {} } : { durable: async () => {} }
const withoutEffects = (kind: AnyKind): AnyKind => ({
  ...kind,
  effects: Object.fromEntries(Object.entries(kind.effects).map(([name, effect]) => [name, quiet(effect)])),
})

/** Sends the events, and returns everything that is stored in the end. */
async function play(given: Case, own: string, atOnce: boolean): Promise<Loose> {
  const file = fileIn(own)
  const core = await openIn(own)
  try {
    const { attempts, invocations, deploymentWork, deliveryWork, recoveryWork, jobWork, workflowWork, removal } = core
    const works = [attempts, invocations, deploymentWork, deliveryWork, recoveryWork, jobWork, workflowWork, removal]
    const kinds: AnyKind[] = [...works.map(({ kind }) => kind), core.billing.work.kind]
    kinds.push(
      environmentKind,
      integrationKind,
      entityKind,
      core.workerCalls.kind,
      core.applyWork.kind,
      core.alertWork.kind,
      core.bulkWork.kind,
    )
    const actors = new Actors({ store: core.store, clock, kinds: kinds.map(withoutEffects), random: () => 0.5 })
    const owner = withDatabase(
      file,
      (database) => database.query<{ id: string }, []>('select id from organizations').get()!,
    )
    const address = { kind: given.kind, id: given.kind === 'subscription' ? owner.id : 'actor_x' }
    // so that a batch begins with an existing actor
    expect(await actors.read(address)).toBeDefined()
    if (atOnce) {
      let commits = 0
      const { commit } = core.store
      core.store.commit = (unit) => {
        commits += 1
        return commit.call(core.store, unit)
      }
      await Promise.all(given.events.map((event) => actors.send(address, event)))
      expect(commits).toBe(1)
    } else for (const event of given.events) await actors.send(address, event)
    expect((await actors.read(address))?.state).toBe(given.state)
  } finally {
    await close(core)
  }
  return withDatabase(file, dump)
}

/** Columns that depend on how the moves were committed. */
const grouping = new Set(['version', 'counted_bytes', 'stored_bytes'])

function dump(database: Database): Loose {
  const tables = database
    .query<{ name: string }, []>("select name from sqlite_master where type = 'table' and name not like 'sqlite_%'")
    .all()
  const rows = Object.fromEntries(
    tables.map(({ name }) => {
      // a state that was passed through is counted as zero, or not at all
      const which = name === 'actor_counts' ? 'where count <> 0' : ''
      const found = database.query<Loose, []>(`select * from "${name}" ${which}`).all()
      // frames of one stream, and moves of one journal, however they are grouped
      const entries =
        name === 'run_events'
          ? found.flatMap(({ frames }) => readFrames(frames as string))
          : name === 'transitions'
            ? movesOf(found as unknown as StoredMoves[])
            : found
      return [name, (entries as Loose[]).map((row) => (Array.isArray(row) ? row : without(row)))]
    }),
  )
  // generated ids differ; equal ids must be equal in both
  const names = new Map<string, string>()
  const text = JSON.stringify(rows).replace(
    /\b(?:[a-z]{3}_[0-9a-z]{26}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b/g,
    (id) => {
      const known = names.get(id) ?? `id ${names.size}`
      names.set(id, known)
      return known
    },
  )
  return JSON.parse(text)
}

const without = (row: Loose) => Object.fromEntries(Object.entries(row).filter(([column]) => !grouping.has(column)))

test.each(cases)('$kind, to $state: the stored data is the same', async (given) => {
  const [apart, together] = [await prepare(given), await prepare(given)]
  const before = withDatabase(fileIn(apart), dump)
  const expected = await play(given, apart, false)
  const found = await play(given, together, true)
  expect(expected).not.toEqual(before)
  for (const table of Object.keys(expected)) expect({ [table]: found[table] }).toEqual({ [table]: expected[table] })
})
