/**
 * The runs of an organization, a Project or an Agent that is being deleted: finds the live ones and removes ended ones,
 * a bounded number of rows at a time. Source: contract 2, "Deletion".
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { releaseReservation, releaseShare } from '../billing/usage.ts'
import { rowsOf } from '../rows.ts'
import { query, write } from '../statement.ts'
import type { Compilable, Query, Store, Write } from '../store.ts'
import type { DeletionRow } from '../tables.ts'
import { releaseRun, releaseStored } from './run-counts.ts'

const runs = rowsOf('runs', 'id')

/** What is being deleted. */
export interface DeletionTarget {
  target: DeletionRow['target']
  id: string
  organizationId: string
}

export type Place = Pick<DeletionTarget, 'id' | 'organizationId'>

// Literal lists of states, so that an index that begins with organization and state serves.
const toldStates = sql`('queued', 'acquiring', 'starting', 'running', 'awaitingToolResult', 'awaitingDelegateResult')`
const liveStates = sql`('queued', 'acquiring', 'starting', 'running', 'awaitingToolResult', 'awaitingDelegateResult', 'canceling')`

/** The condition for the runs to remove, in the form that an index serves. */
export const ofTarget = (target: DeletionTarget['target'], { id, organizationId }: Place): RawBuilder<SqlBool> => {
  if (target === 'organization') return sql`organization_id = ${id}`
  if (target === 'project') return sql`project_id = ${id}`
  return sql`organization_id = ${organizationId} and agent_id = ${id}`
}

/** The same for live runs, which are few: `coalesce` leaves only the index by organization and state. */
const amongLive = (target: DeletionTarget['target'], { id, organizationId }: Place): RawBuilder<SqlBool> => {
  if (target === 'organization') return sql`organization_id = ${id}`
  const column = sql.ref(target === 'project' ? 'project_id' : 'agent_id')
  return sql`organization_id = ${organizationId} and coalesce(${column}, '') = ${id}`
}

/** A query for each target, compiled once. */
export function perTarget<Values extends Place, Row>(
  build: (target: DeletionTarget['target']) => (store: Pick<Store, 'db'>, values: Values) => Query<Row>,
) {
  const queries = { organization: build('organization'), project: build('project'), agent: build('agent') }
  return (store: Pick<Store, 'db'>, target: DeletionTarget['target'], values: Values): Query<Row> =>
    queries[target](store, values)
}

const listLive = perTarget((target) =>
  query((db, values: Place & { limit: number }) =>
    db
      .selectFrom('runs')
      .select('id')
      .where(amongLive(target, values))
      .where(sql<boolean>`state in ${liveStates}`)
      .limit(values.limit),
  ),
)

const listToTell = perTarget((target) =>
  query((db, values: Place & { limit: number }) =>
    db
      .selectFrom('runs')
      .select('id')
      .where(amongLive(target, values))
      .where(sql<boolean>`state in ${toldStates}`)
      .limit(values.limit),
  ),
)

/** Runs that have not ended, up to `limit`. */
export const liveRuns = (
  store: Pick<Store, 'db' | 'all'>,
  deletion: DeletionTarget,
  limit: number,
): Promise<{ id: string }[]> => store.all(listLive(store, deletion.target, { ...deletion, limit }))

/** Live runs that are not being canceled yet, up to `limit`. */
export const runsToCancel = (
  store: Pick<Store, 'db' | 'all'>,
  deletion: DeletionTarget,
  limit: number,
): Promise<{ id: string }[]> => store.all(listToTell(store, deletion.target, { ...deletion, limit }))

/** Fails the unit of work with `StaleWrite` if the Agent has a live run or does not exist. */
export const agentWithoutLiveRuns = write(
  (db, values: Place) =>
    db
      .updateTable('agents')
      .set((eb) => ({ updated_at: eb.ref('updated_at') }))
      .where('id', '=', values.id)
      .where('organization_id', '=', values.organizationId)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('runs')
              .select('id')
              .where(amongLive('agent', values))
              .where(sql<boolean>`state in ${liveStates}`),
          ),
        ),
      ),
  1,
)

/** The cost of removing a piece of a long text, in rows. */
const rowsOfPiece = 50

/** Tables with rows of a run: the column of the run's id, and a key within the run; `rows`: the weight of a row. */
const tables = [
  { table: 'run_events', owner: 'run_id', key: 'first_sequence' },
  { table: 'agent_steps', owner: 'run_id', key: 'agent_step_id' },
  { table: 'checkpoints', owner: 'run_id', key: 'sequence' },
  { table: 'call_results', owner: 'run_id', key: 'tool_call_id' },
  { table: 'run_inputs', owner: 'run_id', key: 'chain' },
  { table: 'queued_inputs', owner: 'run_id', key: 'input_id' },
  { table: 'run_contexts', owner: 'run_id', key: 'run_id' },
  { table: 'run_threads', owner: 'run_id', key: 'thread_key' },
  { table: 'text_pieces', owner: 'owner_id', key: 'piece_id', rows: rowsOfPiece },
  { table: 'transitions', owner: 'actor_id', key: 'sequence', kind: 'run' },
] as const

/** The rows removed in one unit of work; a run with more is removed in slices. */
export const rowsAtOnce = 200
/** The limit of each table's count. */
const countedMax = 5 * rowsAtOnce

const isOf = ({ owner, ...table }: (typeof tables)[number], runId: unknown) =>
  'kind' in table
    ? sql`${sql.ref(owner)} = ${runId} and kind = ${sql.lit(table.kind)}`
    : sql`${sql.ref(owner)} = ${runId}`

const rowsIn = (each: (typeof tables)[number]) => ('rows' in each ? each.rows : 1)

/** The weighted number of a run's rows in all tables, each counted up to `countedMax`. */
export const rowsOfRun = sql<number>`1 + ${sql.join(
  tables.map(
    (each) =>
      sql`${sql.lit(rowsIn(each))} * (select count(*) from (select 1 from ${sql.table(each.table)} where ${isOf(each, sql.ref('runs.id'))} limit ${sql.lit(countedMax)}) as counted)`,
  ),
  sql` + `,
)}`

const listRuns = perTarget((target) =>
  query((db, values: Place & { limit: number }) =>
    db
      .selectFrom('runs')
      .select(['id', rowsOfRun.as('rows')])
      .where(ofTarget(target, values))
      // the order of each target's index
      .$if(target === 'agent', (rows) => rows.orderBy('environment_id'))
      .orderBy('id')
      .limit(values.limit),
  ),
)

const raw = (statement: RawBuilder<unknown>, db: Store['db']): Compilable => ({ compile: () => statement.compile(db) })

const slices = tables.map((each) =>
  write((db, values: { runId: string; limit: number }) => {
    const [table, key] = [sql.table(each.table), sql.ref(each.key)]
    const mine = isOf(each, values.runId)
    return raw(
      sql`delete from ${table} where ${mine} and ${key} in
        (select ${key} from ${table} where ${isOf(each, values.runId)} order by ${key} limit ${values.limit})`,
      db,
    )
  }),
)
const wholes = tables.map((each) =>
  write((db, values: { runId: string }) =>
    raw(sql`delete from ${sql.table(each.table)} where ${isOf(each, values.runId)}`, db),
  ),
)

/** Deletes the row of an ended run; fails the unit of work with `StaleWrite` if the run is live or gone. */
const deleteEnded = write(
  (db, values: { id: string }) =>
    db.deleteFrom('runs').where('id', '=', values.id).where(sql<boolean>`state not in ${liveStates}`),
  1,
)
/** Fails the unit of work with `StaleWrite` if the run is live or gone. */
const assertEnded = write(
  (db, values: { id: string }) =>
    db
      .updateTable('runs')
      .set((eb) => ({ updated_at: eb.ref('updated_at') }))
      .where('id', '=', values.id)
      .where(sql<boolean>`state not in ${liveStates}`),
  1,
)
const deleteRun = runs.remove()

const deleteRunEffects = write((db, values: { id: string }) =>
  db.deleteFrom('effects').where('actor_id', '=', values.id).where('kind', '=', 'run'),
)

const withRun = (store: Pick<Store, 'db'>, id: string): Write[] => [
  ...wholes.map((whole) => whole(store, { runId: id })),
  deleteRunEffects(store, { id }),
]

/** Removes a run whose record cannot be read, with all its rows, whatever its state. */
export const removeDamagedRun = (store: Pick<Store, 'db'>, id: string): Write[] => [
  releaseReservation(store, { runId: id }),
  releaseShare(store, { runId: id }),
  releaseRun(store, { runId: id }),
  deleteRun(store, { id }),
  ...withRun(store, id),
]

/** A run to remove, and its number of rows. */
export interface RunToRemove {
  id: string
  rows: number
}

/** The next runs to remove, up to `limit`; empty if none is left. */
export const nextRuns = (
  store: Pick<Store, 'db' | 'all'>,
  deletion: DeletionTarget,
  limit: number,
): Promise<RunToRemove[]> => store.all(listRuns(store, deletion.target, { ...deletion, limit }))

const countRows = query((db, values: { id: string }) =>
  db.selectFrom('runs').select(rowsOfRun.as('rows')).where('id', '=', values.id),
)

/** The run's number of rows, counted as by `nextRuns`; undefined if it is gone. */
export const rowsLeft = async (store: Pick<Store, 'db' | 'first'>, id: string): Promise<number | undefined> =>
  (await store.first(countRows(store, { id })))?.rows

/** Removes a few rows of an ended run from each table; the unit fails with `StaleWrite` if the run is live or gone. */
export const removeRowsOfRun = (store: Pick<Store, 'db'>, runId: string): Write[] => [
  assertEnded(store, { id: runId }),
  ...tables.map((each, index) => {
    const limit = Math.max(1, Math.floor(rowsAtOnce / tables.length / rowsIn(each)))
    return (slices[index] as (typeof slices)[number])(store, { runId, limit })
  }),
]

/** Removes an ended run with its remaining rows. The unit fails with `StaleWrite` if it is live (again) or gone. */
export const removeEndedRun = (store: Pick<Store, 'db'>, id: string): Write[] => [
  releaseStored(store, { runId: id }),
  deleteEnded(store, { id }),
  ...withRun(store, id),
]
