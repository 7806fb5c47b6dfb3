/**
 * Servers of today go on with the stores of earlier ones: all that was written can be read, what waited comes to its end,
 * and what was counted is right. The clock is the one of the time when the store was written, so that nothing has expired.
 */

import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { openStore } from '../../storage/open.ts'
import { type Receiver, receiver } from '../events/webhooks/world.ts'
import { said } from '../runs/project/world.ts'
import { eventually } from '../support/process.ts'
import { expectWhole, expectWholeStream, getRun, inState, start, stepsOf } from '../support/run-records.ts'
import { openTroupe, ownerEmail, type Troupe } from '../support/troupe.ts'
import { data } from '../support/world/replies.ts'
import { ShiftedClock } from './clock.ts'
import { type OldStore, oldPassword, oldStores, putOldStore, type StoreRecord } from './stores.ts'

/** Leases of that time have expired by then. */
const pauseMs = 120_000

const ends = ['completed', 'failed', 'canceled', 'expired']
const stored = {
  run_inputs: ['body'],
  run_events: ['frames'],
  agent_steps: ['input', 'output', 'error'],
  checkpoints: ['messages', 'remainder'],
  call_results: ['outcome'],
}

function reading<Found>(file: string, look: (database: Database) => Found): Found {
  const database = new Database(file, { readonly: true })
  try {
    return look(database)
  } finally {
    database.close()
  }
}

/** The number of bytes of inputs and outputs of runs in the store. */
function storedBytes(database: Database): number {
  const sum = (table: string, columns: string[]) => {
    const length = columns.map((each) => `coalesce(octet_length(${each}), 0)`).join(' + ')
    return database.query<{ bytes: number }, []>(`select coalesce(sum(${length}), 0) as bytes from ${table}`).get()!
      .bytes
  }
  return Object.entries(stored).reduce((bytes, [table, columns]) => bytes + sum(table, columns), 0)
}

/** The columns of tables and the indexes, by name; the order of columns depends on the store's migrations. */
function schemaOf(database: Database): Record<string, string> {
  const named = database
    .query<{ type: string; name: string; sql: string | null }, []>('select type, name, sql from sqlite_schema')
    .all()
    .filter(({ sql }) => sql !== null)
  const columns = (table: string) =>
    database
      .query<{ name: string; type: string; notnull: number }, [string]>('select * from pragma_table_xinfo(?)')
      .all(table)
      .map(({ name, type, notnull }) => `${name} ${type}${notnull ? ' not null' : ''}`)
      .sort()
      .join(', ')
  return Object.fromEntries(named.map(({ type, name, sql }) => [name, type === 'table' ? columns(name) : sql!]))
}

/** The schema of a store that has had all migrations in order. */
async function newSchema(): Promise<Record<string, string>> {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-new-'))
  try {
    const file = join(folder, 'troupe.db')
    await (await openStore(`sqlite:${file}`)).close()
    return reading(file, schemaOf)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function describeStore(old: OldStore): void {
  describe(`a store with the migrations up to ${old.name}, ${old.killed ? 'left by a server that was killed' : 'closed'}`, () => {
    let folder: string
    let record: StoreRecord
    let clock: ShiftedClock
    let troupe: Troupe
    let vendor: Receiver
    let hooks: Receiver
    /** The timer of the waiting run, as stored before the upgrade. */
    let deadline: { name: string; dueAt: number } | null
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'troupe-upgraded-'))
      record = await putOldStore(old, join(folder, 'troupe.db'))
      deadline = reading(join(folder, 'troupe.db'), (database) =>
        database
          .query<{ name: string; dueAt: number }, [string]>(
            'select name, due_at as dueAt from timers where actor_id = ?',
          )
          .get(record.runs.waiting),
      )
      vendor = receiver(() => said('Hello from the vendor'))
      hooks = receiver()
      const { masterKeys, runnerToken, madeAt } = record
      clock = new ShiftedClock(Date.parse(madeAt) + pauseMs)
      troupe = await openTroupe({
        folder,
        clock,
        environment: {
          TROUPE_MASTER_KEYS: masterKeys,
          TROUPE_RUNNER_TOKEN: runnerToken,
          TROUPE_OPENAI_BASE_URL: `${vendor.base}/v1`,
          TROUPE_ALLOW_PRIVATE_ADDRESSES: 'true',
          TROUPE_ATTEMPT_BACKOFF_MS: '1',
          TROUPE_LEASE_TTL_MS: '500',
        },
      })
    })
    afterAll(async () => {
      await troupe?.stop()
      vendor?.stop()
      hooks?.stop()
      if (folder) await rm(folder, { recursive: true, force: true })
    })
    const client = () => troupe.as(record.key)
    const saidBy = async (runId: string) => (await stepsOf(client(), runId)).at(-1)!.output.text

    test('accepts its key and its owner', async () => {
      const { items } = await data<{ items: object[] }>(client().get('/api/v1/organizations'))
      expect(items).toHaveLength(1)
      const session = { email: ownerEmail, password: oldPassword }
      expect((await troupe.as(null).post('/api/auth/sessions', session)).status).toBe(200)
    })

    test('shows everything that was written', async () => {
      const shown = await Promise.all(
        record.reads.map(async ({ path, has }) => {
          const { status, body } = await client().get(path)
          const fields = Object.keys(has).map((field) => [field, body?.data?.[field]])
          return { path, status, has: Object.fromEntries(fields) }
        }),
      )
      expect(shown).toEqual(record.reads.map((read) => ({ ...read, status: 200 })))
      const { agentRuns } = (await client().get('/api/v1/agent-runs', { query: { limit: 100 } })).body
      const ids = agentRuns.map(({ id }: { id: string }) => id)
      expect(ids).toEqual(expect.arrayContaining(Object.values(record.runs)))
    })

    test('has journals that lead to the stored states', async () => {
      for (const { kind, id } of record.actors) {
        const { status, body } = await client().get(`/api/v1/actors/${kind}/${id}/verify`)
        expect({ kind, status, valid: body.data?.valid }).toEqual({ kind, status: 200, valid: true })
      }
    })

    test('keeps the deadline of a waiting run', async () => {
      const { timers } = await data<{ timers: object[] }>(client().get(`/api/v1/actors/run/${record.runs.waiting}`))
      expect(deadline).toMatchObject({ name: 'awaitDeadline' })
      expect(timers).toMatchObject([{ event: deadline!.name, dueAt: new Date(deadline!.dueAt).toISOString() }])
      const ofRuns = "select count(*) as count from timers where kind = 'run'"
      expect(reading(join(folder, 'troupe.db'), (database) => database.query(ofRuns).get())).toEqual({ count: 0 })
    })

    test('continues its runs to their ends', async () => {
      const { ended, waiting, queued, held } = record.runs
      expect(await getRun(client(), waiting)).toMatchObject({ state: 'awaitingToolResult' })
      expect((await client().post(`/api/v1/agent-runs/${waiting}/continue`, { query: '"blue"' })).status).toBe(200)
      for (const id of [ended, waiting, queued, ...(held ? [held] : [])]) {
        await inState(client(), id, ...ends)
        const { run } = await expectWhole(client(), id)
        expect({ id, state: run.state, reason: run.stateReason }).toEqual({ id, state: 'completed', reason: null })
        await expectWholeStream(client(), id)
      }
      expect([await saidBy(ended), await saidBy(queued)]).toEqual(['At once.', 'was queued'])
    })

    if (old.areas.includes('projects')) {
      test('keeps its secrets: of a model, and of a webhook', async () => {
        const { path, environmentId, agentId, deployment, webhook, vendorKey } = record.environment!
        const { id } = await start(client(), 'Who are you?', { agentId, environmentId })
        await inState(client(), id, ...ends)
        expect(await saidBy(id)).toBe('Hello from the vendor')
        expect(vendor.received.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${vendorKey}`])

        await data(client().patch(`${path}/webhooks/${webhook.id}`, { endpointUrl: hooks.url }))
        const submitted = await data(client().post(`${path}/deployments`, deployment))
        const { headers, body } = await eventually('the event of the Deployment', () =>
          hooks.received.find((each) => each.body.includes(submitted.id)),
        )
        const sentAt = new Date(Number(headers['webhook-timestamp']) * 1000)
        const signature = new Webhook(webhook.secret).sign(headers['webhook-id']!, sentAt, body)
        expect(headers['webhook-signature']?.split(' ')).toContain(signature)
      })
    }

    if (old.areas.includes('automation')) {
      test('continues its workflow after the approval, and runs its job', async () => {
        const { path } = record.environment!
        const { workflowRunId, jobId, entityId } = record.automation!
        const { items } = await data<{ items: { id: string }[] }>(
          client().get(`${path}/operation-approvals`, { query: { status: 'pending' } }),
        )
        expect(items).toHaveLength(1)
        await data(client().post(`${path}/operation-approvals/${items[0]!.id}/approve`))
        const run = await eventually('the end of the workflow', async () => {
          const found = await data(client().get(`${path}/workflows/${workflowRunId}`))
          return ['completed', 'failed', 'canceled', 'unknown'].includes(found.state as string) && found
        })
        expect({ state: run.state, output: run.output }).toEqual({ state: 'completed', output: { paid: 7 } })
        const moves = await data<{ items: object[] }>(client().get(`${path}/entities/order/${entityId}/transitions`))
        expect(moves.items).toHaveLength(1)

        const started = await data(client().post(`${path}/agent-jobs/${jobId}/run-now`))
        expect(await inState(client(), started.id, ...ends)).toMatchObject({ state: 'completed' })
      })
    }

    test('has correct counts', async () => {
      const { agentRuns } = (await client().get('/api/v1/agent-runs', { query: { limit: 100 } })).body
      for (const { id } of agentRuns) await inState(client(), id, ...ends)
      // a maintenance task counts what an earlier server did not count
      clock.advance(61_000)
      const { items } = await data<{ items: { id: string }[] }>(client().get('/api/v1/organizations'))
      const usage = `/api/v1/organizations/${items[0]!.id}/billing/usage`
      await eventually('counters of runs that equal what is counted', async () => {
        const { limits } = await data<{ limits: Record<string, { used: number }> }>(client().get(usage))
        return limits.liveRuns!.used === 0 && limits.storedBytes!.used === reading(troupe.file, storedBytes)
      })
      const { totals } = await data<{ totals: Record<string, unknown> }>(client().get('/api/v1/agent-runs/statistics'))
      expect(totals).toMatchObject({ completed: agentRuns.length, failed: 0, canceled: 0, expired: 0 })
    })

    test('has the tables of a new store, without dangling references', async () => {
      const expected = await newSchema()
      reading(troupe.file, (database) => {
        expect(schemaOf(database)).toEqual(expected)
        expect(database.query('pragma foreign_key_check').all()).toEqual([])
        expect(database.query('pragma integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
      })
    })
  })
}

for (const old of oldStores) describeStore(old)
