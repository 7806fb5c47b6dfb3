/** A list that filters by name uses the index of names; lists without one walk the index of their bounded parent. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { listAgents } from '../../storage/authoring/agents.ts'
import { listDefinitions } from '../../storage/authoring/definitions.ts'
import { listJobs, listJobsOfAgent } from '../../storage/automation/agent-jobs.ts'
import { listConnections } from '../../storage/delivery/connections.ts'
import { listOrganizationVariables } from '../../storage/delivery/organization-variables.ts'
import { listCredentials } from '../../storage/delivery/provider-credentials.ts'
import { listVariables } from '../../storage/delivery/variables.ts'
import type { Query, Store } from '../../storage/store.ts'
import { listOrganizationsOf } from '../../storage/tenancy/organizations.ts'
import { listProjects } from '../../storage/tenancy/projects.ts'
import { openMigrated } from '../support/stores/migrated-store.ts'

let store: Store
beforeAll(async () => {
  store = await openMigrated()
})
afterAll(() => store?.close())

const values = {
  named: 'name',
  organizationId: 'o',
  projectId: 'p',
  environmentId: 'e',
  agentId: 'a',
  userId: 'u',
  sessionBeganAt: 1,
  before: '~',
  beforeId: '~',
  limit: 20,
}

const lists: [string, (store: Store, asked: typeof values) => Query<unknown>, RegExp][] = [
  ['projects', listProjects, /projects .*\(organization_id=\? AND slug=\?\)/],
  ['agents', listAgents, /agents .*\(project_id=\? AND slug=\?\)/],
  ['definitions', listDefinitions, /definitions .*\(project_id=\? AND name=\?\)/],
  ['connections', listConnections, /connections .*\(environment_id=\? AND name=\?\)/],
  ['organization variables', listOrganizationVariables, /variable .*\(organization_id=\? AND name=\?\)/],
  // bounded by their parent: at most 1,000 variables and 200 jobs in an Environment, 200 credentials in an organization
  ['variables', listVariables, /variable .*\(environment_id=\? AND id<\?\)/],
  ['jobs', listJobs, /agent_jobs .*\(environment_id=\? AND id<\?\)/],
  ['jobs of an Agent', listJobsOfAgent, /agent_jobs .*\(agent_id=\? AND id<\?\)/],
  ['credentials', listCredentials, /provider_credentials .*\(organization_id=\?\)/],
  ['organizations', listOrganizationsOf, /organizations .*\(slug=\?\)/],
]
test.each(lists)('%s by name', async (_, list, searched) => {
  const { sql, parameters } = list(store, values)
  const plan = await store.all<{ detail: string }>({ sql: `explain query plan ${sql}`, parameters })
  const steps = plan.map(({ detail }) => detail)
  expect(steps.join('\n')).toMatch(searched)
  expect(steps.filter((step) => step.startsWith('SCAN'))).toEqual([])
})
