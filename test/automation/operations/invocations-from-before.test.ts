/** A store from before references of invocations became deferred: all rows survive the rebuild of their table. */
import { expect, test } from 'bun:test'
import { sql } from 'kysely'
import { insertInvocation } from '../../../storage/automation/invocations.ts'
import { MissingReference } from '../../../storage/errors.ts'
import { migrate, migrations } from '../../../storage/migrations.ts'
import { openSqlite } from '../../../storage/sqlite/store.ts'
import type { Store } from '../../../storage/store.ts'
import type { InvocationRow } from '../../../storage/tables.ts'

const upTo = (last: string) => Object.fromEntries(Object.entries(migrations).filter(([name]) => name < last))

const tables = ['operation_invocations', 'worker_calls', 'operation_approvals', 'actor_counts', 'state_counts']

const invocation = (id: string, environmentId: string): Partial<InvocationRow> => ({
  id,
  organization_id: 'org_1',
  project_id: 'prj_1',
  environment_id: environmentId,
  deployment_id: 'dep_1',
  agent_id: 'agt_1',
  operation: 'shop.work',
  depth: 0,
  state: 'running',
  version: 1,
  machine_version: '1',
  context: '{}',
  performer: 'p',
  input: '{"of":1}',
  created_by_type: 'user',
  created_by_id: 'usr_1',
  created_at: 1,
  updated_at: 1,
})

/** A store of the previous version with two invocations: a worker holds one, and the other waits for an approval. */
async function olderStore(): Promise<Store> {
  const store = openSqlite({ path: ':memory:' })
  await migrate(store, upTo('0059'))
  const run = (text: string) => sql.raw(text).execute(store.db)
  await run('pragma foreign_keys = off')
  await run(`insert into organizations (id, slug, name, kind, status, created_at, updated_at)
    values ('org_1', 'o', 'O', 'team', 'active', 1, 1)`)
  await run(`insert into projects (id, organization_id, slug, name, status, created_at, updated_at)
    values ('prj_1', 'org_1', 'p', 'P', 'active', 1, 1)`)
  await run(`insert into environments
    (id, organization_id, project_id, kind, name, state, version, machine_version, context, generation, head_revision_id, head_number, created_at, updated_at)
    values ('env_1', 'org_1', 'prj_1', 'development', 'E', 'active', 1, '1', '{}', 1, 'cfr_1', 1, 1, 1)`)
  await run('pragma foreign_keys = on')
  await store.commit(['opi_1', 'opi_2'].map((id) => insertInvocation(store, invocation(id, 'env_1') as InvocationRow)))
  await run(`insert into worker_calls
    (id, organization_id, project_id, environment_id, agent_id, queue, operation, state, version, machine_version, context, created_at, updated_at)
    values ('opi_1', 'org_1', 'prj_1', 'env_1', 'agt_1', 'q', 'shop.work', 'queued', 1, '1', '{}', 1, 1)`)
  await run(`insert into operation_approvals
    (id, organization_id, environment_id, invocation_id, agent_id, status, expires_at, created_at)
    values ('apr_1', 'org_1', 'env_1', 'opi_2', 'agt_1', 'pending', 9, 1)`)
  return store
}

const contents = async (store: Store) =>
  Promise.all(
    tables.map(async (table) => (await sql`select * from ${sql.table(table)} order by 1`.execute(store.db)).rows),
  )

const parts = async (store: Store) =>
  (
    await sql<{ type: string; name: string; tbl_name: string }>`select type, name, tbl_name from sqlite_schema
      order by type, name`.execute(store.db)
  ).rows

test('rows, indexes, triggers and counts are unchanged', async () => {
  const store = await olderStore()
  const before = { rows: await contents(store), parts: await parts(store) }
  for (const rows of before.rows) expect(rows.length).toBeGreaterThan(0)
  await migrate(store, upTo('0060'))
  expect({ rows: await contents(store), parts: await parts(store) }).toEqual(before)
  await store.close()
})

test('an invocation with a missing Environment is rejected alone, and others are deleted with theirs', async () => {
  const store = await olderStore()
  await migrate(store, upTo('0060'))
  const commit = (id: string, environmentId: string) =>
    store.commit([insertInvocation(store, invocation(id, environmentId) as InvocationRow)])
  const [refused, stored] = await Promise.allSettled([commit('opi_3', 'env_gone'), commit('opi_4', 'env_1')])
  expect(refused.status === 'rejected' && refused.reason).toBeInstanceOf(MissingReference)
  expect(stored.status).toBe('fulfilled')

  await sql`delete from environments where id = 'env_1'`.execute(store.db)
  const [invocations, calls, approvals] = await contents(store)
  expect([invocations, calls, approvals]).toEqual([[], [], []])
  await store.close()
})
