/** What a caller may do in an organization, or in one of its Projects. Source: contract 1, "permissions". */
import type { Store } from '../../../storage/store.ts'
import { findProject } from '../../../storage/tenancy/projects.ts'
import { orNoSuch } from '../../platform/http/answers/references.ts'
import { may } from '../../platform/http/guard/authorization-scope.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import { permissions } from '../../platform/http/guard/permissions.ts'
import { projectPermissions } from '../authority/roles.ts'
import type { OwnPermissions, OwnPermissionsQuery } from './schema.ts'

/** Throws `noSuch` for a Project in which the caller may do nothing, as for a missing one. */
export async function ownPermissions(
  store: Store,
  caller: Caller,
  { projectId }: OwnPermissionsQuery,
): Promise<OwnPermissions> {
  if (projectId !== undefined) await assertProject(store, caller, projectId)
  return {
    role: caller.role,
    permissions: permissions.filter((permission) => may(caller, permission, projectId ?? null)),
  }
}

async function assertProject(store: Store, caller: Caller, projectId: string): Promise<void> {
  const { organizationId } = caller
  const mayKnow = projectPermissions.some((permission) => may(caller, permission, projectId))
  orNoSuch(
    mayKnow ? await store.first(findProject(store, { organizationId, id: projectId })) : undefined,
    'Project',
    '/query/projectId',
  )
}
