/** The bulk action as a kind of actor: its row. `bulk-work.ts` has its effects. Source: contract 14, "Bulk". */
import { type BulkActionContext, type BulkActionEvent, bulkActionMachine } from '../../../machines/run/bulk-action.ts'
import {
  findBulkAction,
  getBulkAction,
  insertBulkAction,
  updateBulkAction,
} from '../../../storage/runs/bulk-actions.ts'
import type { BulkActionRow } from '../../../storage/tables.ts'
import { inScope, isBound, may } from '../../platform/http/guard/authorization-scope.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import { timestampOrNull } from '../../platform/http/timestamp.ts'
import { defineActor } from '../../runtime/define-actor.ts'
import type { Address } from '../../runtime/kind.ts'
import { orPermissions, permissionOf, readPermission } from './permission.ts'

/** The columns of a new row besides its snapshot. */
export type BulkActionSeed = Omit<
  BulkActionRow,
  'state' | 'version' | 'machine_version' | 'context' | 'created_at' | 'updated_at'
> & {
  /** The most active bulk actions of an organization. */
  runningMax: number
}

export const bulkActionAddress = (id: string): Address => ({ kind: 'bulk-action', id })

/** Whether the caller may see it: readers of its part of the organization, and the user who created it. */
export function reachesBulkAction(caller: Caller, row: BulkActionRow): boolean {
  if (row.organization_id !== caller.organizationId) return false
  if (!isBound(caller) && row.user_id === caller.userId) return true
  const place = { projectId: row.project_id, environmentId: row.environment_id, agentId: row.agent_id }
  const permissions = [readPermission, permissionOf[row.action]]
  return inScope(caller, place) && permissions.some((permission) => may(caller, permission, row.project_id))
}

export const bulkActionKind = (
  /** Acts on the next piece. */
  actOnSome: (id: string, piece: number) => Promise<void>,
) =>
  defineActor<BulkActionRow, BulkActionContext, BulkActionEvent, BulkActionSeed>({
    machine: bulkActionMachine,
    table: {
      get: getBulkAction,
      // the bound is not a column of a new row
      insert: (store, row) => insertBulkAction(store, row as BulkActionRow & { runningMax: number }),
      update: updateBulkAction,
    },
    seeded: (seed) => seed,
    describe: ({ cause }) => ({ attempt: 0, reason: cause }),
    effects: {
      actOnSome: { durable: ({ piece }: { piece: number }, { address }) => actOnSome(address.id, piece) },
    },
    view: {
      permission: readPermission,
      orPermissions,
      async isVisible(store, caller, id) {
        const { organizationId } = caller
        const row = await store.first<BulkActionRow>(findBulkAction(store, { id, organizationId }))
        return row !== undefined && reachesBulkAction(caller, row)
      },
      show: ({ matched, pieces, done, failed, failures, cause, endedAt }) => ({
        matched,
        pieces,
        done,
        failed,
        failures,
        cause,
        endedAt: timestampOrNull(endedAt),
      }),
    },
  })
