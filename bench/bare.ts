/**
 * The baseline: Elysia with nothing around a route but its work. POST validates the body of a run start and commits two
 * rows by the same group-commit writer; GET reads one row by its key. Both answer JSON of the size of a run.
 */
import { Elysia } from 'elysia'
import { StartBody } from '../src/runs/admission/request-schema.ts'
import { newId } from '../storage/ids.ts'
import { openSqlite } from '../storage/sqlite/store.ts'

interface Item {
  id: string
  agent_id: string
  owner_id: string
  digest: string
  state: string
  created_at: number
  updated_at: number
}

const store = openSqlite({ path: process.env.BARE_STORE ?? ':memory:' })
const insertItem =
  'insert into items (id, agent_id, owner_id, digest, state, created_at, updated_at) values (?, ?, ?, ?, ?, ?, ?)'
const insertInput = 'insert into inputs (item_id, body, created_at) values (?, ?, ?)'
const getItem = 'select * from items where id = ?'
const ownerId = newId('org')

await store.commit([
  {
    sql: 'create table items (id text primary key, agent_id text not null, owner_id text not null, digest text not null, state text not null, created_at bigint not null, updated_at bigint not null)',
    parameters: [],
  },
  {
    sql: 'create table inputs (item_id text primary key, body text not null, created_at bigint not null)',
    parameters: [],
  },
])

const time = (at: number) => new Date(at).toISOString()

/** As many fields and bytes as a run has. */
const present = ({ id, agent_id, owner_id, digest, state, created_at, updated_at }: Item) => ({
  id,
  organizationId: owner_id,
  projectId: null,
  environmentId: null,
  deploymentId: null,
  agentId: agent_id,
  agentRevisionId: owner_id,
  agentJobId: null,
  createdBy: { type: 'apiKey', id: owner_id },
  subjectUserId: null,
  state,
  stateReason: null,
  stopReason: null,
  attempt: 0,
  inputDigest: digest,
  outputDigest: null,
  runtimeVersion: '0.1.0',
  contentRetention: { policy: 'standard', expiresAt: time(updated_at) },
  lastActivity: { kind: 'start', at: time(updated_at) },
  createdAt: time(created_at),
  updatedAt: time(updated_at),
  startedAt: null,
  endedAt: null,
})

const app = new Elysia({ normalize: false, serve: { development: false } })
  .get('/nothing', () => 'nothing')
  .post(
    '/items',
    async ({ body }) => {
      const at = Date.now()
      const text = JSON.stringify(body)
      const item: Item = {
        id: newId('run', at),
        agent_id: body.agentId,
        owner_id: ownerId,
        digest: `sha256:${new Bun.CryptoHasher('sha256').update(text).digest('hex')}`,
        state: 'queued',
        created_at: at,
        updated_at: at,
      }
      const { id, agent_id, owner_id, digest, state, created_at, updated_at } = item
      await store.commit([
        { sql: insertItem, parameters: [id, agent_id, owner_id, digest, state, created_at, updated_at] },
        { sql: insertInput, parameters: [id, text, at] },
      ])
      return { data: present(item) }
    },
    { body: StartBody },
  )
  .get('/items/:id', async ({ params, status }) => {
    const item = await store.first<Item>({ sql: getItem, parameters: [params.id] })
    return item ? { data: present(item) } : status(404)
  })
  .listen({ port: Number(process.env.PORT ?? 0), hostname: '127.0.0.1' })

process.on('SIGTERM', async () => {
  await app.stop(true)
  await store.close()
  process.exit(0)
})
process.stdout.write(`ready at http://127.0.0.1:${app.server?.port}\n`)
