/**
 * Checks whether a caller may make all changes of a plan, and what of a plan or an export the caller may read. Source:
 * contract 10, "permissions of all changed parts".
 */

import type { ApplyEvent } from '../../../machines/apply.ts'
import type { Cause } from '../../../machines/words.ts'
import type { ApplyRow, EnvironmentRow, ProjectRow } from '../../../storage/tables.ts'
import { ApiError, notFound, permissionDenied } from '../../platform/http/answers/errors.ts'
import { assertSpansAgents, inScope, may } from '../../platform/http/guard/authorization-scope.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import type { Permission } from '../../platform/http/guard/permissions.ts'
import { type CallerLater, credentialEnded, permissionTaken } from '../../tenancy/authority/later.ts'
import type { PlanChange, Step } from './step.ts'

/**
 * The permissions by which the routes of each kind find a resource by its name and read its content; Project and
 * Environment, of which a plan shows no content, require none.
 */
const reading: Partial<Record<PlanChange['kind'], readonly Permission[]>> = {
  definition: ['definitions:list', 'definitions:get'],
  agent: ['agents:list', 'agents:revisions:get'],
  variable: ['env:variables:list'],
  connection: ['connections:list'],
  model: ['projects:get'],
  job: ['agent-jobs:list'],
  webhook: ['webhooks:list'],
}

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

/**
 * Throws `permission_denied` (403) unless the caller may read everything that an export of the Project contains. A key
 * of an Agent may not: an export is not split by Agent.
 */
export function assertMayExport(caller: Caller, projectId: string): void {
  assertSpansAgents(caller, 'projects:get')
  for (const permission of Object.values(reading).flat()) {
    if (!may(caller, permission, projectId)) throw permissionDenied(permission)
  }
}

/** The changes of a plan, without the values of kinds that the caller may not read. */
export const readableChanges = (
  caller: Caller,
  projectId: string | null,
  changes: readonly PlanChange[],
): PlanChange[] =>
  changes.map((change) => {
    const { kind, differences } = change
    const needed = reading[kind]
    const isOfOthers = needed !== undefined && caller.scope.agentId !== null
    if (!isOfOthers && (needed ?? []).every((permission) => may(caller, permission, projectId))) return change
    return { ...change, differences: differences.map(({ path }) => ({ path, shortened: true })) }
  })

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

/** The permission to create the resource whose work ends with this event; undefined: nothing (more) is created. */
export function neededFor(end: ApplyEvent['type'], row: ApplyRow): Permission | undefined {
  if (end === 'released') return row.release_id === null ? 'deployments:create' : undefined
  if (end === 'configured') return 'deployments:create'
  if (end === 'deployed') return row.deployment_id === null ? 'deployments:create' : undefined
  return end === 'activated' && row.activation_id === null ? 'activations:create' : undefined
}

/**
 * Why the Apply may not do this any more, the changes of a plan or what needs the permission: its key was revoked, its
 * user has left, or a permission was taken since it was requested. undefined: it may go on.
 */
export async function lostAuthority(
  callerLater: CallerLater,
  row: ApplyRow,
  about: readonly Step[] | Permission,
): Promise<Cause | undefined> {
  const caller = await callerLater({ type: row.created_by_type, id: row.created_by_id }, row.organization_id)
  if (!caller) return credentialEnded
  try {
    if (typeof about === 'string') assertMay(caller, about, row.project_id)
    else assertMayWrite(caller, row.project_id, about)
    return undefined
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return permissionTaken(error.details?.permission as Permission)
  }
}
