/** A key is committed only if its place exists at that moment; earlier checks may be outdated. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { apiKeyRow } from '../../../src/tenancy/api-keys/row.ts'
import { newSecret } from '../../../src/tenancy/api-keys/secret.ts'
import { StaleWrite } from '../../../storage/errors.ts'
import type { Store } from '../../../storage/store.ts'
import { countUsableKeys, insertApiKeyInPlace } from '../../../storage/tenancy/api-keys.ts'
import { openMigrated } from '../../support/stores/migrated-store.ts'

const now = Date.UTC(2026, 0, 31)
const organizationId = 'org_1'

let store: Store
const run = (sql: string) => store.commit([{ sql, parameters: [] }])

beforeAll(async () => {
  store = await openMigrated()
  for (const id of ['org_1', 'org_2']) {
    await run(`insert into organizations values ('${id}', '${id}', 'Name', 'team', 'active', 0, 0)`)
    await run(`insert into users values ('usr_of_${id}', '${id}@example.com', 'Name', '-', 0, 0)`)
    await run(
      `insert into memberships (organization_id, user_id, role, created_at) values ('${id}', 'usr_of_${id}', 'owner', 0)`,
    )
    await run(`insert into projects values ('prj_of_${id}', '${id}', 'slug', 'Name', null, 'active', 0, 0)`)
    await run(
      `insert into environments values ('env_of_${id}', '${id}', 'prj_of_${id}', 'preview', 'Name', 'active', 1, '1', '{}', 0, 'cfr', 0, null, 0, 0, null)`,
    )
    await run(
      `insert into agents values ('agt_of_${id}', '${id}', 'prj_of_${id}', 'slug', 'Name', null, 'active', null, 0, 0)`,
    )
  }
})
afterAll(() => store?.close())

const ours = { projectId: 'prj_of_org_1', environmentId: 'env_of_org_1', agentId: 'agt_of_org_1' }

async function insert(
  changes: { createdBy?: string; scope?: object; usableMax?: number; expiresAt?: number; madeBy?: string | null } = {},
) {
  const { createdBy = 'usr_of_org_1', scope = {}, usableMax = 1_000, expiresAt = now + 1, madeBy = null } = changes
  const facts = { organizationId, createdBy, name: 'key', operations: [], expiresAt, scope: { ...ours, ...scope } }
  const row = apiKeyRow(newSecret(), facts, now)
  await store.commit([insertApiKeyInPlace(store, { ...row, madeBy, usableMax })])
  const [stored] = await store.all({ sql: 'select * from api_keys where id = ?', parameters: [row.id] })
  expect(stored as object).toEqual(row)
}
const count = async () => (await store.first(countUsableKeys(store, { organizationId, now })))?.count

test.each([
  { what: 'nothing', scope: { projectId: null, environmentId: null, agentId: null } },
  { what: 'a Project', scope: { environmentId: null, agentId: null } },
  { what: 'an Environment', scope: { agentId: null } },
  { what: 'an Agent', scope: { environmentId: null } },
  { what: 'both', scope: {} },
])('a key that is bound to $what is stored as given', ({ scope }) => insert({ scope }))

test.each([
  { what: 'a user who is not a member', changes: { createdBy: 'usr_of_org_2' } },
  { what: 'a removed Project', changes: { scope: { projectId: 'prj_0', environmentId: null, agentId: null } } },
  {
    what: 'a foreign Project',
    changes: { scope: { projectId: 'prj_of_org_2', environmentId: null, agentId: null } },
  },
  { what: 'a removed Environment', changes: { scope: { environmentId: 'env_0' } } },
  { what: 'a foreign Environment', changes: { scope: { environmentId: 'env_of_org_2' } } },
  { what: 'a removed Agent', changes: { scope: { agentId: 'agt_0' } } },
  { what: 'a foreign Agent', changes: { scope: { agentId: 'agt_of_org_2' } } },
])('no key for $what', async ({ changes }) => {
  const before = await count()
  await expect(insert(changes)).rejects.toBeInstanceOf(StaleWrite)
  expect(await count()).toBe(before)
})

test.each([
  { what: 'the organization', table: 'organizations', column: 'status', id: 'org_1' },
  { what: 'the Project', table: 'projects', column: 'status', id: 'prj_of_org_1' },
  { what: 'the Environment', table: 'environments', column: 'state', id: 'env_of_org_1' },
  { what: 'the Agent', table: 'agents', column: 'status', id: 'agt_of_org_1' },
])('no key while $what is being deleted', async ({ table, column, id }) => {
  const set = (state: string) => run(`update ${table} set ${column} = '${state}' where id = '${id}'`)
  await set('deleting')
  await expect(insert()).rejects.toBeInstanceOf(StaleWrite)
  await set('active')
  await insert()
})

test('no key beyond the limit, in which revoked, expired and foreign ones do not count', async () => {
  const usable = (await count()) as number
  await insert({ expiresAt: now })
  await run(`insert into api_keys select 'revoked', organization_id, name, prefix, 'revoked', operations, project_id,
    environment_id, agent_id, created_by, 'revoked', expires_at, last_used_at, created_at, null from api_keys limit 1`)
  expect(await count()).toBe(usable)
  await insert({ usableMax: usable + 1 })
  await expect(insert({ usableMax: usable + 1 })).rejects.toBeInstanceOf(StaleWrite)
})
