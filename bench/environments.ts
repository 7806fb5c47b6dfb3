/** Environments with an active Deployment, created over the API. */
import { until } from './load.ts'
import type { Server } from './server.ts'
import { getJson } from './troupe.ts'

export interface DeployedEnvironment {
  environmentId: string
  /** Its API path. */
  path: string
  /** An Agent of its active Deployment. */
  agentId: string
}

interface Named {
  id: string
}

/** Sends JSON; returns the data of the answer. Throws unless it succeeds. */
export async function send<Data = Named>(
  { port, key }: Server,
  method: string,
  path: string,
  body: object,
): Promise<Data> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`)
  return ((await answer.json()) as { data: Data }).data
}

/** The content of a Definition revision, by the name of its Definition. */
type Operations = Record<string, { operations: { name: string }[] }>
type Workflows = Record<string, { params: object; steps: object[] }>

/**
 * A new Project, its first Environment, and an Agent that is deployed there with these workflows, and with all these
 * operations granted; with Connections, each a name and its address, the Agent may call them itself.
 */
export async function deployAgent(
  server: Server,
  slug: string,
  operations: Operations = {},
  connections: Readonly<Record<string, string>> = {},
  workflows: Workflows = {},
): Promise<DeployedEnvironment> {
  const { id: projectId } = await send(server, 'POST', '/api/v1/projects', { slug, name: slug })
  const project = `/api/v1/projects/${projectId}`
  const { data } = await getJson<{ data: { items: (Named & { configurationHead: { revisionId: string } })[] } }>(
    server,
    `${project}/environments`,
  )
  const { id: environmentId, configurationHead } = data.items[0]!
  const path = `${project}/environments/${environmentId}`
  const { id: agentId } = await send(server, 'POST', `${project}/agents`, { slug: 'agent', name: 'Agent' })
  const definitions: { definitionId: string; definitionRevisionId: string }[] = []
  const define = async (name: string, kind: string, source: object) => {
    const { id: definitionId } = await send(server, 'POST', `${project}/definitions`, { name, kind })
    const revisions = `${project}/definitions/${definitionId}/revisions`
    const { id: definitionRevisionId } = await send(server, 'POST', revisions, { source })
    definitions.push({ definitionId, definitionRevisionId })
  }
  for (const [name, source] of Object.entries(operations)) await define(name, 'operations', source)
  for (const [name, source] of Object.entries(workflows)) await define(name, 'workflow', source)
  const granted = Object.entries(operations).flatMap(([definition, source]) =>
    source.operations.map(({ name }) => ({ name, operation: `${definition}.${name}` })),
  )
  const tools = Object.keys(connections).length > 0 ? granted.map((tool) => ({ kind: 'operation', ...tool })) : []
  const { id: agentRevisionId } = await send(server, 'POST', `${project}/agents/${agentId}/revisions`, {
    content: { instructions: 'Answer.', ...(tools.length > 0 && { tools }) },
    grantedOperations: granted.map(({ operation }) => operation),
  })
  await send(server, 'PATCH', path, { lifecycle: 'active', expectedLifecycle: 'provisioning' })
  for (const [bindingKey, baseUrl] of Object.entries(connections)) {
    const connection = { name: bindingKey, kind: 'http', settings: { baseUrl }, agentId, bindingKey }
    await send(server, 'POST', `${path}/connections`, connection)
  }
  const { id: releaseId } = await send(server, 'POST', `${project}/releases`, {
    agents: [{ agentId, agentRevisionId }],
    definitions,
  })
  const { id: configurationRevisionId } = await send(server, 'POST', `${path}/configuration-revisions`, {
    expectedHeadRevisionId: configurationHead.revisionId,
  })
  const { id: deploymentId } = await send(server, 'POST', `${path}/deployments`, { releaseId, configurationRevisionId })
  await until('a Deployment', 10_000, async () => {
    const deployment = await getJson<{ data: { state: string } }>(server, `${path}/deployments/${deploymentId}`)
    return deployment.data.state === 'ready'
  })
  await send(server, 'POST', `${path}/activations`, { deploymentId, expectedGeneration: 0 })
  return { environmentId, path, agentId }
}
