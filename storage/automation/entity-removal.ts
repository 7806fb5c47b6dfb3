/** How entities go with an organization or a Project. Source: contract 2, "Deletion". */

import { belowEnvironments, type Piece, removeActor } from '../runtime/removal-piece.ts'
import { deleteEntity, deleteEntityCall } from './entities.ts'

/** With the statecharts that each had before. */
export const entities: Piece = {
  kind: 'entity',
  keys: belowEnvironments((db, values, of) =>
    db
      .selectFrom('environments')
      .innerJoin('entities', 'entities.environment_id', 'environments.id')
      .select('entities.id as key')
      .where(of, '=', values.id)
      .limit(values.limit),
  ),
  remove: (store, id) => [deleteEntity(store, { id }), ...removeActor(store, { kind: 'entity', id })],
}

/** What calls were answered. */
export const entityCalls: Piece = {
  keys: belowEnvironments((db, values, of) =>
    db
      .selectFrom('environments')
      .innerJoin('entity_calls', 'entity_calls.environment_id', 'environments.id')
      .select('entity_calls.key')
      .where(of, '=', values.id)
      .limit(values.limit),
  ),
  remove: (store, key) => [deleteEntityCall(store, { key })],
}
