/** The places in which a caller may see actors of a kind, and their counts by state. */
import {
  type Counted,
  countsAt,
  countsInOrganization,
  countsInProject,
  type FleetKind,
  placeOfKind,
} from '../../../../storage/runtime/fleet.ts'
import type { Store } from '../../../../storage/store.ts'
import { findPlaceOfEnvironment } from '../../../../storage/tenancy/environments.ts'
import { findProject } from '../../../../storage/tenancy/projects.ts'
import { invalid, permissionDenied } from '../../../platform/http/answers/errors.ts'
import { noSuch } from '../../../platform/http/answers/references.ts'
import {
  assertSpansAgents,
  inScope,
  isBound,
  may,
  maySomewhere,
  partsInScope,
  tooNarrow,
} from '../../../platform/http/guard/authorization-scope.ts'
import type { Caller } from '../../../platform/http/guard/caller.ts'
import type { ActorView } from '../../kind.ts'

/** The place to which a request narrows its result. */
export interface Narrowing {
  projectId?: string
  environmentId?: string
}

/** A kind of actor, and its view. */
export interface ShownKind {
  kind: string
  view: ActorView
}

/** A part of an organization: an Environment, a Project, or all of it. */
export interface Part extends Narrowing {
  organizationId: string
}

/** The id of the part, under which its stays are stored. */
export const placeOf = ({ environmentId, projectId, organizationId }: Part) =>
  environmentId ?? projectId ?? organizationId

/**
 * The parts of the organization whose actors of the kind the caller may see. Throws `not_found` for a place outside the
 * credential's scope, `permission_denied`, and `validation_failed` if a place is given for a kind that belongs to the
 * organization as a whole.
 */
export async function partsFor(store: Store, shown: ShownKind, caller: Caller, filters: Narrowing): Promise<Part[]> {
  const { organizationId } = caller
  const kind = shown.kind as FleetKind
  if (placeOfKind(kind) === 'organization') {
    assertWhole(shown.view, caller)
    assertNowhere(kind, filters)
    return [{ organizationId }]
  }
  const { permission } = shown.view
  // counts do not distinguish Agents
  assertSpansAgents(caller, permission)
  if (!maySomewhere(caller, permission)) throw permissionDenied(permission)
  const projectId = await projectOf(store, caller, filters)
  if (projectId !== undefined && !may(caller, permission, projectId)) throw permissionDenied(permission)
  const { environmentId } = filters
  const within = {
    ...(projectId !== undefined && { projectId }),
    ...(environmentId !== undefined && { environmentId }),
  }
  return partsInScope<Narrowing>(caller, permission, within).map((part) => ({ organizationId, ...part }))
}

/** For kinds of the organization as a whole, and of several types, every permission is required. */
function assertWhole({ permission, orPermissions = [] }: ActorView, caller: Caller) {
  for (const needed of [permission, ...orPermissions]) {
    if (isBound(caller)) throw tooNarrow(caller, needed)
    if (!may(caller, needed, null)) throw permissionDenied(needed)
  }
}

function assertNowhere(kind: string, filters: Narrowing) {
  const message = `An actor of the kind ${kind} is of the organization as a whole; leave this out.`
  const issues = Object.entries(filters).flatMap(([name, value]) =>
    value === undefined ? [] : [{ path: `/query/${name}`, message }],
  )
  if (issues.length > 0) throw invalid(issues)
}

/**
 * The requested Project, or that of the requested Environment. Throws `noSuch` if it is outside the credential's scope.
 */
export async function projectOf(store: Store, caller: Caller, { projectId, environmentId }: Narrowing) {
  const { organizationId } = caller
  const agentId = caller.scope.agentId
  if (environmentId !== undefined) {
    const found = await store.first(findPlaceOfEnvironment(store, { organizationId, id: environmentId }))
    const isThere = found && (projectId === undefined || projectId === found.project_id)
    if (!isThere || !inScope(caller, { projectId: found.project_id, environmentId, agentId })) {
      throw noSuch(projectId === undefined ? 'Environment' : 'Environment in this Project', '/query/environmentId')
    }
    return found.project_id
  }
  if (projectId === undefined) return undefined
  const found = await store.first(findProject(store, { organizationId, id: projectId }))
  const bound = caller.scope.projectId
  if (!found || (bound !== null && bound !== projectId)) throw noSuch('Project', '/query/projectId')
  return projectId
}

/** The places of the part that have such actors, each with its states. */
export async function countsIn(store: Store, kind: FleetKind, part: Part): Promise<Counted[]> {
  const { organizationId, projectId, environmentId } = part
  const of = placeOfKind(kind)
  if (of === 'organization') return store.all(countsAt(store, { kind, place: organizationId }))
  if (environmentId !== undefined) return store.all(countsAt(store, { kind, place: environmentId }))
  if (projectId !== undefined) return store.all(countsInProject(store, { kind, id: projectId }))
  const below = await store.all(countsInOrganization(store, { kind, id: organizationId }))
  const outside = of === 'either' ? await store.all(countsAt(store, { kind, place: organizationId })) : []
  return [...below, ...outside]
}
