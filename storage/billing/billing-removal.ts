/** What billing has stored for an organization that is removed. Source: contract 2, "Deletion"; contract 8. */

import { rowsOf } from '../rows.ts'
import { type Piece, removeActor, type Values } from '../runtime/removal-piece.ts'
import { query } from '../statement.ts'
import { deleteBillingEvent } from './billing.ts'

const subscriptionsRows = rowsOf('subscriptions', 'organization_id')

export const billingEvents: Piece = {
  keys: {
    organization: query((db, values: Values) =>
      db.selectFrom('billing_events').select('id as key').where('organization_id', '=', values.id).limit(values.limit),
    ),
  },
  remove: (store, id) => [deleteBillingEvent(store, { id })],
}

const deleteSubscription = subscriptionsRows.remove()

export const subscriptions: Piece = {
  kind: 'subscription',
  keys: {
    organization: query((db, values: Values) =>
      db
        .selectFrom('subscriptions')
        .select('organization_id as key')
        .where('organization_id', '=', values.id)
        .limit(values.limit),
    ),
  },
  remove: (store, organizationId) => [
    deleteSubscription(store, { organizationId }),
    ...removeActor(store, { kind: 'subscription', id: organizationId }),
  ],
}
