/** What each action takes: the permission that the action by itself takes. Source: contract 14, "Bulk". */
import type { BulkActionRow } from '../../../storage/tables.ts'
import type { Permission } from '../../platform/http/guard/permissions.ts'

export const permissionOf = {
  cancel: 'agent-runs:cancel',
  continue: 'agent-runs:continue',
  fork: 'agent-runs:create',
} as const satisfies Record<BulkActionRow['action'], Permission>

/** Who may read bulk actions: whoever lists runs, or may do one of them. */
export const readPermission = 'agent-runs:list' as const
export const orPermissions: readonly Permission[] = Object.values(permissionOf)

/** The operation that an action is audited as, for each run. */
export const operationOf = {
  cancel: 'cancelAgentRun',
  continue: 'continueAgentRun',
  fork: 'forkAgentRun',
} as const satisfies Record<BulkActionRow['action'], string>
