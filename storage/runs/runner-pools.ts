/** Runner pools of an organization or of the deployment. */
import { type Kysely, sql } from 'kysely'
import { rowsOf } from '../rows.ts'
import { query, write } from '../statement.ts'
import type { RunnerPoolRow, Tables } from '../tables.ts'

const runnerPools = rowsOf('runner_pools', 'id')

const columns = ['id', 'organization_id', 'name', 'exclusive', 'created_at', 'updated_at'] as const

/** The owner is an organization's id, or '' for the deployment. The expression matches the index. */
const ownedBy = (db: Kysely<Tables>, owner: string) =>
  db.selectFrom('runner_pools').where(sql<boolean>`coalesce(organization_id, '') = ${owner}`)

/** Inserts a pool if the owner has fewer than `poolsMax`; else `StaleWrite`. `UniqueViolation`: the name is taken. */
export const insertRunnerPool = write(
  (db, row: RunnerPoolRow & { owner: string; poolsMax: number }) =>
    db
      .insertInto('runner_pools')
      .columns(columns)
      .expression(
        db
          .selectNoFrom(({ val }) => columns.map((column) => val(row[column]).as(column)))
          .where(
            ownedBy(db, row.owner).select(({ fn }) => fn.countAll<number>().as('count')),
            '<',
            row.poolsMax,
          ),
      ),
  1,
)

/** A pool of any owner. */
export const findRunnerPool = runnerPools.only(...columns).find()

/** Pools before an id, newest first. `owner`: an organization, or '' for the deployment. */
export const listRunnerPools = query((db, values: { owner: string; before: string; limit: number }) =>
  ownedBy(db, values.owner).select(columns).where('id', '<', values.before).orderBy('id', 'desc').limit(values.limit),
)

/** Updates a pool; null leaves a value unchanged. `UniqueViolation`: the name is taken. */
export const updateRunnerPool = write(
  (db, values: { id: string; name: string | null; exclusive: 0 | 1 | null; at: number }) =>
    db
      .updateTable('runner_pools')
      .set({
        name: sql<string>`coalesce(${values.name}, name)`,
        exclusive: sql<0 | 1>`coalesce(${values.exclusive}, exclusive)`,
        updated_at: values.at,
      })
      .where('id', '=', values.id),
  1,
)

/** Deletes a pool with its tokens. */
export const deleteRunnerPool = runnerPools.removeOne()

/** Organizations whose runs use only their own pools. */
export const listExclusiveOrganizations = query((db, _values: object) =>
  db.selectFrom('runner_pools').select('organization_id').distinct().where(sql<boolean>`exclusive = 1`),
)

/** An exclusive pool of the organization, if it has one. */
export const findExclusivePool = query((db, values: { organizationId: string }) =>
  db
    .selectFrom('runner_pools')
    .select('organization_id')
    .where('organization_id', '=', values.organizationId)
    .where(sql<boolean>`exclusive = 1`)
    .limit(1),
)
