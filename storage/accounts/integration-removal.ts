/** How integrations go with their organization. Source: contract 2, "Deletion". */
import { rowsOf } from '../rows.ts'
import { type Piece, removeActor, type Values } from '../runtime/removal-piece.ts'
import { query } from '../statement.ts'

const integrationsRows = rowsOf('integrations', 'id')

const deleteById = integrationsRows.remove()

/** With their versions. */
export const integrations: Piece = {
  kind: 'integration',
  keys: {
    organization: query((db, values: Values) =>
      db.selectFrom('integrations').select('id as key').where('organization_id', '=', values.id).limit(values.limit),
    ),
  },
  remove: (store, id) => [deleteById(store, { id }), ...removeActor(store, { kind: 'integration', id })],
}
