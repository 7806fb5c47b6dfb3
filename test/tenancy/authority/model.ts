/**
 * The permissions of a credential, written from the contract only: it shares no code with the server. Source:
 * requirement 5.2; contract 0, "Foreign = missing"; contract 1, "Principals and permissions", "Keys and organizations".
 */

export type Role = 'owner' | 'admin' | 'member'
type Level = 'catalogue' | 'list' | 'whole' | 'organization' | 'project' | 'environment' | 'agent' | 'run'

/** The place of a resource; null above that level. */
export interface Place {
  organization: string
  project: string | null
  environment: string | null
  agent: string | null
}

export interface Operation {
  name: string
  permission: string
  /** The resource in the path, or the place of the operation. */
  level: Level
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  path: (at: Target) => string
  body?: object
  /**
   * The answer to authorized callers: the request is invalid, or the state has no such move, so that nothing changes.
   */
  ok: number
  /** The operation lists no 403. */
  hidden?: true
  /** It requires an API key: requirement 5.6. */
  keysOnly?: true
}

/** The ids of a path. */
export interface Target {
  organization: string
  project: string
  environment: string
  agent: string
  run: string
}

export interface Credential {
  kind: 'key' | 'session'
  user: string
  operations: ReadonlySet<string>
  scope: Pick<Place, 'project' | 'environment' | 'agent'>
  revoked: boolean
}

interface Grant {
  project: string
  /** A user or a group. */
  subject: string
  permissions: readonly string[]
}

/** The current facts. */
export interface Facts {
  home: string
  /** Of members of the home organization. */
  roles: Map<string, Role>
  groups: Map<string, Set<string>>
  grants: Grant[]
  /** The places of Projects, Environments, Agents and runs. */
  places: Map<string, Place>
}

const ownersOnly = ['organizations:delete', 'billing:manage']
const everyMembers = [
  'organizations:get',
  'projects:list',
  'connections:presets:list',
  'organization-integrations:presets:list',
  'templates:search',
  'templates:read',
]

function roleGives(role: Role, permission: string): boolean {
  if (role === 'owner') return true
  return role === 'admin' ? !ownersOnly.includes(permission) : everyMembers.includes(permission)
}

/** The scope of this permission: the whole organization, or some Projects. */
function extent({ roles, groups, grants }: Facts, { user, operations }: Credential, permission: string) {
  const role = roles.get(user)
  if (!role || !operations.has(permission)) return { everywhere: false, projects: new Set<string>() }
  const own = grants.filter(({ subject }) => subject === user || groups.get(subject)?.has(user))
  const giving = own.filter(({ permissions }) => permissions.includes(permission))
  return { everywhere: roleGives(role, permission), projects: new Set(giving.map(({ project }) => project)) }
}

/** Whether the credential reaches this resource with this permission. */
export function reaches(facts: Facts, credential: Credential, permission: string, place: Place | undefined): boolean {
  if (place?.organization !== facts.home) return false
  const { scope } = credential
  const { everywhere, projects } = extent(facts, credential, permission)
  const inScope = (['project', 'environment', 'agent'] as const).every(
    (level) => scope[level] === null || scope[level] === place[level],
  )
  return inScope && (everywhere || (place.project !== null && projects.has(place.project)))
}

/** The status that the credential must get. */
export function statusFor(facts: Facts, credential: Credential, operation: Operation, at: Target): number {
  const { home, roles, places } = facts
  const { kind, user, scope, revoked } = credential
  const { permission, level, method, ok, hidden, keysOnly } = operation
  const refused = hidden ? 404 : 403
  const isMember = roles.has(user)
  if (kind === 'key' && (revoked || !isMember)) return 401
  if (level === 'organization' && (at.organization !== home || !isMember)) return 404
  // a session acts for an organization of its user, and here there is only one
  if (!isMember) return 403
  if (kind === 'session' && keysOnly) return 401

  const { everywhere, projects } = extent(facts, credential, permission)
  if (!everywhere && projects.size === 0) return refused
  if (level === 'catalogue' || level === 'list') return ok
  if (level === 'whole' || level === 'organization') return scope.project === null ? ok : refused
  if (level === 'run') return reaches(facts, credential, permission, places.get(at.run)) ? ok : 404

  const environment = level === 'environment' ? at.environment : null
  const agent = level === 'agent' ? at.agent : null
  const lives = (id: string) => places.get(id)?.organization === home && places.get(id)?.project === at.project
  // outside of the key's scope, foreign or missing: the same
  if (scope.project !== null && scope.project !== at.project) return 404
  if (environment !== null && scope.environment !== null && scope.environment !== environment) return 404
  if (agent !== null && scope.agent !== null && scope.agent !== agent) return 404
  if (!lives(at.project)) return 404
  if (!everywhere && !projects.has(at.project)) return refused
  // a key of an Environment or an Agent may read its Project, and change only what it is bound to
  const above = (scope.environment !== null && environment === null) || (scope.agent !== null && agent === null)
  if (method !== 'GET' && above) return refused
  return [environment, agent].every((id) => id === null || lives(id)) ? ok : 404
}
