/** What a sort of rows has to say so that it goes with an organization, a Project or an Agent. Source: contract 2, "Deletion". */
import { deleteTimers } from './actors.ts'
import type { Doomed } from './run-removal.ts'
import { query, write } from './statement.ts'
import type { Compilable, Query, Store, Write } from './store.ts'

export type Target = Doomed['target']
export type Values = Pick<Doomed, 'id' | 'organizationId'> & { limit: number }
export type Keys = (store: Store, values: Values) => Query<{ key: string }>

/** One sort of rows: which of them go with each target, and how one of them goes. */
export interface Piece {
  keys: Partial<Record<Target, Keys>>
  remove(store: Store, key: string, doomed: Doomed): Write[]
  /** The kind of actor whose rows these are. */
  kind?: string
}

const deleteTransitions = write((db, values: { kind: string; id: string }) =>
  db.deleteFrom('transitions').where('actor_id', '=', values.id).where('kind', '=', values.kind),
)
const deleteEffects = write((db, values: { kind: string; id: string }) =>
  db.deleteFrom('effects').where('actor_id', '=', values.id).where('kind', '=', values.kind),
)

/** What the runtime has stored for an actor besides its row. */
export const removeActor = (store: Store, actor: { kind: string; id: string }): Write[] => [
  deleteTransitions(store, actor),
  deleteTimers(store, { kind: actor.kind, actorId: actor.id }),
  deleteEffects(store, actor),
]

export type Below = 'environments.organization_id' | 'environments.project_id'

/** What is found below the Environments of an organization, and in the same way below those of a Project. */
export const belowEnvironments = <Built extends Compilable>(
  find: (db: Store['db'], values: Values, of: Below) => Built,
) => ({
  organization: query((db, values: Values) => find(db, values, 'environments.organization_id')),
  project: query((db, values: Values) => find(db, values, 'environments.project_id')),
})
