/** How one kind of row is deleted with an organization, a Project or an Agent. Source: contract 2, "Deletion". */

import { untyped } from '../rows.ts'
import type { DeletionTarget } from '../runs/run-removal.ts'
import { query, write } from '../statement.ts'
import type { Compilable, Query, Store, Write } from '../store.ts'
import type { Tables } from '../tables.ts'
import { deleteTimers } from './actors.ts'

export type Target = DeletionTarget['target']
export type Values = Pick<DeletionTarget, 'id' | 'organizationId'> & { limit: number }
export type Keys = (store: Pick<Store, 'db'>, values: Values) => Query<{ key: string }>

/** One kind of row: the keys of the rows to delete with each target, and the statements that delete one row. */
export interface DeletionStep {
  keys: Partial<Record<Target, Keys>>
  remove(store: Pick<Store, 'db'>, key: string, deletion: DeletionTarget): Write[]
  /** The kind of actor that has these rows. */
  kind?: string
}

const deleteTransitions = write((db, values: { kind: string; id: string }) =>
  db.deleteFrom('transitions').where('actor_id', '=', values.id).where('kind', '=', values.kind),
)
const deleteEffects = write((db, values: { kind: string; id: string }) =>
  db.deleteFrom('effects').where('actor_id', '=', values.id).where('kind', '=', values.kind),
)

/** The most journal rows deleted in one unit of work; a longer journal is deleted in parts. */
const movesAtOnce = 200

const countMoves = query((db, values: { kind: string; id: string; limit: number }) =>
  db
    .selectFrom(
      db
        .selectFrom('transitions')
        .select('sequence')
        .where('actor_id', '=', values.id)
        .where('kind', '=', values.kind)
        .limit(values.limit)
        .as('some'),
    )
    .select(({ fn }) => fn.countAll<number>().as('count')),
)
const deleteFirstMoves = write((db, values: { kind: string; id: string; limit: number }) =>
  db
    .deleteFrom('transitions')
    .where('actor_id', '=', values.id)
    .where('kind', '=', values.kind)
    .where('sequence', 'in', ({ selectFrom }) =>
      selectFrom('transitions as first')
        .select('first.sequence')
        .where('first.actor_id', '=', values.id)
        .where('first.kind', '=', values.kind)
        .orderBy('first.sequence')
        .limit(values.limit),
    ),
)

/** Whether an actor's journal is too long to delete in one unit of work. */
export const hasLongJournal = async (
  store: Pick<Store, 'db' | 'first'>,
  actor: { kind: string; id: string },
): Promise<boolean> =>
  (await store.first(countMoves(store, { ...actor, limit: movesAtOnce + 1 })))?.count === movesAtOnce + 1

/** Deletes the oldest rows of an actor's journal. */
export const shortenJournal = (store: Pick<Store, 'db'>, actor: { kind: string; id: string }): Write =>
  deleteFirstMoves(store, { ...actor, limit: movesAtOnce })

/** Deletes what the runtime stores for an actor besides its own row. */
export const removeActor = (store: Pick<Store, 'db'>, actor: { kind: string; id: string }): Write[] => [
  deleteTransitions(store, actor),
  deleteTimers(store, { kind: actor.kind, actorId: actor.id }),
  deleteEffects(store, actor),
]

type Below = 'environments.organization_id' | 'environments.project_id'

/** Builds the same query for the Environments of an organization and for those of a Project. */
export const belowEnvironments = <Built extends Compilable>(
  find: (db: Store['db'], values: Values, of: Below) => Built,
) => ({
  organization: query((db, values: Values) => find(db, values, 'environments.organization_id')),
  project: query((db, values: Values) => find(db, values, 'environments.project_id')),
})

/** A table whose rows are deleted, and its columns with the ids of targets; an index begins with each column. */
interface PieceOf {
  table: keyof Tables
  /** The kind of actor that has these rows. */
  kind?: string
  /** The column that identifies a row. */
  key?: string
  organization?: string
  project?: string
  agent?: string
  /** The column of the Environment, if rows are found by the Environments of an organization or a Project. */
  environment?: string
}

/** The deletion step of a table; `keys` has the targets that need a query of their own. */
export function piece(
  { table, kind, key = 'id', environment, ...columns }: PieceOf,
  keys: DeletionStep['keys'] = {},
): DeletionStep {
  const find: DeletionStep['keys'] = {}
  if (environment !== undefined) {
    const below = belowEnvironments((db, values, of) =>
      untyped(db)
        .selectFrom('environments')
        .innerJoin(table as string, `${table}.${environment}`, 'environments.id')
        .select(`${table}.${key} as key`)
        .where(of, '=', values.id)
        .limit(values.limit)
        .$castTo<{ key: string }>(),
    )
    Object.assign(find, below)
  }
  for (const [target, column] of Object.entries(columns)) {
    find[target as Target] = query((db, values: Values) =>
      untyped(db)
        .selectFrom(table as string)
        .select(`${key} as key`)
        .where(column, '=', values.id)
        .limit(values.limit)
        .$castTo<{ key: string }>(),
    )
  }
  const remove = write((db, values: { key: string }) =>
    untyped(db)
      .deleteFrom(table as string)
      .where(key, '=', values.key),
  )
  return {
    ...(kind !== undefined && { kind }),
    keys: { ...find, ...keys },
    remove: (store, id) => [
      remove(store, { key: id }),
      ...(kind === undefined ? [] : removeActor(store, { kind, id })),
    ],
  }
}
