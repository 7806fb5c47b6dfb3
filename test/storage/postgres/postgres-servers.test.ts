/** Several servers that write to one store in PostgreSQL. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { Dispatcher } from '../../../src/events/deliveries/dispatcher.ts'
import { WebhookTrials } from '../../../src/events/webhooks/trial.ts'
import type { Caller } from '../../../src/platform/http/guard/caller.ts'
import { WriteProof } from '../../../src/platform/operating/write-proof.ts'
import { systemClock } from '../../../src/platform/time/clock.ts'
import type { Actors } from '../../../src/runtime/actors.ts'
import { allWork } from '../../../src/runtime/work-share.ts'
import { openStore } from '../../../storage/open.ts'
import { openPostgres } from '../../../storage/postgres/store.ts'
import { dueTimers, insertTimer } from '../../../storage/runtime/actors.ts'
import { slotOf } from '../../../storage/slots.ts'
import { stateCounts } from '../../../storage/state-counts.ts'
import type { Query, Store } from '../../../storage/store.ts'
import { eventually } from '../../support/process.ts'
import { type Database, newDatabase, postgresIsInstalled } from '../../support/services/postgres.ts'

const timer = (store: Store, actorId: string) =>
  insertTimer(store, { kind: 'note', actor_id: actorId, name: 'due', due_at: 2 ** 52 })
const stored = async (store: Store) =>
  (await store.all(dueTimers(store, { now: Number.MAX_SAFE_INTEGER, limit: 10_000 }))).map(({ actor_id }) => actor_id)
interface Plan {
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  Plans?: Plan[]
}
/** The rows that the nodes of a plan have read. */
const rowsRead = (plan: Plan): number =>
  ((plan['Actual Rows'] ?? 0) + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops'] +
  (plan.Plans ?? []).reduce((sum, part) => sum + rowsRead(part), 0)
const refusal = (address: string) => openPostgres(address, { waitMs: 100 }).then(String, (error) => error)

describe.skipIf(!postgresIsInstalled())('a store in PostgreSQL with several writing servers', () => {
  let own: Database
  let stores: [Store, Store]
  let other: SQL
  /** Watches while `other` is reserved. */
  let admin: SQL
  beforeAll(async () => {
    own = await newDatabase()
    stores = [await openStore(own.address, undefined, 'beside'), await openStore(own.address, undefined, 'beside')]
    other = new SQL({ url: own.address, max: 1 })
    admin = new SQL({ url: own.address, max: 1 })
  })
  afterAll(async () => {
    await other?.close()
    await admin?.close()
    await Promise.all(stores?.map((store) => store.close()) ?? [])
    await own?.remove()
  })

  /** Runs `work` the way another server would, in the middle of a transaction. */
  const meanwhile = async (lock: string, work: () => Promise<unknown>) => {
    const held = await other.reserve()
    await held.unsafe('begin')
    await held.unsafe(lock)
    try {
      await work()
    } finally {
      await held.unsafe('rollback')
      held.release()
    }
  }

  test('units of one organization wait for each other, but not for those of other organizations', async () => {
    let isCommitted = false
    let waiting: Promise<void> | undefined
    await meanwhile("select pg_advisory_xact_lock(hashtextextended('org_1', 0))", async () => {
      waiting = stores[0].commit([timer(stores[0], 'of-1')], 'org_1').then(() => {
        isCommitted = true
      })
      await Promise.all(
        stores
          .flatMap((store, place) =>
            // some of them share the lane of the first one, and are committed after it
            ['org_2', 'org_3', null].map((scope) => store.commit([timer(store, `of-${scope}-${place}`)], scope)),
          )
          .slice(3),
      )
      expect(isCommitted).toBe(false)
    })
    await waiting
    expect(await stored(stores[1])).toContain('of-1')
  })

  test('units of different organizations do not wait for each other to count runs by state', async () => {
    const run = (name: string, state: string) => `insert into runs (id, organization_id, agent_id, agent_revision_id,
        created_by_type, created_by_id, state, version, machine_version, context, binding, input_digest,
        runtime_version, retention_expires_at, available_at, last_activity_kind, last_activity_at, created_at,
        updated_at)
      values ('${name}', 'org_${name}', 'agt', 'arv', 'user', 'usr', '${state}', 1, '1', '{}', '{}', '', '1', 0, 0,
        '', 0, 0, 0)`
    const unit = (sql: string) => [{ sql, parameters: [], rows: 1 }]
    await meanwhile(run('count-1', 'queued'), () => stores[0].commit(unit(run('count-2', 'queued')), 'org_count-2'))
    await stores[1].commit(unit("update runs set state = 'running' where id = 'count-2'"), 'org_count-2')
    await stores[0].commit(unit(run('count-3', 'queued')), 'org_count-3')
    await stores[0].commit(unit("delete from runs where id = 'count-2'"), 'org_count-2')
    const counts = await stateCounts(stores[1], 'runs')
    expect([...counts].filter(([, count]) => count !== 0)).toEqual([['queued', 1]])
  })

  test('a unit that fails because of another unit fails once that one is committed', async () => {
    const [store] = stores
    const committed: string[] = []
    const commit = async (names: string[]) => {
      await store.commit(
        names.map((name) => timer(store, name)),
        'org_1',
      )
      committed.push(names.join())
    }
    const outcome = (work: Promise<void>) =>
      work.then(
        () => 'made',
        (error) => `${error.name} behind ${committed.join(' ')}`,
      )
    // all of them in one transaction, as they were submitted in one turn
    expect(
      await Promise.all([['x'], ['y', 'x'], ['y'], ['z'], ['z', 'y']].map((names) => outcome(commit(names)))),
    ).toEqual(['made', 'UniqueViolation behind x y z', 'made', 'made', 'UniqueViolation behind x y z'])
  })

  test('units do not wait for each other to prove that they can write', async () => {
    const row = 'insert into readiness (id, proved_at) values (1, 1) on conflict (id) do update set proved_at = 1'
    await meanwhile(row, () => new WriteProof({ store: stores[0], clock: { now: () => 1 } }).check())
  })

  test('a unit of no organization waits for all others', async () => {
    let isCommitted = false
    let waiting: Promise<void> | undefined
    await meanwhile('select pg_advisory_xact_lock_shared(1414680645, 0)', async () => {
      waiting = stores[0].commit([timer(stores[0], 'of-all')]).then(() => {
        isCommitted = true
      })
      await eventually('a wait for the lock', async () => {
        const [{ waiting }] = await admin`select count(*)::int as waiting from pg_locks join pg_database
          on pg_database.oid = pg_locks.database
          where datname = ${new URL(own.address).pathname.slice(1)} and locktype = 'advisory' and not granted`
        return waiting === 1
      })
      expect(isCommitted).toBe(false)
    })
    await waiting
    expect(await stored(stores[1])).toContain('of-all')
  })

  test('a test event of a webhook does not wait for commits of other organizations', async () => {
    const webhook = { id: 'whk_1', project_id: 'prj_1', environment_id: 'env_1', enabled: 1 }
    const created: unknown[] = []
    const trials = new WebhookTrials({
      store: stores[0],
      clock: systemClock,
      actors: {
        create: async (address: unknown) => {
          created.push(address)
          throw new Error('The event is recorded.')
        },
      },
      webhooks: { find: async () => webhook },
      deliveryWork: { retentionMs: 1, traceInRequest: () => null },
    } as never)
    const caller = { organizationId: 'org_1', principal: { type: 'user', id: 'usr_1' } } as Caller
    // without its Project, whose foreign key is not checked
    await admin.unsafe('set session_replication_role = replica')
    await admin.unsafe(`insert into environments (id, organization_id, project_id, kind, name, state, version,
        machine_version, context, generation, head_revision_id, head_number, created_at, updated_at)
      values ('env_1', 'org_1', 'prj_1', 'preview', 'Preview', 'active', 1, '1', '{}', 0, 'cfr_1', 0, 1, 1)`)
    await meanwhile('select pg_advisory_xact_lock_shared(1414680645, 0)', async () => {
      await expect(trials.send(caller, {} as never, () => [])).rejects.toThrow('The event is recorded.')
    })
    expect(created).toHaveLength(1)
  })

  test('a unit that must find no conflicting row sees what another server has committed', async () => {
    // "closed" must be absent when a unit is admitted, like a run in a Project that is being deleted
    const notClosed = (name: string) => ({
      sql: "update timers set due_at = due_at where kind = 'closed' and actor_id = $1",
      parameters: [name],
      rows: 0,
    })
    const numbered = (kind: string, name: string) => ({
      sql: 'insert into timers (kind, actor_id, name, due_at) select $1, $2, $3, count(*) from timers where actor_id = $2',
      parameters: [kind, name, kind],
      rows: 1,
    })
    const [first, second] = stores
    // long enough for the other server to come in between
    const slow = { sql: 'select pg_sleep(0.3)', parameters: [] }
    const admitting = first.commit([notClosed('guarded'), slow, numbered('admitted', 'guarded')], 'org_4')
    const isSleeping = () =>
      other`select 1 from pg_stat_activity where query like 'select pg_sleep(0.3)%' and pid <> pg_backend_pid()`
    await Promise.race([admitting, eventually('the first unit', async () => (await isSleeping()).length > 0)])
    await Promise.all([admitting, second.commit([numbered('closed', 'guarded')], 'org_4')])
    const late = await other`select actor_id from timers as admitted where kind = 'admitted' and exists
      (select 1 from timers as closed where closed.kind = 'closed' and closed.actor_id = admitted.actor_id
        and closed.due_at <= admitted.due_at)`
    expect([...late]).toEqual([])
  })

  test('a server without Redis is refused while servers with Redis have the store open', async () => {
    expect((await refusal(own.address)).message).toMatch(/in use by another server; several servers need REDIS_URL/)
  })

  test('a server does not read the waiting deliveries of webhooks that belong to another one', async () => {
    const [theirs, count] = ['whk_of_another_server', 1_000]
    // without their webhook, whose foreign key is not checked
    await admin.unsafe('set session_replication_role = replica')
    await admin.unsafe(`insert into deliveries (id, organization_id, project_id, environment_id, webhook_id, event_id,
        event_type, event_sequence, event_at, state, version, machine_version, context, attempts, due_at,
        attempt_history, created_at, updated_at)
      select 'dlv_' || n, 'org_1', 'prj_1', 'env_1', '${theirs}', 'evt_' || n, 'run.created', n, 1, 'pending', 1, '1',
        '{}', 0, 1, '[]', 1, 1 from generate_series(1, ${count}) as n`)
    const asked: Query<unknown>[] = []
    const [store] = stores
    const watched = new Proxy(store, {
      get(target, name) {
        const value = Reflect.get(target, name, target) as unknown
        if (name !== 'all' && name !== 'first') return value
        return (query: Query<unknown>) => {
          asked.push(query)
          return (value as (query: Query<unknown>) => Promise<unknown>).call(target, query)
        }
      },
    })
    const owns = (id: string) => slotOf(id) !== slotOf(theirs)
    const slots = allWork.slots.filter((slot) => slot !== slotOf(theirs))
    const dispatcher = new Dispatcher({
      store: watched,
      clock: systemClock,
      members: { ...allWork, living: new Set(['one', 'other']), slots, owns },
      actors: { subscribe: () => () => {} } as unknown as Actors,
      eventsUntil: () => 0,
      post: async () => {},
      onError: (error) => {
        throw error
      },
    })
    await dispatcher.start()
    await dispatcher.stop(0)
    expect(asked).not.toBeEmpty()
    for (const { sql, parameters } of asked) {
      const explained = await store.all<{ 'QUERY PLAN': { Plan: Plan }[] }>({
        sql: `explain (analyze, format json) ${sql}`,
        parameters,
      })
      expect(rowsRead(explained[0]!['QUERY PLAN'][0]!.Plan)).toBeLessThan(count / 10)
    }
  })
})
