/**
 * From source to a running Agent of your own: Project, Agent, operations, Release, configuration, Deployment, Activation,
 * run. Start a server (`npm start`), then
 *
 *     TROUPE_KEY=trp_… npx bun examples/delivery-path.ts
 */
import { defineAgent, defineOperations, operation } from '@troupe/sdk'
import { troupe, words } from './settings.ts'
import { ready } from './until.ts'

words(0)

// An operation, which the Agent can call. This one returns its input; others call HTTP services.
const orders = defineOperations('orders', {
  find: operation({
    description: 'Finds an order by its number.',
    input: { type: 'object', properties: { number: { type: 'string' } }, required: ['number'] },
    effect: 'read',
    handler: { type: 'echo' },
  }),
})
const clerk = defineAgent('clerk', {
  instructions: 'Answer questions about orders. Look an order up before you say anything about it.',
  tools: { find_order: orders.operations.find },
})

const [organization] = (await troupe.organizations.list()).items
console.log(`organization   ${organization?.name}`)

// A Project has three Environments; this is the first one.
const slug = `shop-${Date.now().toString(36)}`
const { id: projectId } = await troupe.projects.create({ slug, name: 'Shop' })
const [environment] = (await troupe.environments.list({ projectId })).items
if (!environment) throw new Error('A Project has Environments.')
const place = { projectId, environmentId: environment.id }
console.log(`project        ${slug}, ${environment.name}`)

// Both are stored as revisions, which are immutable.
const { id: definitionId } = await troupe.definitions.create({ projectId, name: orders.name, kind: orders.kind })
const ordersRevision = await troupe.definitions.createRevision({ projectId, definitionId, source: orders.source })
const { id: agentId } = await troupe.agents.create({ projectId, slug: clerk.slug, name: 'Clerk' })
const agentRevision = await troupe.agents.createRevision({
  projectId,
  agentId,
  content: clerk.content,
  grantedOperations: ['orders.find'],
})
console.log(`agent          ${clerk.slug}, revision ${agentRevision.number}`)

// A Release pins revisions that fit together, and is immutable.
const release = await troupe.deployments.createRelease({
  projectId,
  agents: [{ agentId, agentRevisionId: agentRevision.id }],
  definitions: [{ definitionId, definitionRevisionId: ordersRevision.id }],
})
console.log(`release        ${release.number}, ${release.digest.slice(0, 19)}…`)

await troupe.environments.update({ ...place, lifecycle: 'active', expectedLifecycle: 'provisioning' })
const configuration = await troupe.deployments.createConfigurationRevision({
  ...place,
  expectedHeadRevisionId: environment.configurationHead.revisionId,
})
console.log(`configuration  ${configuration.number}`)

const { id: deploymentId } = await troupe.deployments.create({
  ...place,
  releaseId: release.id,
  configurationRevisionId: configuration.id,
})
const deployment = await ready({ ...place, deploymentId })
console.log(`deployment     ${deployment.state}`)

const activation = await troupe.deployments.createActivation({
  ...place,
  deploymentId,
  expectedGeneration: environment.generation,
})
console.log(`activation     generation ${activation.generation}`)

// The sandbox follows the directives in the query; a real model would decide itself.
const query = '/call find_order {"number": "A-17"}\n/say Order A-17 is on its way.'
const run = await troupe.runs.start({ agent: `${slug}/${environment.kind}/${clerk.slug}`, query })
console.log(`run            ${run.id}`)

// The stream: numbered events, from the beginning until the run ends.
for await (const { type, data } of run) {
  if (type === 'run.transition') console.log(`               ${data.event} → ${data.to}`)
  if (type === 'step.completed') console.log(`               ${data.kind} ${data.name}: ${JSON.stringify(data.output)}`)
}
