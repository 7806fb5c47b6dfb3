/**
 * People decide: an Agent calls an operation that needs an approval, a workflow does so among other steps, and a job lets
 * the Agent work on a schedule. The waiting run or workflow continues after the decision. Start a server (`npm start`), then
 *
 *     TROUPE_KEY=trp_… npx bun examples/approvals.ts
 */
import { defineAgent, defineOperations, operation, type WorkflowSource } from '@troupe/sdk'
import { troupe, words } from './settings.ts'
import { ready, until } from './until.ts'

words(0)

const order = { type: 'object', properties: { order: { type: 'string' } }, required: ['order'] }
const refund = {
  type: 'object',
  properties: { order: { type: 'string' }, amount: { type: 'number', exclusiveMinimum: 0 } },
  required: ['order', 'amount'],
}
// These operations return their input. In a real Project the handlers call your services over HTTP.
const refunds = defineOperations('refunds', {
  find: operation({ description: 'Finds an order.', input: order, effect: 'read', handler: { type: 'echo' } }),
  pay: operation({
    description: 'Pays an amount back. Somebody has to approve it.',
    input: refund,
    effect: 'write',
    approval: 'always',
    handler: { type: 'echo' },
  }),
})
const refundOrder: WorkflowSource = {
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
}
const clerk = defineAgent('clerk', {
  instructions: 'Pay back what customers are owed.',
  tools: { pay_back: refunds.operations.pay },
})

const slug = `refunds-${Date.now().toString(36)}`
const { id: projectId } = await troupe.projects.create({ slug, name: 'Refunds' })
const [environment] = (await troupe.environments.list({ projectId })).items
if (!environment) throw new Error('A Project has Environments.')
const place = { projectId, environmentId: environment.id }

/** A Definition with its first revision, as a Release pins it. */
async function define(name: string, kind: 'operations' | 'workflow', source: typeof refunds.source | WorkflowSource) {
  const { id: definitionId } = await troupe.definitions.create({ projectId, name, kind })
  const { id: definitionRevisionId } = await troupe.definitions.createRevision({ projectId, definitionId, source })
  return { definitionId, definitionRevisionId }
}
const definitions = [
  await define(refunds.name, 'operations', refunds.source),
  await define('refund-order', 'workflow', refundOrder),
]
const { id: agentId } = await troupe.agents.create({ projectId, slug: clerk.slug, name: 'Clerk' })
const { id: agentRevisionId } = await troupe.agents.createRevision({
  projectId,
  agentId,
  content: clerk.content,
  grantedOperations: ['refunds.find', 'refunds.pay'],
})

// From source to the active Deployment; examples/delivery-path.ts explains each step.
const { id: releaseId } = await troupe.deployments.createRelease({
  projectId,
  agents: [{ agentId, agentRevisionId }],
  definitions,
})
await troupe.environments.update({ ...place, lifecycle: 'active', expectedLifecycle: 'provisioning' })
const { id: configurationRevisionId } = await troupe.deployments.createConfigurationRevision({
  ...place,
  expectedHeadRevisionId: environment.configurationHead.revisionId,
})
const { id: deploymentId } = await troupe.deployments.create({ ...place, releaseId, configurationRevisionId })
await ready({ ...place, deploymentId })
await troupe.deployments.createActivation({ ...place, deploymentId, expectedGeneration: environment.generation })

/** Waits for the next pending approval, and decides it. */
async function decide(decision: 'approve' | 'reject', note: string) {
  const { items } = await until(
    () => troupe.operations.listApprovals({ ...place, status: 'pending' }),
    ({ items: pending }) => pending.length > 0,
  )
  const [approval] = items
  if (!approval) throw new Error('Nobody asks for a decision.')
  console.log(`asked     ${approval.operation} ${JSON.stringify(approval.input)}`)
  const decided = await troupe.operations[decision]({ ...place, approvalId: approval.id, note })
  console.log(`decided   ${decided.status}: ${decided.note}`)
}

// A job asks the Agent every weekday evening; here it is started at once. The sandbox follows the directives in the query.
const job = await troupe.jobs.create({
  ...place,
  agentId,
  name: 'Evening refunds',
  schedule: { cron: '0 18 * * MON-FRI', timezone: 'Europe/Berlin' },
  query: '/call pay_back {"order": "A-17", "amount": 12.5}\n/say Paid back.',
})
console.log(`job       next at ${job.nextRunAt}`)
// the run of a job is one of a workflow if the job starts a workflow
const begun = await troupe.jobs.runNow({ ...place, jobId: job.id })
if (!('id' in begun)) throw new Error('The job starts no workflow.')
const run = troupe.runs.open(begun.id)
await decide('approve', 'A-17 came back yesterday.')
const { text } = await run.output()
console.log(`run       ${(await run.get()).state}: ${text}`)

// The workflow waits in the same way; its approval is rejected.
const { workflowRunId } = await troupe.workflows.startRun({
  ...place,
  agentId,
  definitionIdOrName: 'refund-order',
  params: { order: 'B-4', amount: 900 },
  requestKey: 'B-4',
})
await decide('reject', 'B-4 was never paid.')
const workflowRun = await until(
  () => troupe.workflows.getRun({ ...place, workflowRunId }),
  ({ state }) => ['completed', 'failed', 'canceled'].includes(state),
)
for (const { stepId, state, error } of workflowRun.steps) {
  console.log(`step      ${stepId} ${state}${error ? `: ${error.message}` : ''}`)
}
console.log(`workflow  ${workflowRun.state}`)
