/** Every kind of actor is stored only on top of the version that was read. Source: design 3; contract 0. */
import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { updateIntegration } from '../../storage/accounts/integrations.ts'
import { enableJob, updateJob } from '../../storage/automation/agent-jobs.ts'
import { updateAlertRule } from '../../storage/automation/alerts.ts'
import { updateApply } from '../../storage/automation/applies.ts'
import { decideApproval } from '../../storage/automation/approvals.ts'
import { updateEntity } from '../../storage/automation/entities.ts'
import { updateInvocation } from '../../storage/automation/invocations.ts'
import { updateWorkerCall } from '../../storage/automation/worker-calls.ts'
import { updateWorkflowRun } from '../../storage/automation/workflows.ts'
import { updateSubscription } from '../../storage/billing/billing.ts'
import { updateDeployment } from '../../storage/delivery/deployments.ts'
import { StaleWrite } from '../../storage/errors.ts'
import { claimDelivery, updateDelivery } from '../../storage/events/deliveries.ts'
import { updateRecovery } from '../../storage/events/webhook-recoveries.ts'
import { updateBulkAction } from '../../storage/runs/bulk-actions.ts'
import { updateRun } from '../../storage/runs/runs.ts'
import type { Store, Write } from '../../storage/store.ts'
import { updateDeletion } from '../../storage/tenancy/deletions.ts'
import { updateEnvironment } from '../../storage/tenancy/environments.ts'
import { openMigrated } from '../support/stores/migrated-store.ts'

// biome-ignore lint/suspicious/noExplicitAny: one helper handles rows of all tables
type Loose = any
type Update = (store: Store, row: Loose) => Write

const updates: [table: string, ...Update[]][] = [
  ['agent_jobs', updateJob, enableJob],
  ['alert_rules', updateAlertRule],
  ['applies', updateApply],
  ['bulk_actions', updateBulkAction],
  ['deletions', updateDeletion],
  ['deliveries', updateDelivery, claimDelivery],
  ['deployments', updateDeployment],
  ['entities', updateEntity],
  ['environments', updateEnvironment],
  ['integrations', updateIntegration],
  ['operation_invocations', updateInvocation],
  ['runs', updateRun],
  ['subscriptions', updateSubscription],
  ['webhook_recoveries', updateRecovery],
  ['worker_calls', updateWorkerCall],
  ['workflow_runs', updateWorkflowRun],
]

let folder: string
let store: Store
let database: Database
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'troupe-stale-'))
  const file = join(folder, 'troupe.db')
  store = await openMigrated(`sqlite:${file}`)
  database = new Database(file)
  // a row of each table, with placeholder references and values
  database.run('pragma foreign_keys = off')
  database.run('pragma ignore_check_constraints = on')
})
afterAll(async () => {
  database?.close()
  await store?.close()
  await rm(folder, { recursive: true, force: true })
})

interface Column {
  name: string
  type: string
  notnull: number
}
const columnsOf = (table: string) => database.query<Column, []>(`pragma table_info(${table})`).all()

/** A row of version 2. */
function plant(table: string): Loose {
  const columns = columnsOf(table)
  const plantedIn = ({ name, type, notnull }: Column) => {
    if (name === 'version') return 2
    if (!notnull && name !== 'id' && name !== 'organization_id') return null
    return type.toLowerCase() === 'text' ? 'x' : 0
  }
  const names = columns.map(({ name }) => `"${name}"`).join(', ')
  const places = columns.map(() => '?').join(', ')
  database.query(`insert into ${table} (${names}) values (${places})`).run(...columns.map(plantedIn))
  return database.query(`select * from ${table}`).get()
}

const failureOf = (write: Write) =>
  store.commit([write]).then(
    () => undefined,
    (error: unknown) => error,
  )

test.each(updates)('%s: a write on top of a stale version is refused', async (table, ...statements) => {
  const row = plant(table)
  for (const [index, update] of statements.entries()) {
    for (const from of [1, 3]) {
      expect(await failureOf(update(store, { ...row, version: 4, from }))).toBeInstanceOf(StaleWrite)
    }
    expect(database.query(`select * from ${table}`).get()).toEqual(row)
    // only the version was in the way; the other tables need more of the row than that
    if (index === 0)
      expect(await failureOf(update(store, { ...row, version: 4, from: 2 }))).not.toBeInstanceOf(StaleWrite)
    database.query(`update ${table} set version = 2`).run()
  }
})

test.each(['approved', 'rejected', 'expired', 'canceled'])(
  'an approval that is %s is not decided again by a caller that has not seen the decision',
  async (status) => {
    database.run('delete from operation_approvals')
    plant('operation_approvals')
    database.query('update operation_approvals set status = ?').run(status)
    const stored = database.query('select * from operation_approvals').get()
    const decision = { id: 'x', decided_by_type: 'user', decided_by_id: 'usr_1', decided_at: 1, note: null } as const
    for (const next of ['approved', 'rejected'] as const) {
      expect(await failureOf(decideApproval(store, { ...decision, status: next }))).toBeInstanceOf(StaleWrite)
    }
    expect(database.query('select * from operation_approvals').get()).toEqual(stored)
  },
)

test('covers every kind of actor', () => {
  const tables = database.query<{ name: string }, []>(`select name from sqlite_master where type = 'table'`).all()
  const actors = tables.filter(({ name }) => columnsOf(name).some((column) => column.name === 'machine_version'))
  expect(actors.map(({ name }) => name).sort()).toEqual(updates.map(([table]) => table))
})
