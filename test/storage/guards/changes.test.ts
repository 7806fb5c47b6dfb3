/**
 * What a unit of work requires of a row at its commit: it is refused if another server has changed that since it was
 * read, and no other row counts. Source: design 3.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { assertJob } from '../../../storage/automation/agent-jobs.ts'
import { assertApplyIn, assertNoted, noteDeployment } from '../../../storage/automation/applies.ts'
import { decideApproval } from '../../../storage/automation/approvals.ts'
import { assertPerformedHere } from '../../../storage/automation/invocations.ts'
import {
  attemptIsCurrent,
  callIsWanted,
  stepIsWanted,
  stillPending,
} from '../../../storage/automation/wanted-invocations.ts'
import { configurationUnchanged, readConfiguration } from '../../../storage/delivery/configuration-revisions.ts'
import { insertDelivery } from '../../../storage/events/deliveries.ts'
import { markWebhookDeleted, updateWebhook } from '../../../storage/events/webhooks.ts'
import { fleetKinds, tableOfKind } from '../../../storage/runtime/fleet.ts'
import { touchActor } from '../../../storage/runtime/touch.ts'
import type { Write } from '../../../storage/store.ts'
import {
  approveAuthorization,
  refuseAuthorization,
  spendAuthorization,
} from '../../../storage/tenancy/device-authorizations.ts'
import { type Guards, openGuards, type Row } from './world.ts'

let world: Guards
beforeAll(async () => {
  world = await openGuards()
  world.plant('users', { id: 'usr_1' })
})
afterAll(() => world?.close())

interface Required {
  what: string
  table: string
  /** The row that passes, in this place. */
  row: object
  require(row: Row): Write
  /** Changes of the row, or rows beside it, after which it no longer passes. */
  unless: readonly (readonly [sql: string, ...columns: string[]])[]
}

const keyOfWebhook = ({ organization_id: organizationId, environment_id: environmentId, id }: Row) => ({
  organizationId,
  environmentId,
  id,
})
const unchanged = { endpointUrl: null, eventTypes: null, enabled: null, captureResponses: null }
const decision = {
  status: 'approved',
  decided_by_type: 'user',
  decided_by_id: 'usr_1',
  decided_at: 1,
  note: null,
} as const
const approval = { approvedBy: 'usr_1', approvedWith: 'ses_1', newKey: 'x', expiresAt: 9 }
const isIn = (state: string) => [`update {table} set state = '${state}' where id = ?`, 'id'] as const
const lease = (fencingToken: number) => JSON.stringify({ lease: { fencingToken } })

const required: readonly Required[] = [
  {
    what: 'an approval that is decided',
    table: 'operation_approvals',
    row: { status: 'pending' },
    require: ({ id }) => decideApproval(world.store, { ...decision, id }),
    unless: [[`update {table} set status = 'expired' where id = ?`, 'id']],
  },
  {
    what: 'a device authorization that is approved',
    table: 'device_authorizations',
    row: {},
    require: ({ id, organization_id: organizationId }) =>
      approveAuthorization(world.store, { ...approval, id, organizationId }),
    unless: [[`update {table} set approved_by = 'usr_2' where id = ?`, 'id']],
  },
  {
    what: 'a device authorization that is denied',
    table: 'device_authorizations',
    row: {},
    require: ({ id }) => refuseAuthorization(world.store, { id }),
    unless: [[`update {table} set approved_by = 'usr_2' where id = ?`, 'id']],
  },
  {
    what: 'a device authorization whose key is fetched',
    table: 'device_authorizations',
    row: { approved_by: 'usr_1' },
    require: ({ id }) => spendAuthorization(world.store, { id }),
    unless: [[`update {table} set approved_by = null where id = ?`, 'id']],
  },
  {
    what: 'an Apply in its state',
    table: 'applies',
    row: { state: 'applied' },
    require: ({ id, state }) => assertApplyIn(world.store, { id, state }),
    unless: [isIn('failed')],
  },
  {
    what: 'an Apply with what it has created',
    table: 'applies',
    row: { state: 'applied', release_id: 'rel_1', deployment_id: 'dep_1' },
    require: ({ id }) =>
      assertNoted(world.store, { id, releaseId: 'rel_1', deploymentId: 'dep_1', activationId: null }),
    unless: ['release_id', 'deployment_id', 'activation_id'].map(
      (column) => [`update {table} set ${column} = 'other' where id = ?`, 'id'] as const,
    ),
  },
  {
    what: 'an Apply that creates a Deployment',
    table: 'applies',
    row: { state: 'applied', deployment_id: null },
    require: ({ id }) => noteDeployment(world.store, { id, made: 'dep_1' }),
    unless: [[`update {table} set deployment_id = 'dep_2' where id = ?`, 'id']],
  },
  {
    what: 'an invocation that this process performs',
    table: 'operation_invocations',
    row: { state: 'running', performer: 'here' },
    require: ({ id, performer }) => assertPerformedHere(world.store, { id, performer }),
    unless: [isIn('unknown'), [`update {table} set performer = 'there' where id = ?`, 'id']],
  },
  {
    what: 'an invocation that waits for its approval',
    table: 'operation_invocations',
    row: { state: 'pending_approval' },
    require: ({ id }) => stillPending(world.store, { id }),
    unless: [isIn('running')],
  },
  {
    what: 'a run that waits for the result of a call',
    table: 'runs',
    row: { state: 'running' },
    require: ({ id }) => callIsWanted(world.store, { runId: id, toolCallId: 'call_1', chain: 1 }),
    unless: [
      ...['canceling', 'completed', 'failed', 'canceled', 'expired'].map(isIn),
      [`insert into run_inputs (run_id, chain, body, created_at) values (?, 2, '{}', 0)`, 'id'],
      [`insert into call_results (run_id, tool_call_id, outcome, created_at) values (?, 'call_1', '{}', 0)`, 'id'],
    ],
  },
  {
    what: 'a run with the lease of an attempt',
    table: 'runs',
    row: { context: lease(3) },
    require: ({ id }) => attemptIsCurrent(world.store, { runId: id, fencingToken: 3 }),
    unless: [[`update {table} set context = '${lease(4)}' where id = ?`, 'id']],
  },
  {
    what: 'a workflow run that waits for a step',
    table: 'workflow_runs',
    row: { state: 'running' },
    require: ({ id }) => stepIsWanted(world.store, { workflowRunId: id }),
    unless: ['canceling', 'canceled'].map(isIn),
  },
  {
    what: 'a job that runs now',
    table: 'agent_jobs',
    row: {},
    require: ({ id }) => assertJob(world.store, { id }),
    unless: [],
  },
  {
    what: 'a webhook that is changed',
    table: 'webhooks',
    row: { enabled: 1, capture_responses: 0 },
    require: (row) => updateWebhook(world.store, { ...keyOfWebhook(row), ...unchanged, endpointUrl: 'x', at: 1 }),
    unless: ['deleted_at', 'organization_id', 'environment_id'].map(
      (column) => [`update {table} set ${column} = 7 where id = ?`, 'id'] as const,
    ),
  },
  {
    what: 'a webhook that is deleted',
    table: 'webhooks',
    row: { enabled: 1, capture_responses: 0 },
    require: (row) => markWebhookDeleted(world.store, { ...keyOfWebhook(row), at: 1 }),
    unless: ['deleted_at', 'organization_id', 'environment_id'].map(
      (column) => [`update {table} set ${column} = 7 where id = ?`, 'id'] as const,
    ),
  },
  {
    what: 'a webhook of a delivery',
    table: 'webhooks',
    row: { enabled: 1, capture_responses: 0 },
    require: ({ id, environment_id, organization_id, project_id }) => {
      const at = { organization_id, project_id, environment_id, webhook_id: id }
      return insertDelivery(world.store, world.row('deliveries', { ...at, state: 'pending', due_at: 1, context: '{}' }))
    },
    unless: [
      [`update {table} set deleted_at = 7 where id = ?`, 'id'],
      [`update {table} set environment_id = 'env_other' where id = ?`, 'id'],
      [`update {table} set enabled = 0 where id = ?`, 'id'],
    ],
  },
]

/** Plants such a row, by default in a new place. */
const planted = ({ table, row }: Required, at = world.tree()): Row =>
  world.plant(table, { ...at, context: '{}', ...row })

test.each(required.map((each) => [each.what, each] as const))('%s: one of several passes', async (_, each) => {
  const at = world.tree()
  const [one, other] = [planted(each, at), planted(each, at)]
  const { table, require } = each
  const stored = (id: string) => world.rows(`select * from ${table} where id = ?`, id)
  const before = stored(other.id)
  expect(await world.isStale(require(one))).toBe(false)
  expect(stored(other.id)).toEqual(before)
  world.rows(`delete from ${table} where id = ?`, other.id)
  expect(await world.isStale(require(other))).toBe(true)
})

const refusals = required.flatMap((each) =>
  each.unless.map(([sql, ...columns]) => [each.what, sql, columns, each] as const),
)
test.each(refusals)('%s: not after %s', async (_what, sql, columns, each) => {
  const row = planted(each)
  world.rows(sql.replace('{table}', each.table), ...columns.map((column) => row[column]))
  const stored = world.rows(`select * from ${each.table} where id = ?`, row.id)
  expect(await world.isStale(each.require(row))).toBe(true)
  expect(world.rows(`select * from ${each.table} where id = ?`, row.id)).toEqual(stored)
})

test.each(fleetKinds)('an actor of the kind %s that is touched, as it was read, is the only one', async (kind) => {
  const { table, id } = tableOfKind(kind)
  const plant = () => world.plant(table, { ...world.tree(), version: 3, context: '{}' })[id]
  const [one, other] = [plant(), plant()]
  const touch = () => world.isStale(touchActor(world.store, kind, { id: one, from: 3 }))
  expect([await touch(), await touch()]).toEqual([false, true])
  const versionOf = (key: string) => world.rows(`select version from ${table} where ${id} = ?`, key)[0].version
  expect([versionOf(one), versionOf(other)]).toEqual([4, 3])
})

test.each([
  ['a variable', 'variables', { name: 'ANOTHER' }],
  ['a Connection', 'connections', { name: 'Another' }],
  ['a provider setting', 'provider_settings', { model: 'another' }],
] as const)('no snapshot is taken of a configuration in which %s has changed', async (_, table, changes) => {
  const [at, other] = [world.tree(), world.tree()]
  const { environment_id: environmentId } = at
  const rows = [at, other].map((place) => {
    const { id: version } = world.plant('connection_versions', { organization_id: place.organization_id })
    world.plant('connections', { ...place, status: 'active', current_version_id: version })
    world.plant('variables', { ...place, status: 'active' })
    return world.plant('provider_settings', place)
  })
  const read = await world.store.first(
    readConfiguration(world.store, { organizationId: at.organization_id, environmentId }),
  )
  const isRefused = () => world.isStale(configurationUnchanged(world.store, { ...(read as Row), environmentId }))
  expect([rows.length, await isRefused()]).toEqual([2, false])
  const [[column, value]] = Object.entries(changes) as [[string, string]]
  world.rows(`update ${table} set ${column} = ? where environment_id = ?`, value, other.environment_id)
  expect(await isRefused()).toBe(false)
  world.rows(`update ${table} set ${column} = ? where environment_id = ?`, value, environmentId)
  expect(await isRefused()).toBe(true)
})
