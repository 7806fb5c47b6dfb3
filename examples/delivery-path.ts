/**
 * From source to a running Agent of your own: Project, Agent, operations, Release, configuration, Deployment, Activation,
 * run. Start a server (`npm start`), then
 *
 *     TROUPE_KEY=trp_… npx bun examples/delivery-path.ts
 */
import { baseUrl, dataOf, headers, troupe, until } from './client.ts'

const slug = `shop-${Date.now().toString(36)}`
const [organization] = (await dataOf(troupe.GET('/api/v1/organizations'))).items
console.log(`organization   ${organization?.name}`)

// A Project has three Environments; this is the first one.
const project = await dataOf(troupe.POST('/api/v1/projects', { body: { slug, name: 'Shop' } }))
const inProject = { path: { projectId: project.id } }
const environments = await dataOf(troupe.GET('/api/v1/projects/{projectId}/environments', { params: inProject }))
const environment = environments.items[0]
if (!environment) throw new Error('A Project has Environments.')
const inEnvironment = { path: { projectId: project.id, environmentId: environment.id } }
console.log(`project        ${project.slug}, ${environment.name}`)

// What the Agent can do: an operation. This one answers what it is given; others call HTTP services.
const orders = await dataOf(
  troupe.POST('/api/v1/projects/{projectId}/definitions', {
    params: inProject,
    body: { name: 'orders', kind: 'operations' },
  }),
)
const ordersRevision = await dataOf(
  troupe.POST('/api/v1/projects/{projectId}/definitions/{definitionId}/revisions', {
    params: { path: { projectId: project.id, definitionId: orders.id } },
    body: {
      source: {
        operations: [
          {
            name: 'find',
            description: 'Finds an order by its number.',
            inputSchema: { type: 'object', properties: { number: { type: 'string' } }, required: ['number'] },
            effect: 'read',
            idempotent: true,
            approval: 'never',
            handler: { type: 'echo' },
          },
        ],
      },
    },
  }),
)

const agent = await dataOf(
  troupe.POST('/api/v1/projects/{projectId}/agents', { params: inProject, body: { slug: 'clerk', name: 'Clerk' } }),
)
const agentRevision = await dataOf(
  troupe.POST('/api/v1/projects/{projectId}/agents/{agentId}/revisions', {
    params: { path: { projectId: project.id, agentId: agent.id } },
    body: {
      content: {
        instructions: 'Answer questions about orders. Look an order up before you say anything about it.',
        tools: [{ kind: 'operation', name: 'find_order', operation: 'orders.find' }],
      },
      grantedOperations: ['orders.find'],
    },
  }),
)
console.log(`agent          ${agent.slug}, revision ${agentRevision.number}`)

// A Release pins what belongs together, and never changes.
const release = await dataOf(
  troupe.POST('/api/v1/projects/{projectId}/releases', {
    params: inProject,
    body: {
      agents: [{ agentId: agent.id, agentRevisionId: agentRevision.id }],
      definitions: [{ definitionId: orders.id, definitionRevisionId: ordersRevision.id }],
    },
  }),
)
console.log(`release        ${release.number}, ${release.digest.slice(0, 19)}…`)

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
console.log(`configuration  ${configuration.number}`)

const submitted = await dataOf(
  troupe.POST('/api/v1/projects/{projectId}/environments/{environmentId}/deployments', {
    params: inEnvironment,
    body: { releaseId: release.id, configurationRevisionId: configuration.id },
  }),
)
const deployment = await until(
  () =>
    dataOf(
      troupe.GET('/api/v1/projects/{projectId}/environments/{environmentId}/deployments/{deploymentId}', {
        params: { path: { ...inEnvironment.path, deploymentId: submitted.id } },
      }),
    ),
  ({ state }) => ['ready', 'failed', 'canceled'].includes(state),
)
console.log(`deployment     ${deployment.state}`)
if (deployment.state !== 'ready') throw new Error(JSON.stringify(deployment.stateReason))

const activation = await dataOf(
  troupe.POST('/api/v1/projects/{projectId}/environments/{environmentId}/activations', {
    params: inEnvironment,
    body: { deploymentId: deployment.id, expectedGeneration: environment.generation },
  }),
)
console.log(`activation     generation ${activation.generation}`)

// The sandbox does as the lines say; a real model would find its own way.
const query = '/call find_order {"number": "A-17"}\n/say Order A-17 is on its way.'
const run = await dataOf(
  troupe.POST('/api/v1/agent-runs', { body: { agentId: agent.id, environmentId: environment.id, query } }),
)
console.log(`run            ${run.id}`)

// The stream: numbered events, from the beginning until the run ends.
const stream = await fetch(`${baseUrl}/api/v1/agent-runs/${run.id}/stream?after=0`, { headers })
if (!stream.body) throw new Error(`The stream answered ${stream.status}.`)
let text = ''
for await (const chunk of stream.body.pipeThrough(new TextDecoderStream())) text += chunk
for (const event of text.split('\n\n')) {
  const name = /^event: (.*)$/m.exec(event)?.[1]
  const { data } = JSON.parse(/^data: (.*)$/m.exec(event)?.[1] ?? '{}')
  if (name === 'run.transition') console.log(`               ${data.event} → ${data.to}`)
  if (name === 'step.completed') console.log(`               ${data.kind} ${data.name}: ${JSON.stringify(data.output)}`)
}
