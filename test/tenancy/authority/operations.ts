/** Operations of every level, each with a request that changes nothing even if it is allowed. */
import type { Operation } from './model.ts'

const organization = ({ organization }: { organization: string }) => `/api/v1/organizations/${organization}`
const project = ({ project }: { project: string }) => `/api/v1/projects/${project}`
const environment = (at: { project: string; environment: string }) => `${project(at)}/environments/${at.environment}`
const agent = (at: { project: string; agent: string }) => `${project(at)}/agents/${at.agent}`
const run = ({ run }: { run: string }) => `/api/v1/agent-runs/${run}`

const get = (permission: string, level: Operation['level'], path: Operation['path']): Operation => ({
  name: '',
  permission,
  level,
  method: 'GET',
  path,
  ok: 200,
})
const change = (
  method: 'POST' | 'PATCH',
  permission: string,
  level: Operation['level'],
  path: Operation['path'],
  ok = 422,
): Operation => ({ name: '', permission, level, method, path, body: { unknownField: true }, ok })

export const operations: Operation[] = [
  get('templates:search', 'catalogue', () => '/api/v1/templates'),

  get('projects:list', 'list', () => '/api/v1/projects'),
  get('agent-runs:list', 'list', () => '/api/v1/agent-runs'),
  change('POST', 'agent-runs:create', 'list', () => '/api/v1/agent-runs'),

  get('api-keys:list', 'whole', () => '/api/v1/api-keys'),
  change('POST', 'api-keys:create', 'whole', () => '/api/v1/api-keys'),
  change('POST', 'projects:create', 'whole', () => '/api/v1/projects'),

  get('organizations:get', 'organization', organization),
  change('PATCH', 'organizations:update', 'organization', organization),
  get('organizations:manage-members', 'organization', (at) => `${organization(at)}/members`),
  change('POST', 'organizations:manage-members', 'organization', (at) => `${organization(at)}/members`),
  get('organizations:manage-members', 'organization', (at) => `${organization(at)}/audit-events`),
  get('organizations:manage-user-groups', 'organization', (at) => `${organization(at)}/user-groups`),
  change('POST', 'organizations:manage-user-groups', 'organization', (at) => `${organization(at)}/user-groups`),

  get('projects:get', 'project', project),
  change('PATCH', 'projects:update', 'project', project),
  get('projects:get', 'project', (at) => `${project(at)}/environments`),
  get('projects:manage-access-grants', 'project', (at) => `${project(at)}/access-grants`),
  change('POST', 'projects:manage-access-grants', 'project', (at) => `${project(at)}/access-grants`),
  get('agents:list', 'project', (at) => `${project(at)}/agents`),
  change('POST', 'agents:push', 'project', (at) => `${project(at)}/agents`),

  get('projects:get', 'environment', environment),
  get('projects:get', 'environment', (at) => `${environment(at)}/transitions`),
  change('PATCH', 'projects:update', 'environment', environment),

  get('agents:get', 'agent', agent),
  change('PATCH', 'agents:push', 'agent', agent),
  get('agents:revisions:list', 'agent', (at) => `${agent(at)}/revisions`),
  change('POST', 'agents:revisions:create', 'agent', (at) => `${agent(at)}/revisions`),

  get('agent-runs:get', 'run', run),
  get('agent-runs:get', 'run', (at) => `${run(at)}/transitions`),
  get('agent-runs:steps:list', 'run', (at) => `${run(at)}/steps`),
  // the runs have ended
  {
    ...change('POST', 'agent-runs:cancel', 'run', (at) => `${run(at)}/cancel`, 409),
    body: {},
    keysOnly: true as const,
  },
  { ...change('POST', 'agent-runs:continue', 'run', (at) => `${run(at)}/continue`), hidden: true as const },
].map((operation) => {
  const words = { organization: '{org}', project: '{prj}', environment: '{env}', agent: '{agt}', run: '{run}' }
  return { ...operation, name: `${operation.method} ${operation.path(words)}` }
})

/** Permissions that apply to one Project: what an access grant may give. */
export const grantable: string[] = [
  ...new Set(
    operations
      .filter(({ level }) => ['project', 'environment', 'agent', 'run'].includes(level))
      .map(({ permission }) => permission),
  ),
  'agent-runs:list',
  'agent-runs:create',
]

export const asked: string[] = [...new Set(operations.map(({ permission }) => permission))]
