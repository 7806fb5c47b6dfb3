/** The permissions of the public API by family. Source: requirement 5.8. */
const families = {
  agents: [
    'invoke-operation',
    'manage-workflows',
    'render-presentation',
    'get',
    'list',
    'delete',
    'push',
    'revisions:create',
    'revisions:get',
    'revisions:list',
  ],
  projects: ['list', 'get', 'create', 'update', 'delete', 'read-runtime-data', 'manage-access-grants'],
  analytics: ['read'],
  deployments: ['create'],
  activations: ['create'],
  'env:variables': ['list', 'get', 'create', 'update', 'delete'],
  'provider-credentials': ['list', 'get', 'create', 'update', 'delete', 'versions:create'],
  organizations: ['get', 'delete', 'update', 'manage-user-groups', 'manage-members'],
  'organization-integrations': ['list', 'get', 'create', 'update', 'delete', 'verify', 'presets:list'],
  'organization-variables': ['list', 'manage'],
  connections: ['list', 'get', 'create', 'update', 'delete', 'start-oauth', 'presets:list'],
  'api-keys': ['list', 'get', 'create', 'update', 'revoke'],
  definitions: ['list', 'get', 'create', 'update', 'delete'],
  'operation-invocations': ['list'],
  'operation-approvals': ['list', 'approve', 'reject'],
  workers: ['serve'],
  'agent-runs': [
    'cancel',
    'continue',
    'create',
    'personalize',
    'get',
    'list',
    'stream',
    'update',
    'steps:create',
    'steps:get',
    'steps:list',
    'steps:checkpoints:create',
    'steps:checkpoints:get',
    'checkpoints:list',
    'attempts:complete',
    'attempts:heartbeat',
  ],
  'agent-jobs': ['list', 'get', 'create', 'update', 'delete', 'run-now'],
  webhooks: ['list', 'create', 'delete', 'rotate-secret', 'replay', 'retry-dead', 'rebaseline', 'events:read'],
  templates: ['search', 'read'],
  billing: ['read', 'manage'],
  alerts: ['list', 'manage'],
} as const

type Families = typeof families
export type Permission = { [Family in keyof Families]: `${Family}:${Families[Family][number]}` }[keyof Families]

/** All permissions, in the order of the requirement's table. */
export const permissions: readonly Permission[] = Object.entries(families).flatMap(([family, verbs]) =>
  verbs.map((verb) => `${family}:${verb}` as Permission),
)

/** The message for a name that no permission has: it names those of the family, or the families. */
export function unknownPermission(name: string): string {
  const family = `${name.split(':', 1)[0]}:`
  const near = permissions.filter((permission) => permission.startsWith(family))
  if (near.length > 0) return `There is no such permission. There are: ${near.join(', ')}, ${family}*.`
  const families = new Set(permissions.map((permission) => permission.replace(/:.*$/, ':*')))
  return `There is no such permission. There are: ${[...families].join(', ')}, and * for all.`
}

/** Expands `*` and `family:*`; undefined for an unknown name. */
export function expandPermission(name: string): readonly Permission[] | undefined {
  if (name === '*') return permissions
  if (name.endsWith(':*')) {
    const expanded = permissions.filter((permission) => permission.startsWith(name.slice(0, -1)))
    return expanded.length > 0 ? expanded : undefined
  }
  return permissions.includes(name as Permission) ? [name as Permission] : undefined
}
