/** Lists of rows with sizes chosen by their authors or receivers: a page reads only as much as it shows. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { Workflows } from '../../../../src/automation/workflows/service.ts'
import { Deliveries } from '../../../../src/events/deliveries/service.ts'
import { createCursors } from '../../../../src/platform/http/cursor.ts'
import { readJournal } from '../../../../src/runtime/journal.ts'
import { newId } from '../../../../storage/ids.ts'
import type { Query } from '../../../../storage/store.ts'
import { Meddled, openWorld, type World } from '../../../events/webhooks/sender-world.ts'

/** Counts the rows read from the store. */
class Counted extends Meddled {
  rows = 0
  override async all<Row>(query: Query<Row>) {
    const found = await super.all(query)
    this.rows += found.length
    return found
  }
}

let world: World
let store: Counted
let environmentId: string
let place: { organizationId: string; projectId: string; environmentId: string }
const cursors = createCursors(new Uint8Array(32))
beforeAll(async () => {
  world = await openWorld()
  store = new Counted(world.store)
  environmentId = await world.environment()
  const { organizationId } = world
  const { project_id: projectId } = await world.store.db
    .selectFrom('environments')
    .select('project_id')
    .where('id', '=', environmentId)
    .executeTakeFirstOrThrow()
  place = { organizationId, projectId, environmentId }
})
afterAll(() => world?.close())

const rowCount = 60
/** Two of them fit into a page, six do not. */
const large = 'x'.repeat(200_000)
const inThePlace = () => ({
  organization_id: place.organizationId,
  project_id: place.projectId,
  environment_id: place.environmentId,
})
const states = { state: 'running', version: 1, machine_version: '1', created_at: 1, updated_at: 1 }

async function transitions() {
  const id = newId('env')
  for (let sequence = 1; sequence <= rowCount; sequence += 1) {
    const moved = { from_state: 'queued', to_state: 'queued', event: 'told', by_type: 'system', by_id: 'troupe' }
    const reason = JSON.stringify({ code: 'said', message: large })
    const row = { kind: 'environment', actor_id: id, sequence, ...moved, attempt: 0, reason, at: 1 }
    await world.store.db
      .insertInto('transitions')
      .values({ ...row, stream_sequence: null })
      .execute()
  }
  return (limit: number) =>
    readJournal({ store, cursors }, place.organizationId, { kind: 'environment', id }, { limit })
}

async function deliveries() {
  const webhookId = await world.webhook(environmentId)
  for (let count = 0; count < rowCount; count += 1) {
    const event = { event_id: newId('evt'), event_type: 'run.created', event_sequence: 1, event_at: 1 }
    const attempt_history = JSON.stringify([
      { number: 1, status: 500, errorClass: 'http_status', durationMs: 1, at: 1, response: large },
    ])
    const row = { id: newId('dlv'), ...inThePlace(), webhook_id: webhookId, ...event, ...states, state: 'dead-letter' }
    await world.store.db
      .insertInto('deliveries')
      .values({
        ...row,
        replay_of: null,
        context: '{"nextAttemptAt":null}',
        attempts: 1,
        due_at: null,
        attempt_history,
        delivered_at: null,
      })
      .execute()
  }
  const parts = {
    store,
    cursors,
    webhooks: { find: async () => {} },
    deliveryWork: { eventsUntil: () => 0, retentionMs: 1 },
  }
  const list = new Deliveries(parts as never)
  const asked = { ...place, webhookId }
  return (limit: number) => list.list({ organizationId: place.organizationId } as never, asked as never, { limit })
}

async function workflowRuns() {
  for (let count = 0; count < rowCount; count += 1) {
    const names = { deployment_id: newId('dep'), agent_id: newId('agt'), definition_id: newId('def') }
    const revision = { definition_revision_id: newId('dfr'), definition_name: 'order', request_digest: 'sha256:0' }
    const creator = {
      request_key: null,
      depth: 0,
      actor_user_id: null,
      created_by_type: 'user',
      created_by_id: 'usr_1',
    }
    const row = { id: newId('wfr'), ...inThePlace(), ...names, ...revision, ...creator, ...states }
    const context = JSON.stringify({ plan: [], steps: [], endedAt: null, told: large })
    await world.store.db
      .insertInto('workflow_runs')
      .values({ ...row, context })
      .execute()
  }
  const list = new Workflows({ store, cursors } as never)
  const caller = { organizationId: place.organizationId, scope: { agentId: null } }
  return (limit: number) => list.list(caller as never, place as never, { limit } as never)
}

test.each([
  ['transitions', transitions],
  ['deliveries', deliveries],
  ['workflow runs', workflowRuns],
])('a page of large %s reads at most one step beyond what it shows', async (_, make) => {
  const list = await make()
  store.rows = 0
  const { data, pagination } = await list(100)
  expect({ items: data.items.length, ...pagination, nextCursor: undefined }).toEqual({
    items: 5,
    limit: 100,
    hasMore: true,
    nextCursor: undefined,
  })
  expect(store.rows).toBe(8)
})
