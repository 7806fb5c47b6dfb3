/**
 * The API document lists, for each operation of the requirement, at least the statuses that the requirement lists for it,
 * and HEAD beside every GET. The table is copied from section 4 of the requirement. Source: contract 0, "Decided since".
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { openTroupe, type Troupe } from '../support/troupe.ts'

const places: Record<string, string> = {
  '{O}': '/api/v1/organizations/{organizationIdOrSlug}',
  '{P}': '/api/v1/projects/{projectId}/environments/{environmentId}',
  '{Proj}': '/api/v1/projects/{projectId}',
  '{Run}': '/api/v1/agent-runs/{agentRunId}',
}

const usual = '400, 401, 403, 404, 422, 500'

const required = `
GET /api/v1/billing/plans: 200, 400, 401, 403, 422, 500
POST {O}/billing/checkout: 200, 400, 401, 403, 404, 422, 429, 500, 503
POST {O}/billing/portal: 200, 400, 401, 403, 404, 422, 429, 500, 503
GET {O}/billing/subscription: 200, ${usual}
GET {O}/billing/usage: 200, ${usual}
GET /api/oauth/start/{presetKey}: 302, 400, 401, 403, 404, 422, 429, 500, 503
GET /api/oauth/callback/{presetKey}: 302, 400, 401, 403, 404, 422, 429, 500, 503
GET /api/v1/connection-presets: 200, 400, 401, 403, 422, 500
GET /api/v1/connection-presets/{presetKey}: 200, ${usual}
GET {P}/connections: 200, ${usual}
POST {P}/connections: 200, ${usual}
GET {P}/connections/{connectionId}: 200, ${usual}
PATCH {P}/connections/{connectionId}: 200, ${usual}
DELETE {P}/connections/{connectionId}: 204, 400, 401, 403, 404, 409, 422, 500
GET {P}/connections/health: 200, 400, 401, 403, 404, 409, 422, 500
POST {P}/workflows: 200, 202, 400, 401, 403, 404, 409, 422, 500
GET {P}/workflows/{workflowRunId}: 200, ${usual}
POST {P}/workflows/{workflowRunId}/cancel: 200, ${usual}
POST {P}/workflows/{workflowRunId}/resolve-unknown: 200, 400, 401, 403, 404, 409, 422, 500
POST {P}/workflows/{workflowRunId}/resume: 200, 400, 401, 403, 404, 409, 422, 500
GET /api/v1/organizations: 200, 400, 401, 403, 422, 500
POST /api/v1/organizations: 200, 400, 401, 403, 422, 500
GET {O}: 200, ${usual}
PATCH {O}: 200, 400, 401, 403, 404, 409, 422, 500
DELETE {O}: 202, 400, 401, 403, 404, 409, 422, 500, 503
GET {O}/user-groups: 200, ${usual}
POST {O}/user-groups: 200, ${usual}
GET {O}/user-groups/{userGroupId}: 200, ${usual}
PATCH {O}/user-groups/{userGroupId}: 200, ${usual}
DELETE {O}/user-groups/{userGroupId}: 200, ${usual}
GET {O}/user-groups/{userGroupId}/members: 200, ${usual}
POST {O}/user-groups/{userGroupId}/members: 200, ${usual}
DELETE {O}/user-groups/{userGroupId}/members/{userId}: 200, ${usual}
GET {O}/provider-credentials: 200, 400, 401, 404, 422, 500
POST {O}/provider-credentials: 200, 400, 401, 404, 422, 500
GET {O}/provider-credentials/{credentialId}: 200, 400, 401, 404, 422, 500
PATCH {O}/provider-credentials/{credentialId}: 200, 400, 401, 404, 422, 500
DELETE {O}/provider-credentials/{credentialId}: 200, 400, 401, 404, 409, 422, 500
POST {O}/provider-credentials/{credentialId}/versions: 200, 400, 401, 404, 422, 500
GET /api/v1/organization-integrations/presets: 200, 400, 401, 403, 422, 500
GET {O}/integrations: 200, 400, 401, 403, 422, 500
POST {O}/integrations: 200, 400, 401, 403, 404, 422, 429, 500, 503
GET {O}/integrations/{integrationId}: 200, ${usual}
PATCH {O}/integrations/{integrationId}: 200, 400, 401, 403, 404, 422, 429, 500, 503
DELETE {O}/integrations/{integrationId}: 204, ${usual}
POST {O}/integrations/{integrationId}/verify: 200, 400, 401, 403, 404, 422, 429, 500, 503
GET /api/v1/projects: 200, 400, 401, 403, 422, 500
POST /api/v1/projects: 201, 400, 401, 403, 404, 409, 422, 500
GET {Proj}: 200, ${usual}
PATCH {Proj}: 200, ${usual}
DELETE {Proj}: 202, 400, 401, 403, 404, 409, 422, 500, 503
GET {Proj}/agents: 200, ${usual}
POST {Proj}/agents: 201, 400, 401, 403, 404, 409, 422, 500
GET {Proj}/agents/{agentId}: 200, 400, 401, 403, 404, 409, 422, 500
PATCH {Proj}/agents/{agentId}: 200, ${usual}
DELETE {Proj}/agents/{agentId}: 202, 400, 401, 403, 404, 409, 422, 500
GET {Proj}/agents/{agentId}/revisions: 200, ${usual}
POST {Proj}/agents/{agentId}/revisions: 201
GET {P}/agents/{agentId}/provider-settings: 200, ${usual}
POST {P}/agents/{agentId}/provider-settings: 200, 400, 401, 403, 404, 409, 422, 500
GET {P}/agents/{agentId}/provider-settings/{settingId}: 200, ${usual}
PATCH {P}/agents/{agentId}/provider-settings/{settingId}: 200, 400, 401, 403, 404, 409, 422, 500
DELETE {P}/agents/{agentId}/provider-settings/{settingId}: 200, 400, 401, 403, 404, 409, 422, 500
GET {P}/variables: 200, ${usual}
POST {P}/variables: 200, 400, 401, 403, 404, 409, 422, 500
GET {P}/variables/{variableId}: 200, ${usual}
PATCH {P}/variables/{variableId}: 200, 400, 401, 403, 404, 409, 422, 500
DELETE {P}/variables/{variableId}: 200, 400, 401, 403, 404, 409, 422, 500
GET {P}/events: 200, 400, 401, 403, 404, 409, 422, 500
POST {P}/events/rebaseline: 200, 400, 401, 403, 404, 409, 422, 500
GET {P}/webhooks: 200, ${usual}
POST {P}/webhooks: 200, ${usual}
GET {P}/webhooks/{webhookId}: 200, ${usual}
PATCH {P}/webhooks/{webhookId}: 200, ${usual}
DELETE {P}/webhooks/{webhookId}: 200, ${usual}
GET {P}/webhooks/{webhookId}/deliveries: 200, ${usual}
POST {P}/webhooks/{webhookId}/deliveries/{deliveryId}/replays: 200, 400, 401, 403, 404, 409, 422, 500
POST {P}/webhooks/{webhookId}/deliveries/{deliveryId}/retry: 200, 400, 401, 403, 404, 409, 422, 500
POST {P}/webhooks/{webhookId}/secrets: 200, ${usual}
GET /api/v1/agent-runs: 200, 400, 401, 403, 422, 500
POST /api/v1/agent-runs: 200, 400, 401, 402, 403, 404, 409, 422, 429, 500, 503
GET {Run}: 200, ${usual}
POST {Run}/cancel: 200, 400, 401, 403, 404, 409, 422, 500, 503
GET {Run}/checkpoints: 200, ${usual}
GET {Run}/checkpoints/latest: 200, ${usual}
POST {Run}/continue: 200, 400, 401, 402, 404, 409, 422, 429, 500, 503
GET {Run}/steps: 200, 400, 401, 403, 404, 422, 500, 503
GET {Run}/steps/{agentStepId}: 200, ${usual}
GET {Run}/steps/{agentStepId}/checkpoints/{checkpointId}: 200, 400, 401
HEAD {Run}/steps/{agentStepId}/checkpoints/{checkpointId}: 200, 400, 401
GET {Run}/stream: 200
GET {Run}/transitions: 200
PATCH {P}: 200
POST /api/v1/api-keys: 201
`

const rows = required
  .trim()
  .split('\n')
  .map((line) => {
    const [, method = '', place = '', statuses = ''] = /^([A-Z]+) (\S+): (.+)$/.exec(line) ?? []
    const path = place.replace(/^\{(O|P|Proj|Run)\}/, (name) => places[name] ?? name)
    return { method, path, statuses: statuses.split(', ') }
  })

/** By path, by method in lower case. */
type Paths = Record<string, Record<string, { responses: Record<string, unknown> }>>

let troupe: Troupe
let paths: Paths
beforeAll(async () => {
  troupe = await openTroupe({ environment: { TROUPE_RUNNER: 'none' } })
  paths = ((await (await fetch(`${troupe.url}/docs/json`)).json()) as { paths: Paths }).paths
})
afterAll(() => troupe?.stop())

test('the table is parsed completely', () => {
  expect(rows).toHaveLength(94)
  for (const { method, path, statuses } of rows) {
    expect([method, path, statuses]).toEqual([
      expect.stringMatching(/^(GET|HEAD|POST|PATCH|DELETE)$/),
      expect.stringMatching(/^\/api\/[^:]+$/),
      statuses.map(() => expect.stringMatching(/^[2-5]\d\d$/)),
    ])
  }
})

test.each(rows)('$method $path has the statuses of the requirement', ({ method, path, statuses }) => {
  const listed = Object.keys(paths[path]?.[method.toLowerCase()]?.responses ?? {})
  expect(statuses.filter((status) => !listed.includes(status))).toEqual([])
})

test('every GET has its HEAD, with the same statuses', () => {
  const differing = Object.entries(paths).filter(([, { get, head }]) => {
    const [ofGet, ofHead] = [get, head].map((operation) => Object.keys(operation?.responses ?? {}).join())
    return ofGet !== ofHead
  })
  expect(differing).toEqual([])
})

test('a stop of the server or an absent store is listed as 503 everywhere but where neither matters', () => {
  const without = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([method, { responses }]) => method !== 'head' && !('503' in responses))
      .map(([method]) => `${method} ${path}`),
  )
  expect(without).toEqual(
    ['/healthz', '/metrics', '/docs/json', '/api/v1/machines', '/api/v1/machines/{kind}'].map((path) => `get ${path}`),
  )
})
