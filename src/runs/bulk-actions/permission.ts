/** The permission of each bulk action: that of the single action. Source: contract 14, "Bulk". */
import type { BulkActionRow } from '../../../storage/tables.ts'
import type { Permission } from '../../platform/http/guard/permissions.ts'

export const permissionOf = {
  cancel: 'agent-runs:cancel',
  continue: 'agent-runs:continue',
  fork: 'agent-runs:create',
} as const satisfies Record<BulkActionRow['action'], Permission>

/** The permissions to read bulk actions: listing runs, or any of the actions. */
export const readPermission = 'agent-runs:list' as const
export const orPermissions: readonly Permission[] = Object.values(permissionOf)

/** The operation in the audit log, for each run of the action. */
export const operationOf = {
  cancel: 'cancelAgentRun',
  continue: 'continueAgentRun',
  fork: 'forkAgentRun',
} as const satisfies Record<BulkActionRow['action'], string>
