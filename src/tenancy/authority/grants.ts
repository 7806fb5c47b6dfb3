/** Converts stored access grants to authority. */
import type { AccessGrantRow } from '../../../storage/tables.ts'
import type { Permission } from '../../platform/http/guard/permissions.ts'
import type { Grant } from './roles.ts'

export const grantsOf = (rows: readonly Pick<AccessGrantRow, 'project_id' | 'permissions'>[]): Grant[] =>
  rows.map(({ project_id, permissions }) => ({
    projectId: project_id,
    permissions: JSON.parse(permissions) as Permission[],
  }))
