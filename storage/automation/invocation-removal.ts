/** How invocations, and their approvals with them, go with an organization, a Project or an Agent. */

import { belowEnvironments, type Piece, removeActor, type Values } from '../runtime/removal-piece.ts'
import { query } from '../statement.ts'
import { deleteInvocation } from './invocations.ts'

export const invocations: Piece = {
  kind: 'operation-invocation',
  keys: {
    ...belowEnvironments((db, values, of) =>
      db
        .selectFrom('environments')
        .innerJoin('operation_invocations', 'operation_invocations.environment_id', 'environments.id')
        .select('operation_invocations.id as key')
        .where(of, '=', values.id)
        .limit(values.limit),
    ),
    agent: query((db, values: Values) =>
      db.selectFrom('operation_invocations').select('id as key').where('agent_id', '=', values.id).limit(values.limit),
    ),
  },
  remove: (store, id) => [deleteInvocation(store, { id }), ...removeActor(store, { kind: 'operation-invocation', id })],
}
