/** A Project that serves, made through the SDK: the Agent `clerk` of `shop/development` may call an operation and ask people. */
import type { AgentContent, Troupe } from '@troupe/sdk'

const echo = {
  name: 'find',
  description: 'Finds an order by its number.',
  inputSchema: { type: 'object', properties: { number: { type: 'string' } }, required: ['number'] },
  effect: 'read',
  idempotent: true,
  approval: 'never',
  handler: { type: 'echo' },
} as const

const question = { type: 'object', properties: { question: { type: 'string' } }, required: ['question'] }

const content: AgentContent = {
  instructions: 'Answer questions about orders.',
  tools: [
    { kind: 'operation', name: 'find_order', operation: 'orders.find' },
    { kind: 'interactive', name: 'ask', description: 'Asks whoever started the run.', inputSchema: question },
    { kind: 'interactive', name: 'choose', description: 'Lets them choose.', inputSchema: question },
  ],
  delegates: [{ name: 'expert', description: 'Somebody outside.', external: true }],
}

/** Makes it, with the Deployment active; the ids. */
export async function openShop(troupe: Troupe, slug = 'shop') {
  const { id: projectId } = await troupe.projects.create({ slug, name: 'Shop' })
  const [environment] = (await troupe.environments.list({ projectId })).items
  const environmentId = environment!.id
  const { id: definitionId } = await troupe.definitions.create({ projectId, name: 'orders', kind: 'operations' })
  const operations = await troupe.definitions.createRevision({
    projectId,
    definitionId,
    source: { operations: [echo] },
  })
  const { id: agentId } = await troupe.agents.create({ projectId, slug: 'clerk', name: 'Clerk' })
  const grantedOperations = ['orders.find']
  const revision = await troupe.agents.createRevision({ projectId, agentId, content, grantedOperations })
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
