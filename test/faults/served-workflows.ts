/** Workflows that are authored, released and deployed on a server that is another process. */
import { operations, type Run } from '../automation/workflows/world.ts'
import { newPlace, type Receiver } from '../events/webhooks/world.ts'
import type { Client } from '../support/client.ts'
import { eventually } from '../support/process.ts'

export interface Served {
  path: string
  environmentPath: string
  agentId: string
}

const granted = operations.flatMap(({ name }) => (name === 'ungranted' ? [] : [name]))
const patient = operations.map((operation) => ({ ...operation, timeoutMs: 30_000 }))

/** An Environment that serves an Agent and workflows with these steps, or of these sources, by name. */
export async function serve(
  client: Client,
  shop: Receiver,
  workflows: Record<string, object[] | { steps: object[]; output?: object }>,
): Promise<Served> {
  const made = async (path: string, body: object) => {
    const { status, body: answer } = await client.post(path, body)
    if (status >= 300) throw new Error(`${path}: ${JSON.stringify(answer)}`)
    return answer.data
  }
  const { projectPath, path } = await newPlace(client)
  const { id: agentId } = await made(`${projectPath}/agents`, { slug: 'clerk', name: 'Clerk' })
  const { id: agentRevisionId } = await made(`${projectPath}/agents/${agentId}/revisions`, {
    content: { instructions: 'Help.' },
    grantedOperations: granted.map((name) => `shop.${name}`),
  })
  const definitions: object[] = []
  const define = async (name: string, kind: string, source: object) => {
    const { id: definitionId } = await made(`${projectPath}/definitions`, { name, kind })
    const { id } = await made(`${projectPath}/definitions/${definitionId}/revisions`, { source })
    definitions.push({ definitionId, definitionRevisionId: id })
  }
  await define('shop', 'operations', { operations: patient })
  for (const [name, given] of Object.entries(workflows)) {
    await define(name, 'workflow', { params: {}, ...(Array.isArray(given) ? { steps: given } : given) })
  }
  await made(`${path}/connections`, {
    name: 'Shop',
    kind: 'http',
    settings: { baseUrl: shop.base },
    agentId,
    bindingKey: 'shop',
  })
  const { id: releaseId } = await made(`${projectPath}/releases`, {
    agents: [{ agentId, agentRevisionId }],
    definitions,
  })
  const { body: environment } = await client.get(path)
  const { id: configurationRevisionId } = await made(`${path}/configuration-revisions`, {
    expectedHeadRevisionId: environment.data.configurationHead.revisionId,
  })
  const { id: deploymentId } = await made(`${path}/deployments`, { releaseId, configurationRevisionId })
  await eventually('a Deployment that is ready', async () => {
    const { body } = await client.get(`${path}/deployments/${deploymentId}`)
    return body.data.state === 'ready'
  })
  await made(`${path}/activations`, { deploymentId, expectedGeneration: environment.data.generation })
  return { path: `${path}/workflows`, environmentPath: path, agentId }
}

export const start = async (client: Client, { path, agentId }: Served, name: string, params = {}): Promise<string> =>
  (await client.post(path, { agentId, definitionIdOrName: name, params })).body.data.workflowRunId

export const until = (client: Client, { path }: Served, id: string, states: string[]): Promise<Run> =>
  eventually(`${id} in ${states}`, async () => {
    const { body } = await client.get(`${path}/${id}`)
    return states.includes(body.data.state) && body.data
  })
