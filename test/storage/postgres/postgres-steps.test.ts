/**
 * Units of work that PostgreSQL commits together: one statement for many rows, and the handling of a unit that fails.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { LimitReached } from '../../../storage/bounds.ts'
import { StaleWrite, UniqueViolation } from '../../../storage/errors.ts'
import { openStore } from '../../../storage/open.ts'
import { countRunsWithin, findRunCounts } from '../../../storage/runs/run-counts.ts'
import { deleteTimers, insertTimer, listTimers } from '../../../storage/runtime/actors.ts'
import { insertTransitions } from '../../../storage/runtime/journal.ts'
import type { Store, Write } from '../../../storage/store.ts'
import { type Database, newDatabase, postgresIsInstalled } from '../../support/services/postgres.ts'

const kind = 'note'

describe.skipIf(!postgresIsInstalled())('units that are committed together', () => {
  let database: Database
  let store: Store
  beforeAll(async () => {
    database = await newDatabase()
    store = await openStore(database.address)
    const sql = `insert into organizations (id, slug, name, kind, status, created_at, updated_at)
      values ('org_1', 'one', 'One', 'team', 'active', 1, 1)`
    await store.commit([{ sql, parameters: [] }])
  })
  afterAll(async () => {
    await store?.close()
    await database?.remove()
  })

  const move = (actorId: string, sequence = 1, type = 'begin'): Write =>
    insertTransitions(store, [
      {
        kind,
        actor_id: actorId,
        sequence,
        from_state: null,
        to_state: 'open',
        event: type,
        by_type: 'system',
        by_id: 'test',
        attempt: 0,
        reason: null,
        at: 2 ** 52,
        stream_sequence: null,
      },
    ])[0]!
  const timer = (actorId: string, name = 'due') =>
    insertTimer(store, { kind, actor_id: actorId, name, due_at: 2 ** 52 + 1 })
  const committed = (units: readonly (readonly Write[])[]) =>
    Promise.all(
      units.map((unit) =>
        store.commit(unit, 'org_1').then(
          () => 'committed' as const,
          (error: unknown) => error,
        ),
      ),
    )
  const namesOf = async (actorId: string) =>
    (await store.all(listTimers(store, { kind, actorId }))).map(({ name, due_at }) => [name, due_at])
  const eventsOf = (actorId: string) =>
    store.db.selectFrom('transitions').select('event').where('actor_id', '=', actorId).orderBy('sequence').execute()

  /** Waits until the multi-row statements are known. */
  const warm = async () => {
    await committed(
      Array.from({ length: 4 }, (_, at) => [
        move(`warm-${at}`),
        timer(`warm-${at}`),
        deleteTimers(store, { kind, actorId: `warm-${at}` }),
      ]),
    )
  }

  test('keep their own order each, also with statements in between that the others lack', async () => {
    await warm()
    const before = store.statistics.transactions
    const units = Array.from({ length: 40 }, (_, at) => [
      move(`order-${at}`),
      timer(`order-${at}`, 'early'),
      ...(at % 2 === 0 ? [move(`order-${at}`, 2, 'go on')] : []),
      deleteTimers(store, { kind, actorId: `order-${at}` }),
      timer(`order-${at}`, 'late'),
    ])
    expect(new Set(await committed(units))).toEqual(new Set(['committed']))
    expect(store.statistics.transactions - before).toBeLessThan(5)
    for (let at = 0; at < 40; at += 1) {
      expect(await namesOf(`order-${at}`)).toEqual([['late', 2 ** 52 + 1]])
      expect(await eventsOf(`order-${at}`)).toHaveLength(at % 2 === 0 ? 2 : 1)
    }
  })

  test('fail alone, each with its own reason', async () => {
    await warm()
    await store.commit([timer('taken')], 'org_1')
    const stale: Write = { ...deleteTimers(store, { kind, actorId: 'nobody' }), rows: 1 }
    const units = Array.from({ length: 20 }, (_, at) =>
      at === 3 || at === 11
        ? [move(`fail-${at}`), timer('taken')]
        : at === 7
          ? [move(`fail-${at}`), timer(`fail-${at}`), stale]
          : [move(`fail-${at}`), timer(`fail-${at}`)],
    )
    const outcomes = await committed(units)
    expect(outcomes.filter((outcome) => outcome === 'committed')).toHaveLength(17)
    expect(outcomes[3]).toBeInstanceOf(UniqueViolation)
    expect(outcomes[11]).toBeInstanceOf(UniqueViolation)
    expect(outcomes[7]).toBeInstanceOf(StaleWrite)
    for (let at = 0; at < 20; at += 1)
      expect(await eventsOf(`fail-${at}`)).toHaveLength([3, 7, 11].includes(at) ? 0 : 1)
  })

  test('are checked against a bound one by one', async () => {
    const units = Array.from({ length: 16 }, () => [
      countRunsWithin(store, { organization_id: 'org_1', live_runs: 1, stored_bytes: 10 }, 5),
    ])
    const outcomes = await committed(units)
    expect(outcomes.filter((outcome) => outcome === 'committed')).toHaveLength(5)
    expect(outcomes.filter((outcome) => outcome instanceof LimitReached)).toHaveLength(11)
    expect(await store.first(findRunCounts(store, { organizationId: 'org_1' }))).toEqual({
      live_runs: 5,
      stored_bytes: 50,
    })
  })

  test('store texts unchanged', async () => {
    await warm()
    const texts = [
      '"quoted" \\ back',
      "it's",
      'line\nbreak\ttab',
      'ä 😀 \u2028',
      '{"json": [null, 1]}',
      'half \ud83d pair',
      '$1',
    ]
    const units = texts.map((text, at) => [move(`text-${at}`, 1, text)])
    expect(new Set(await committed(units))).toEqual(new Set(['committed']))
    for (const [at, text] of texts.entries())
      expect(await eventsOf(`text-${at}`)).toEqual([{ event: text.toWellFormed() }])
  })
})
