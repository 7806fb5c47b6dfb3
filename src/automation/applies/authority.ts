/** Checks whether a caller may make all changes of a plan. Source: contract 10, "permissions of all changed parts". */

import type { EnvironmentRow, ProjectRow } from '../../../storage/tables.ts'
import { notFound, permissionDenied } from '../../platform/http/answers/errors.ts'
import { inScope, may } from '../../platform/http/guard/authorization-scope.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import type { Permission } from '../../platform/http/guard/permissions.ts'
import type { Step } from './step.ts'

/** Throws `notFound` for an Environment outside the caller's scope, as for a missing one. */
export function assertReached(
  caller: Caller,
  permission: Permission,
  { project, environment }: { project: ProjectRow | null; environment: EnvironmentRow | null },
): void {
  if (!project || !environment) return
  const { agentId } = caller.scope
  if (!inScope(caller, { projectId: project.id, environmentId: environment.id, agentId })) throw notFound()
  if (!may(caller, permission, project.id)) throw notFound()
}

/** Throws `permission_denied` (403), which names the first missing permission. */
export function assertMayWrite(caller: Caller, projectId: string | null, steps: readonly Step[]): void {
  for (const { change, permissions = [] } of steps) {
    for (const permission of permissions) assertMay(caller, permission, projectId, change.environment === null)
  }
}

/** `ofProject`: the change concerns the Project as a whole, so a key that is bound to a part of it may not make it. */
export function assertMay(caller: Caller, permission: Permission, projectId: string | null, ofProject = false): void {
  const { scope } = caller
  const isBeyond =
    (projectId === null && scope.projectId !== null) ||
    (ofProject && scope.environmentId !== null) ||
    scope.agentId !== null
  if (isBeyond || !may(caller, permission, projectId)) throw permissionDenied(permission)
}
