/** Ids in a body or a query that name nothing. Source: contract 0, "Foreign = missing", "Errors". */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { newId } from '../../storage/ids.ts'
import { openWorld, type World } from '../delivery/deployments/world.ts'
import type { Place } from '../support/world/places.ts'

let world: World
let place: Place
let agentId: string
let definitionId: string
let userGroupId: string
/** An Environment in which the Agent is deployed. */
let active: Place
let servingAgentId: string
/** What another organization has. */
let foreign: Record<string, string>

beforeAll(async () => {
  world = await openWorld()
  place = await world.place()
  agentId = (await world.agent(place)).agentId
  definitionId = (await world.definition(place, 'shop', ['echo'])).pin.definitionId
  const group = await world.owner.post(`/api/v1/organizations/${world.ours}/user-groups`, { name: 'Support' })
  userGroupId = group.body.data.id
  active = await world.place()
  const serving = await world.ready(active)
  servingAgentId = serving.agent.agentId
  await world.activate(active, serving.id, 0)
  const { id, owner } = world.organization()
  const elsewhere = await world.place(owner, id)
  const { agent, body } = await world.prepared(elsewhere)
  const { projectId: prj, environmentId: env } = elsewhere
  foreign = { agt: agent.agentId, agr: agent.agentRevisionId, rel: body.releaseId, prj, env }
  foreign.cfr = body.configurationRevisionId
})
afterAll(() => world?.stop())

type Prefix = Parameters<typeof newId>[0]
interface Row {
  what: string
  prefix: Prefix
  at: string
  path: (id: string) => string
  /** Omitted: the path has the id. */
  body?: (id: string) => object | Promise<object>
}
const promotion = (changed: object) => ({
  projectId: place.projectId,
  fromEnvironmentId: place.environmentId,
  toEnvironmentId: place.environmentId,
  ...changed,
})

const rows: Row[] = [
  {
    what: 'the Agent of a run',
    prefix: 'agt',
    at: '/body/agentId',
    path: () => '/api/v1/agent-runs',
    body: (agentId) => ({ agentId, query: 'hi' }),
  },
  {
    what: 'the Environment of a run',
    prefix: 'env',
    at: '/body/environmentId',
    path: () => '/api/v1/agent-runs',
    body: (environmentId) => ({ agentId, environmentId, query: 'hi' }),
  },
  {
    what: 'an Agent of a Release',
    prefix: 'agt',
    at: '/body/agents/0',
    path: () => `${place.project}/releases`,
    body: (agentId) => ({ agents: [{ agentId, agentRevisionId: newId('agr') }] }),
  },
  {
    what: 'a Definition of a Release',
    prefix: 'def',
    at: '/body/definitions/0',
    path: () => `${place.project}/releases`,
    body: async (definitionId) => {
      const { agentRevisionId } = await world.revise(place, agentId)
      return {
        agents: [{ agentId, agentRevisionId }],
        definitions: [{ definitionId, definitionRevisionId: newId('dfr') }],
      }
    },
  },
  {
    what: 'the Release of a Deployment',
    prefix: 'rel',
    at: '/body/releaseId',
    path: () => `${place.path}/deployments`,
    body: (releaseId) => ({ releaseId }),
  },
  {
    what: 'the Configuration Revision of a Deployment',
    prefix: 'cfr',
    at: '/body/configurationRevisionId',
    path: () => `${place.path}/deployments`,
    body: async (configurationRevisionId) => ({ ...(await world.prepared(place)).body, configurationRevisionId }),
  },
  {
    what: 'the Deployment of an Activation',
    prefix: 'dep',
    at: '/body/deploymentId',
    path: () => `${place.path}/activations`,
    body: (deploymentId) => ({ deploymentId, expectedGeneration: 0 }),
  },
  {
    what: 'the credential of a Connection',
    prefix: 'crd',
    at: '/body/providerCredentialId',
    path: () => `${place.path}/connections`,
    body: (providerCredentialId) => ({ name: 'Shop', kind: 'custom', settings: {}, providerCredentialId }),
  },
  {
    what: 'the Agent of a Connection',
    prefix: 'agt',
    at: '/body/agentId',
    path: () => `${place.path}/connections`,
    body: (agentId) => ({ name: 'Shop', kind: 'custom', settings: {}, agentId, bindingKey: 'shop' }),
  },
  {
    what: 'the Agent of a variable',
    prefix: 'agt',
    at: '/body/agentId',
    path: () => `${place.path}/variables`,
    body: (agentId) => ({ name: 'REGION', value: 'x', agentId, bindingKey: 'region' }),
  },
  {
    what: 'the source of a variable',
    prefix: 'var',
    at: '/body/sourceVariableId',
    path: () => `${place.path}/variables`,
    body: (sourceVariableId) => ({ name: 'REGION', sourceVariableId, sourceVersion: 1 }),
  },
  {
    what: 'the Agent of a job',
    prefix: 'agt',
    at: '/body/agentId',
    path: () => `${place.path}/agent-jobs`,
    body: (agentId) => ({ agentId, name: 'Nightly', query: 'hi', schedule: { cron: '0 3 * * *', timezone: 'UTC' } }),
  },
  {
    what: 'the Project of an API key',
    prefix: 'prj',
    at: '/body/projectId',
    path: () => '/api/v1/api-keys',
    body: (projectId) => ({ name: 'CI', operations: ['projects:get'], projectId }),
  },
  {
    what: 'the subject of an access grant',
    prefix: 'usr',
    at: '/body/subject/id',
    path: () => `${place.project}/access-grants`,
    body: (id) => ({ subject: { type: 'user', id }, permissions: ['projects:get'] }),
  },
  {
    what: 'the Agent of a workflow run',
    prefix: 'agt',
    at: '/body/agentId',
    path: () => `${active.path}/workflows`,
    body: (agentId) => ({ agentId, definitionIdOrName: 'refund' }),
  },
  {
    what: 'the workflow of a workflow run',
    prefix: 'def',
    at: '/body/definitionIdOrName',
    path: () => `${active.path}/workflows`,
    body: (definitionIdOrName) => ({ agentId: servingAgentId, definitionIdOrName }),
  },
  {
    what: 'the Project of a promotion',
    prefix: 'prj',
    at: '/body/projectId',
    path: () => '/api/v1/promotions',
    body: (projectId) => promotion({ projectId }),
  },
  {
    what: 'the Environment that a promotion is from',
    prefix: 'env',
    at: '/body/fromEnvironmentId',
    path: () => '/api/v1/promotions',
    body: (fromEnvironmentId) => promotion({ fromEnvironmentId }),
  },
  {
    what: 'the Environment that a promotion is to',
    prefix: 'env',
    at: '/body/toEnvironmentId',
    path: () => '/api/v1/promotions',
    body: (toEnvironmentId) => promotion({ toEnvironmentId }),
  },
  {
    what: 'the Environment of an alert rule',
    prefix: 'env',
    at: '/body/environmentId',
    path: () => '/api/v1/alert-rules',
    body: (environmentId) => ({
      name: 'Stuck',
      environmentId,
      condition: { type: 'stuck', count: 1, forMinutes: 5 },
    }),
  },
  {
    what: 'the Environment of an import',
    prefix: 'env',
    at: '/body/mcp/environmentId',
    path: () => `${place.project}/definitions/${definitionId}/import`,
    body: (environmentId) => ({ mcp: { environmentId, connectionId: newId('con') }, connection: 'shop' }),
  },
  {
    what: 'the Connection of an import',
    prefix: 'con',
    at: '/body/mcp/connectionId',
    path: () => `${place.project}/definitions/${definitionId}/import`,
    body: (connectionId) => ({ mcp: { environmentId: place.environmentId, connectionId }, connection: 'shop' }),
  },
  {
    what: 'the template of a Project',
    prefix: 'tpl',
    at: '/body/templateId',
    path: () => '/api/v1/projects',
    body: (templateId) => ({ slug: 'from-template', name: 'From a template', templateId }),
  },
  {
    what: 'the user of an invitation',
    prefix: 'usr',
    at: '/body/userId',
    path: () => `/api/v1/organizations/${world.ours}/members`,
    body: (userId) => ({ userId, role: 'member' }),
  },
  {
    what: 'the member of a user group',
    prefix: 'usr',
    at: '/body/userId',
    path: () => `/api/v1/organizations/${world.ours}/user-groups/${userGroupId}/members`,
    body: (userId) => ({ userId }),
  },
]

const filters: Row[] = [
  {
    what: 'the Environment of alert rules',
    prefix: 'env',
    at: '/query/environmentId',
    path: (environmentId) => `/api/v1/alert-rules?environmentId=${environmentId}`,
  },
  {
    what: 'the Environment of alert rules of a Project',
    prefix: 'env',
    at: '/query/environmentId',
    path: (environmentId) => `/api/v1/alert-rules?projectId=${place.projectId}&environmentId=${environmentId}`,
  },
  {
    what: 'the Environment of the inbox',
    prefix: 'env',
    at: '/query/environmentId',
    path: (environmentId) => `/api/v1/inbox?environmentId=${environmentId}`,
  },
  {
    what: 'the kind of actors',
    prefix: 'prj',
    at: '/query/kind',
    path: (kind) => `/api/v1/actors?kind=${kind}`,
  },
  {
    what: 'the Project of actors',
    prefix: 'prj',
    at: '/query/projectId',
    path: (projectId) => `/api/v1/actors?kind=run&projectId=${projectId}`,
  },
]

async function assertNamed({ prefix, at, path, body }: Row): Promise<void> {
  const asked = async (id: string) => (body ? place.owner.post(path(id), await body(id)) : place.owner.get(path(id)))
  const { status, body: missing } = await asked(newId(prefix))
  const { requestId, ...error } = missing.error
  const message = expect.stringMatching(/^There is no such .+, or the credential does not reach it\.$/)
  expect({ status, ...error }).toEqual({
    status: 404,
    code: 'not_found',
    message,
    details: { issues: [{ path: at, message }] },
  })
  const theirs = foreign[prefix]
  if (theirs === undefined) return
  const { body: hidden } = await asked(theirs)
  expect({ ...hidden.error, requestId }).toEqual(missing.error)
}

describe('a 404 names the field of the body', () => {
  test.each(rows)('$what', (row) => assertNamed(row))
})

describe('a 404 names the parameter of the query', () => {
  test.each(filters)('$what', (row) => assertNamed(row))
})
