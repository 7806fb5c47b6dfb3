/**
 * A caller's authorization scope: which permission, in which part of the organization. Pure. Source: requirement 5.2;
 * contract 1, "Keys and organizations", "permissions".
 */
import { keyTooNarrow } from '../answers/errors.ts'
import type { Caller, Scope } from './caller.ts'
import type { Permission } from './permissions.ts'

/** The place of a resource. A resource without a Project (a System Agent) has none. */
export type Place = Scope

/** Whether the caller has the permission in the Project; with null, in the organization as a whole. */
export const may = (caller: Caller, permission: Permission, projectId: string | null): boolean =>
  caller.permissions.has(permission) || (projectId !== null && grantedIn(caller, permission, projectId))

const grantedIn = ({ granted }: Caller, permission: Permission, projectId: string): boolean =>
  granted.get(projectId)?.has(permission) ?? false

/** Whether the caller has the permission anywhere. */
export function maySomewhere({ permissions, granted }: Caller, permission: Permission): boolean {
  if (permissions.has(permission)) return true
  for (const inProject of granted.values()) if (inProject.has(permission)) return true
  return false
}

/** The Projects in which access grants give the permission; undefined if the caller has it everywhere. */
export const grantedProjects = ({ permissions, granted }: Caller, permission: Permission): string[] | undefined =>
  permissions.has(permission)
    ? undefined
    : [...granted].flatMap(([projectId, inProject]) => (inProject.has(permission) ? [projectId] : []))

/** The part to which a request about the whole organization may be narrowed. */
type Part = { [Name in keyof Scope]?: string }

/**
 * The parts that a list or a count covers: the requested part within the credential's scope, split by Project where the
 * caller has the permission only in some. Empty if the two do not overlap.
 */
export function partsInScope<Requested extends Part>(
  caller: Caller,
  permission: Permission,
  requested: Requested,
): Requested[] {
  const within = { ...requested }
  for (const name of ['projectId', 'environmentId', 'agentId'] as const) {
    const bound = caller.scope[name]
    if (bound === null) continue
    if (requested[name] !== undefined && requested[name] !== bound) return []
    within[name] = bound
  }
  const granted = grantedProjects(caller, permission)
  if (!granted) return [within]
  return granted
    .filter((projectId) => within.projectId === undefined || within.projectId === projectId)
    .map((projectId) => ({ ...within, projectId }))
}

/** Whether the place is within the credential's scope. A scope with a Project excludes System Agents. */
export const inScope = ({ scope }: Caller, { projectId, environmentId, agentId }: Place): boolean =>
  (scope.projectId === null || scope.projectId === projectId) &&
  (scope.environmentId === null || scope.environmentId === environmentId) &&
  (scope.agentId === null || scope.agentId === agentId)

/** Whether the caller has the permission for a resource at this place. */
export const isWithinScope = (caller: Caller, permission: Permission, place: Place): boolean =>
  inScope(caller, place) && may(caller, permission, place.projectId)

/** Whether the credential is bound to a part of the organization. */
export const isBound = ({ scope }: Pick<Caller, 'scope'>): boolean => scope.projectId !== null

/** The narrowest place that a bound caller is bound to. */
function boundTo({ scope: { environmentId, agentId } }: Pick<Caller, 'scope'>) {
  if (agentId !== null) return 'Agent'
  return environmentId === null ? 'Project' : 'Environment'
}

/** The refusal of a bound caller, whatever the caller's permissions. */
export const tooNarrow = (caller: Pick<Caller, 'scope'>, permission: Permission) =>
  keyTooNarrow(permission, boundTo(caller))

/** Throws `permission_denied` for a caller that is bound to an Agent: what it requests is not split by Agent. */
export function assertSpansAgents(caller: Pick<Caller, 'scope'>, permission: Permission): void {
  if (caller.scope.agentId !== null) throw tooNarrow(caller, permission)
}
