/** The routes of bulk actions. Source: contract 14, "Bulk". */
import { Elysia } from 'elysia'
import { creating, keyErrorsWithConflict } from '../../platform/http/changes/creations.ts'
import type { Idempotency } from '../../platform/http/changes/idempotency.ts'
import { doc } from '../../platform/http/doc.ts'
import type { Naming } from '../../platform/http/guard/find.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { dataOf, IdempotencyHeader } from '../../platform/http/schema.ts'
import { orPermissions, readPermission } from './permission.ts'
import { BulkAction, BulkActionPath, NewBulkAction } from './schema.ts'
import { type BulkActionParts, BulkActions } from './service.ts'

const resource = 'bulkAction'

interface BulkActionRoutesParts extends Omit<BulkActionParts, 'lists'> {
  guarded: Guarded
  idempotency: Idempotency
  runs: Pick<BulkActionParts, 'lists'>
}

export function bulkActionRoutes({ guarded, runs, idempotency, ...parts }: BulkActionRoutesParts) {
  const create = creating(idempotency)
  const bulkActions = new BulkActions({ ...parts, lists: runs.lists })
  const find = ({ caller, params }: Naming<typeof BulkActionPath>) => bulkActions.find(caller, params.bulkActionId)
  const findToChange = ({ caller, params }: Naming<typeof BulkActionPath>) =>
    bulkActions.findToChange(caller, params.bulkActionId)

  return new Elysia({ name: 'bulk-actions', prefix: '/api/v1/bulk-actions', tags: ['Agent runs'] })
    .use(guarded)
    .post(
      '',
      (context) =>
        create(context, {
          status: 202,
          work: ({ caller, body, requestId, requestIdFrom }, record) =>
            bulkActions.begin(caller, body, { requestId, requestIdFrom }, record),
          assertInScope: ({ caller }, id) => bulkActions.find(caller, id),
        }),
      {
        permission: readPermission,
        orPermissions,
        resource,
        headers: IdempotencyHeader,
        body: NewBulkAction,
        response: { 202: dataOf(BulkAction) },
        errors: [...keyErrorsWithConflict, 'unsupported_filter', 'limit_exceeded', 'concurrent_change'],
        detail: doc(
          'createBulkAction',
          'Act on many runs',
          'Cancels, continues or forks all runs that match, in the background. The set of runs is fixed now; the oldest come ' +
            'first, and no run is acted on twice, even after a crash. Requires the permission of the action. Refusals are ' +
            'counted, and the other runs follow. At most 10 actions run at once in an organization.',
        ),
      },
    )
    .get(
      '/:bulkActionId',
      async ({ caller, params }) => ({ data: await bulkActions.get(caller, params.bulkActionId) }),
      {
        permission: readPermission,
        orPermissions,
        params: BulkActionPath,
        find,
        response: { 200: dataOf(BulkAction) },
        detail: doc(
          'getBulkAction',
          'Get a bulk action',
          'Its progress. `GET /api/v1/actors/bulk-action/{id}/stream` reports its end, after which it is kept for 30 days.',
        ),
      },
    )
    .post(
      '/:bulkActionId/cancel',
      async ({ caller, params, record }) => ({
        data: await bulkActions.cancel(caller, params.bulkActionId, record),
      }),
      {
        permission: readPermission,
        orPermissions,
        resource,
        params: BulkActionPath,
        find: findToChange,
        response: { 200: dataOf(BulkAction) },
        errors: ['invalid_transition'],
        detail: doc(
          'cancelBulkAction',
          'Cancel a bulk action',
          'Completed actions remain; no further run is acted on.',
        ),
      },
    )
}
