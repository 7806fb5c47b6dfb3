/**
 * People decide: an Agent calls an operation that needs an approval, a workflow does so among other steps, and a job lets
 * the Agent work on a schedule. Whoever waits goes on by itself once somebody has decided. Start a server (`npm start`), then
 *
 *     TROUPE_KEY=trp_… npx bun examples/approvals.ts
 */
import type { components } from './api.ts'
import { dataOf, troupe, until } from './client.ts'

type Source = components['schemas']['NewDefinitionRevision']['source']

const project = await dataOf(
  troupe.POST('/api/v1/projects', { body: { slug: `refunds-${Date.now().toString(36)}`, name: 'Refunds' } }),
)
const inProject = { path: { projectId: project.id } }
const { items } = await dataOf(troupe.GET('/api/v1/projects/{projectId}/environments', { params: inProject }))
const environment = items[0]
if (!environment) throw new Error('A Project has Environments.')
const inEnvironment = { path: { projectId: project.id, environmentId: environment.id } }

/** A Definition with its first revision, as a Release pins it. */
async function define(name: string, kind: 'operations' | 'workflow', source: Source) {
  const { id: definitionId } = await dataOf(
    troupe.POST('/api/v1/projects/{projectId}/definitions', { params: inProject, body: { name, kind } }),
  )
  const params = { path: { ...inProject.path, definitionId } }
  const revision = await dataOf(
    troupe.POST('/api/v1/projects/{projectId}/definitions/{definitionId}/revisions', { params, body: { source } }),
  )
  return { definitionId, definitionRevisionId: revision.id }
}

const order = { type: 'object', properties: { order: { type: 'string' } }, required: ['order'] }
const refund = {
  type: 'object',
  properties: { order: { type: 'string' }, amount: { type: 'number', exclusiveMinimum: 0 } },
  required: ['order', 'amount'],
}
// These answer what they are given. In a Project of yours the handlers call your own services over HTTP.
const operations = await define('refunds', 'operations', {
  operations: [
    {
      name: 'find',
      description: 'Finds an order.',
      inputSchema: order,
      effect: 'read',
      idempotent: true,
      approval: 'never',
      handler: { type: 'echo' },
    },
    {
      name: 'pay',
      description: 'Pays an amount back. Somebody has to approve it.',
      inputSchema: refund,
      effect: 'write',
      idempotent: false,
      approval: 'always',
      handler: { type: 'echo' },
    },
  ],
})
const workflow = await define('refund-order', 'workflow', {
  params: refund,
  steps: [
    { id: 'find', operation: 'refunds.find', input: { order: '{{params.order}}' } },
    {
      id: 'pay',
      operation: 'refunds.pay',
      input: { order: '{{steps.find.output.order}}', amount: '{{params.amount}}' },
    },
  ],
  output: { paid: '{{steps.pay.output.amount}}' },
})

const agent = await dataOf(
  troupe.POST('/api/v1/projects/{projectId}/agents', { params: inProject, body: { slug: 'clerk', name: 'Clerk' } }),
)
const agentRevision = await dataOf(
  troupe.POST('/api/v1/projects/{projectId}/agents/{agentId}/revisions', {
    params: { path: { ...inProject.path, agentId: agent.id } },
    body: {
      content: {
        instructions: 'Pay back what customers are owed.',
        tools: [{ kind: 'operation', name: 'pay_back', operation: 'refunds.pay' }],
      },
      grantedOperations: ['refunds.find', 'refunds.pay'],
    },
  }),
)

// From source to the active Deployment; examples/delivery-path.ts says what each of these is.
const release = await dataOf(
  troupe.POST('/api/v1/projects/{projectId}/releases', {
    params: inProject,
    body: {
      agents: [{ agentId: agent.id, agentRevisionId: agentRevision.id }],
      definitions: [operations, workflow],
    },
  }),
)
await dataOf(
  troupe.PATCH('/api/v1/projects/{projectId}/environments/{environmentId}', {
    params: inEnvironment,
    body: { lifecycle: 'active', expectedLifecycle: 'provisioning' },
  }),
)
const configuration = await dataOf(
  troupe.POST('/api/v1/projects/{projectId}/environments/{environmentId}/configuration-revisions', {
    params: inEnvironment,
    body: { expectedHeadRevisionId: environment.configurationHead.revisionId },
  }),
)
const { id: deploymentId } = await dataOf(
  troupe.POST('/api/v1/projects/{projectId}/environments/{environmentId}/deployments', {
    params: inEnvironment,
    body: { releaseId: release.id, configurationRevisionId: configuration.id },
  }),
)
const deployment = await until(
  () =>
    dataOf(
      troupe.GET('/api/v1/projects/{projectId}/environments/{environmentId}/deployments/{deploymentId}', {
        params: { path: { ...inEnvironment.path, deploymentId } },
      }),
    ),
  ({ state }) => ['ready', 'failed', 'canceled'].includes(state),
)
if (deployment.state !== 'ready') throw new Error(JSON.stringify(deployment.stateReason))
await dataOf(
  troupe.POST('/api/v1/projects/{projectId}/environments/{environmentId}/activations', {
    params: inEnvironment,
    body: { deploymentId, expectedGeneration: environment.generation },
  }),
)

/** Waits for the next request for a decision, and gives one. */
async function decide(decision: 'approve' | 'reject', note: string) {
  const asked = await until(
    () =>
      dataOf(
        troupe.GET('/api/v1/projects/{projectId}/environments/{environmentId}/operation-approvals', {
          params: { ...inEnvironment, query: { status: 'pending' } },
        }),
      ),
    ({ items: pending }) => pending.length > 0,
  )
  const [approval] = asked.items
  if (!approval) throw new Error('Nobody asks for a decision.')
  console.log(`asked     ${approval.operation} ${JSON.stringify(approval.input)}`)
  const params = { path: { ...inEnvironment.path, approvalId: approval.id } }
  const body = { note }
  const decided = await dataOf(
    decision === 'approve'
      ? troupe.POST(
          '/api/v1/projects/{projectId}/environments/{environmentId}/operation-approvals/{approvalId}/approve',
          { params, body },
        )
      : troupe.POST(
          '/api/v1/projects/{projectId}/environments/{environmentId}/operation-approvals/{approvalId}/reject',
          { params, body },
        ),
  )
  console.log(`decided   ${decided.status}: ${decided.note}`)
}

/** Waits for the end of a run. */
const ended = (agentRunId: string) =>
  until(
    () => dataOf(troupe.GET('/api/v1/agent-runs/{agentRunId}', { params: { path: { agentRunId } } })),
    ({ state }) => ['completed', 'failed', 'canceled', 'expired'].includes(state),
  )

// A job asks the Agent every weekday evening; here it is told to begin at once. The sandbox does as the lines say.
const job = await dataOf(
  troupe.POST('/api/v1/projects/{projectId}/environments/{environmentId}/agent-jobs', {
    params: inEnvironment,
    body: {
      agentId: agent.id,
      name: 'Evening refunds',
      schedule: { cron: '0 18 * * MON-FRI', timezone: 'Europe/Berlin' },
      query: '/call pay_back {"order": "A-17", "amount": 12.5}\n/say Paid back.',
    },
  }),
)
console.log(`job       next at ${job.nextRunAt}`)
const run = await dataOf(
  troupe.POST('/api/v1/projects/{projectId}/environments/{environmentId}/agent-jobs/{jobId}/run-now', {
    params: { path: { ...inEnvironment.path, jobId: job.id } },
  }),
)
await decide('approve', 'A-17 came back yesterday.')
console.log(`run       ${(await ended(run.id)).state}`)

// The workflow waits in the same way; this one is turned down.
const started = await dataOf(
  troupe.POST('/api/v1/projects/{projectId}/environments/{environmentId}/workflows', {
    params: inEnvironment,
    body: {
      agentId: agent.id,
      definitionIdOrName: 'refund-order',
      params: { order: 'B-4', amount: 900 },
      requestKey: 'B-4',
    },
  }),
)
await decide('reject', 'B-4 was never paid.')
const workflowRun = await until(
  () =>
    dataOf(
      troupe.GET('/api/v1/projects/{projectId}/environments/{environmentId}/workflows/{workflowRunId}', {
        params: { path: { ...inEnvironment.path, workflowRunId: started.workflowRunId } },
      }),
    ),
  ({ state }) => ['completed', 'failed', 'canceled'].includes(state),
)
for (const { stepId, state, error } of workflowRun.steps) {
  console.log(`step      ${stepId} ${state}${error ? `: ${error.message}` : ''}`)
}
console.log(`workflow  ${workflowRun.state}`)
