/** Fills an organization with every resource that a path can name. */
import { plantEntity } from '../../automation/entities/planted.ts'
import type { Client } from '../../support/client.ts'
import { eventually } from '../../support/process.ts'

/** The ids from which the paths of the matrix are built. */
export interface Ids {
  organization: string
  project: string
  /** The slug of the Project. */
  slug: string
  apply: string
  environment: string
  agent: string
  revision: string
  group: string
  member: string
  invitation: string
  grant: string
  key: string
  run: string
  definition: string
  definitionRevision: string
  operationsDefinition: string
  release: string
  template: string
  connection: string
  setting: string
  credential: string
  organizationVariable: string
  variable: string
  configurationRevision: string
  deployment: string
  activation: string
  webhook: string
  invocation: string
  approval: string
  delivery: string
  recovery: string
  workflowRun: string
  job: string
  alertRule: string
  bulkAction: string
  entity: string
  integration: string
  pool: string
  poolToken: string
}

/** The definition of an entity. */
export const definitionSource = {
  schema: { type: 'object' },
  states: { initial: 'open', states: { open: {} } },
}

/** The definition of an operation. */
const echo = {
  name: 'echo',
  description: 'Returns its input.',
  inputSchema: {},
  effect: 'read',
  idempotent: true,
  approval: 'never',
  handler: { type: 'echo' },
}

export async function expectStatus(status: number, answer: Promise<{ status: number; body: unknown }>) {
  const { status: actual, body } = await answer
  if (actual !== status) throw new Error(`${actual} instead of ${status}: ${JSON.stringify(body)}`)
  // biome-ignore lint/suspicious/noExplicitAny: responses have many shapes
  return body as any
}

/** Creates, through the API, one of every resource that an organization can have. */
export async function furnish(owner: Client, organization: string, name: string, file: string): Promise<Ids> {
  const made = async (status: number, path: string, body?: object) =>
    (await expectStatus(status, owner.post(path, body))).data
  const project = (await made(201, '/api/v1/projects', { slug: name, name })).id
  const projectPath = `/api/v1/projects/${project}`
  const environments = (await expectStatus(200, owner.get(`${projectPath}/environments`))).data.items
  const agent = (await made(201, `${projectPath}/agents`, { slug: 'agent', name })).id
  const revision = await made(201, `${projectPath}/agents/${agent}/revisions`, {
    content: { instructions: 'Help.', tools: [{ kind: 'builtin', name: 'clock' }] },
    grantedOperations: ['shop.echo', 'shop.ask'],
  })
  const group = (await made(200, `/api/v1/organizations/${organization}/user-groups`, { name })).id
  const members = (await expectStatus(200, owner.get(`/api/v1/organizations/${organization}/members`))).data.items
  const invited = await made(201, `/api/v1/organizations/${organization}/members`, {
    email: `${name}@example.com`,
    role: 'member',
  })
  const member = members[0].userId
  await made(200, `/api/v1/organizations/${organization}/user-groups/${group}/members`, { userId: member })
  const grant = await made(201, `${projectPath}/access-grants`, {
    subject: { type: 'userGroup', id: group },
    permissions: ['agents:get'],
  })
  const key = await made(201, '/api/v1/api-keys', { name, operations: ['agent-runs:get'] })
  const run = await made(200, '/api/v1/agent-runs', { agentId: 'agt_system_assistant', query: 'Hello' })
  const definition = (await made(201, `${projectPath}/definitions`, { name, kind: 'entity' })).id
  const definitionRevision = await made(201, `${projectPath}/definitions/${definition}/revisions`, {
    source: definitionSource,
  })
  const pinned = async (definitionName: string, kind: string, source: object) => {
    const definitionId = (await made(201, `${projectPath}/definitions`, { name: definitionName, kind })).id
    const { id } = await made(201, `${projectPath}/definitions/${definitionId}/revisions`, { source })
    return { definitionId, definitionRevisionId: id }
  }
  const shop = await pinned('shop', 'operations', {
    operations: [echo, { ...echo, name: 'ask', approval: 'always' }],
  })
  const release = await made(201, `${projectPath}/releases`, {
    agents: [{ agentId: agent, agentRevisionId: revision.id }],
    definitions: [
      shop,
      await pinned('flow', 'workflow', { params: {}, steps: [{ id: 'echo', operation: 'shop.echo' }] }),
    ],
  })
  const environmentPath = `${projectPath}/environments/${environments[0].id}`
  const connection = await made(200, `${environmentPath}/connections`, { name, kind: 'custom', settings: {} })
  const setting = await made(200, `${environmentPath}/agents/${agent}/provider-settings`, {})
  const credential = await made(200, `/api/v1/organizations/${organization}/provider-credentials`, {
    label: name,
    provider: 'custom',
    credentialType: 'api_key',
    secret: name,
  })
  const sharedVariable = await made(201, `/api/v1/organizations/${organization}/variables`, {
    name: 'NAME',
    value: name,
  })
  const variable = await made(200, `${environmentPath}/variables`, { name: 'NAME', value: name })
  await expectStatus(200, owner.patch(environmentPath, { lifecycle: 'active', expectedLifecycle: 'provisioning' }))
  const snapshot = await made(201, `${environmentPath}/configuration-revisions`, {
    expectedHeadRevisionId: environments[0].configurationHead.revisionId,
  })
  const webhook = await made(200, `${environmentPath}/webhooks`, {
    endpointUrl: 'https://hooks.example.com/',
    eventTypes: ['deployment.queued'],
  })
  const deployment = await made(202, `${environmentPath}/deployments`, {
    releaseId: release.id,
    configurationRevisionId: snapshot.id,
  })
  await eventually('a ready Deployment', async () => {
    const { body } = await owner.get(`${environmentPath}/deployments/${deployment.id}`)
    return body.data.state === 'ready'
  })
  const delivery = await eventually('a delivery', async () => {
    const { body } = await owner.get(`${environmentPath}/webhooks/${webhook.id}/deliveries`)
    return body.data.items[0]
  })
  const recovery = await made(202, `${environmentPath}/webhooks/${webhook.id}/recover`, {
    since: '2026-01-01T00:00:00.000Z',
  })
  const activation = await made(201, `${environmentPath}/activations`, {
    deploymentId: deployment.id,
    expectedGeneration: 0,
  })
  const operations = `${environmentPath}/agents/${agent}/operations`
  const invocation = await made(202, `${operations}/shop.ask/invoke`, { input: {} })
  const workflowRun = await made(202, `${environmentPath}/workflows`, { agentId: agent, definitionIdOrName: 'flow' })
  const integration = await made(200, `/api/v1/organizations/${organization}/integrations`, {
    presetKey: 'acme',
    clientId: name,
    clientSecret: name,
  })
  const alertRule = await made(201, '/api/v1/alert-rules', {
    name: 'Failing',
    condition: { type: 'failing', count: 1_000, withinMinutes: 5 },
  })
  const bulkAction = await made(202, '/api/v1/bulk-actions', {
    action: 'continue',
    filter: {},
    query: 'Go on.',
    dryRun: true,
  })
  const job = await made(201, `${environmentPath}/agent-jobs`, {
    agentId: agent,
    name,
    schedule: { cron: '0 0 1 1 *' },
    query: 'Report.',
    enabled: false,
  })
  // of the active Release, so that nothing changes
  const content = { instructions: 'Help.', tools: [{ kind: 'builtin', name: 'clock' }] }
  const apply = await made(202, '/api/v1/applies', {
    manifest: {
      version: 1,
      project: { slug: name },
      agents: { agent: { content, grantedOperations: ['shop.echo', 'shop.ask'] } },
    },
    environment: 'development',
  })
  const pool = await made(201, '/api/v1/runner-pools', { name })
  const poolToken = await made(201, `/api/v1/runner-pools/${pool.id}/tokens`, {})
  return {
    organization,
    project,
    slug: name,
    apply: apply.id,
    environment: environments[0].id,
    agent,
    revision: revision.id,
    group,
    member,
    invitation: invited.invitation.id,
    grant: grant.id,
    key: key.id,
    run: run.id,
    definition,
    definitionRevision: definitionRevision.id,
    operationsDefinition: shop.definitionId,
    release: release.id,
    connection: connection.id,
    setting: String(setting.settingId),
    credential: credential.id,
    organizationVariable: sharedVariable.id,
    variable: variable.id,
    configurationRevision: snapshot.id,
    deployment: deployment.id,
    activation: activation.id,
    webhook: webhook.id,
    delivery: delivery.deliveryId,
    recovery: recovery.id,
    workflowRun: workflowRun.workflowRunId,
    job: job.id,
    alertRule: alertRule.id,
    bulkAction: bulkAction.id,
    invocation: invocation.id,
    approval: invocation.approvalId,
    entity: plantEntity(
      file,
      { organization, project, environment: environments[0].id, definitionRevision: definitionRevision.id },
      'order',
    ),
    integration: integration.id,
    pool: pool.id,
    poolToken: poolToken.id,
    template: (await expectStatus(200, owner.get('/api/v1/templates'))).data.items[0].id,
  }
}
