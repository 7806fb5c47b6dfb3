/** Resources that can be found by id, and the permission to read each: that of its own operation. */
import type { FoundPrefix } from '../../../storage/tenancy/whereabouts.ts'
import type { Permission } from '../../platform/http/guard/permissions.ts'

export const readPermissions: Record<FoundPrefix, Permission> = {
  prj: 'projects:get',
  env: 'projects:get',
  agt: 'agents:get',
  agr: 'agents:revisions:get',
  def: 'definitions:get',
  dfr: 'definitions:get',
  rel: 'projects:get',
  cfr: 'projects:get',
  dep: 'projects:get',
  act: 'projects:get',
  apl: 'projects:get',
  var: 'env:variables:get',
  con: 'connections:get',
  cnv: 'connections:get',
  ogr: 'connections:get',
  crd: 'provider-credentials:get',
  int: 'organization-integrations:get',
  evt: 'webhooks:events:read',
  alr: 'alerts:list',
  ali: 'alerts:list',
  whk: 'webhooks:list',
  whr: 'webhooks:list',
  dlv: 'webhooks:list',
  run: 'agent-runs:get',
  wfr: 'agents:manage-workflows',
  opi: 'operation-invocations:list',
  apr: 'operation-approvals:list',
  job: 'agent-jobs:get',
  ent: 'projects:read-runtime-data',
  key: 'api-keys:get',
  ugr: 'organizations:manage-user-groups',
  grt: 'projects:manage-access-grants',
}

/** The permission to read a variable of the organization. */
export const ofOrganizationVariables: Permission = 'organization-variables:list'

/** What keys that are bound to an Agent never read. */
export const hiddenFromAgents: ReadonlySet<FoundPrefix> = new Set<FoundPrefix>(['alr', 'ali'])
