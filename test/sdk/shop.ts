/** A Project written with the SDK and applied to the server: the Agent `clerk` may call an operation and ask people. */
import { defineAgent, defineOperations, interactive, operation, type Troupe } from '@troupe/sdk'
import { z } from 'zod'

const orders = defineOperations('orders', {
  find: operation({
    description: 'Finds an order by its number.',
    input: z.object({ number: z.string() }),
    effect: 'read',
    handler: { type: 'echo' },
  }),
})

export const clerk = defineAgent('clerk', {
  name: 'Clerk',
  instructions: 'Answer questions about orders.',
  tools: {
    find_order: orders.operations.find,
    ask: interactive({
      description: 'Asks whoever started the run.',
      input: z.object({ question: z.string() }),
      answer: ({ question }) => `An answer to: ${question}`,
    }),
    choose: interactive({
      description: 'Lets them choose.',
      input: { type: 'object', properties: { question: { type: 'string' } }, required: ['question'] },
    }),
    // every object has a function of this name
    constructor: interactive({
      description: 'Lets them construct.',
      input: { type: 'object', properties: { question: { type: 'string' } }, required: ['question'] },
    }),
  },
  delegates: { expert: { description: 'Somebody outside.', external: true } },
})

/** Creates it, with its Deployment active; returns the ids. */
export async function openShop(troupe: Troupe, slug = 'shop') {
  const { id: projectId } = await troupe.projects.create({ slug, name: 'Shop' })
  const [environment] = (await troupe.environments.list({ projectId })).items
  const environmentId = environment!.id
  const { name, kind, source } = orders
  const { id: definitionId } = await troupe.definitions.create({ projectId, name, kind })
  const operations = await troupe.definitions.createRevision({ projectId, definitionId, source })
  const { id: agentId } = await troupe.agents.create({ projectId, slug: clerk.slug, name: 'Clerk' })
  const grantedOperations = [orders.operations.find.operation]
  const revision = await troupe.agents.createRevision({ projectId, agentId, content: clerk.content, grantedOperations })
  const release = await troupe.deployments.createRelease({
    projectId,
    agents: [{ agentId, agentRevisionId: revision.id }],
    definitions: [{ definitionId, definitionRevisionId: operations.id }],
  })
  const place = { projectId, environmentId }
  await troupe.environments.update({ ...place, lifecycle: 'active', expectedLifecycle: 'provisioning' })
  const configuration = await troupe.deployments.createConfigurationRevision({
    ...place,
    expectedHeadRevisionId: environment!.configurationHead.revisionId,
  })
  const { id: deploymentId } = await troupe.deployments.create({
    ...place,
    releaseId: release.id,
    configurationRevisionId: configuration.id,
  })
  for (;;) {
    const { state, stateReason } = await troupe.deployments.get({ ...place, deploymentId })
    if (state === 'ready') break
    if (state === 'failed') throw new Error(JSON.stringify(stateReason))
    await Bun.sleep(10)
  }
  await troupe.deployments.createActivation({ ...place, deploymentId, expectedGeneration: environment!.generation })
  return { ...place, agentId, deploymentId }
}
