/** Fills a server with data of every kind, over the API of its version. */
import type { Held, OldStore, Read } from './stores.ts'

// biome-ignore lint/suspicious/noExplicitAny: the answers are those of earlier servers
type Loose = any

interface Server {
  url: string
  key: string
  runnerToken: string
}

/** A port without a listener. */
const nowhere = 'http://127.0.0.1:9'

function callsOf({ url, key }: Server) {
  const call = async (method: string, path: string, body?: object, credential = key): Promise<Loose> => {
    const answer = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${credential}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
    return text && JSON.parse(text).data
  }
  const until = async (path: string, isThere: (found: Loose) => boolean): Promise<Loose> => {
    for (let looks = 0; looks < 600; looks += 1) {
      const found = await call('GET', path)
      if (isThere(found)) return found
      await Bun.sleep(50)
    }
    throw new Error(`${path} did not come to it: ${JSON.stringify(await call('GET', path))}`)
  }
  return { call, until }
}
type Calls = ReturnType<typeof callsOf>

/** Advances the oldest queued run to `goal`, as a runner would. */
async function work({ call }: Calls, token: string, goal: 'ended' | 'waiting' | 'held') {
  const leased = await call('POST', '/api/v1/runner/leases', { machineId: `machine-${goal}`, waitSeconds: 10 }, token)
  const { agentRunId, attemptId } = leased.lease
  const attempt = `/api/v1/agent-runs/${agentRunId}/attempts/${attemptId}`
  const report = (method: string, path: string, body: object) => call(method, attempt + path, body, leased.attemptToken)
  await report('POST', '/boot', {})
  const asked = { toolCallId: 'call_1', toolName: 'ask', input: { question: 'Which one?' } }
  const { agentStepId } = await report('POST', '/steps', { kind: 'model', name: 'sandbox', input: { messages: 1 } })
  const isEnd = goal === 'ended'
  await report('PATCH', `/steps/${agentStepId}`, {
    status: 'completed',
    output: { text: isEnd ? 'At once.' : '', toolCalls: isEnd ? [] : [asked] },
  })
  const content = isEnd ? 'At once.' : [{ type: 'tool-call', ...asked }]
  await report('POST', `/steps/${agentStepId}/checkpoints`, {
    kind: 'step',
    runtimeCheckpoint: {
      version: 1,
      messages: [
        { role: 'user', content: goal },
        { role: 'assistant', content },
      ],
      stepCount: 1,
      pendingToolCalls: isEnd ? [] : [asked],
      chain: 1,
    },
  })
  if (isEnd) await report('POST', '/complete', { outcome: 'completed', stopReason: 'end_turn', output: 'At once.' })
  if (goal !== 'waiting') return
  const step = await report('POST', '/steps', { kind: 'tool', name: 'ask', execution: { toolCallId: 'call_1' } })
  await report('PATCH', `/steps/${step.agentStepId}`, { status: 'waiting' })
  await report('POST', '/complete', { outcome: 'awaitingToolResult', awaiting: [{ kind: 'tool', ...asked }] })
}

const echo = (name: string, changes: object = {}) => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: 'object' },
  effect: 'read',
  idempotent: true,
  approval: 'never',
  handler: { type: 'echo' },
  ...changes,
})
const createOrder = { effect: 'write', handler: { type: 'entity', entity: 'order', action: 'create' } }
const order = {
  schema: { type: 'object', properties: { total: { type: 'integer' } }, required: ['total'] },
  states: { initial: 'open', states: { open: { on: { pay: 'paid' } }, paid: { final: true } } },
}
const ship = {
  params: { type: 'object' },
  steps: [
    { id: 'order', operation: 'shop.order', input: { data: { total: 3 } } },
    { id: 'allow', operation: 'shop.allow', input: { sum: 7 }, after: ['order'] },
  ],
  output: { paid: '{{steps.allow.output.sum}}' },
}

/** Creates a Deployment and everything it needs. */
async function deliver({ call, until }: Calls, areas: OldStore['areas']) {
  const reads: Read[] = []
  const make = async (path: string, body: object, has: string[] = ['id']): Promise<Loose> => {
    const made = await call('POST', path, body)
    reads.push({ path: `${path}/${made.id}`, has: Object.fromEntries(has.map((field) => [field, made[field]])) })
    return made
  }
  const project = await make('/api/v1/projects', { slug: 'shop', name: 'Shop' }, ['id', 'slug', 'name'])
  const inProject = `/api/v1/projects/${project.id}`
  const [environment] = (await call('GET', `${inProject}/environments`)).items
  const path = `${inProject}/environments/${environment.id}`
  await call('PATCH', path, { lifecycle: 'active', expectedLifecycle: 'provisioning' })
  reads.push({ path, has: { id: environment.id, lifecycle: 'active' } })

  const define = async (name: string, kind: string, source: object) => {
    const { id } = await make(`${inProject}/definitions`, { name, kind }, ['id', 'name', 'kind'])
    const { id: definitionRevisionId } = await call('POST', `${inProject}/definitions/${id}/revisions`, { source })
    return { definitionId: id, definitionRevisionId }
  }
  const hasAutomation = areas.includes('automation')
  const more = hasAutomation ? [echo('order', createOrder), echo('allow', { approval: 'always' })] : []
  const definitions = [await define('shop', 'operations', { operations: [echo('find'), ...more] })]
  if (hasAutomation) {
    definitions.push(await define('order', 'entity', order))
    definitions.push(await define('ship', 'workflow', ship))
  }
  const agent = await make(`${inProject}/agents`, { slug: 'clerk', name: 'Clerk' }, ['id', 'slug', 'name'])
  const { id: agentRevisionId } = await call('POST', `${inProject}/agents/${agent.id}/revisions`, {
    content: { instructions: 'Help.', tools: [{ kind: 'operation', name: 'find', operation: 'shop.find' }] },
    grantedOperations: ['shop.find', ...(hasAutomation ? ['shop.order', 'shop.allow'] : [])],
  })

  const [{ id: organizationId }] = (await call('GET', '/api/v1/organizations')).items
  const vendorKey = `sk-of-the-old-store-${crypto.randomUUID()}`
  const credentials = `/api/v1/organizations/${organizationId}/provider-credentials`
  const key = { label: 'Key', provider: 'openai', credentialType: 'api_key', secret: vendorKey }
  const credential = await make(credentials, key, ['id', 'label'])
  await call('POST', `${path}/agents/${agent.id}/provider-settings`, {
    provider: 'openai',
    model: 'gpt-5.5',
    providerCredentialId: credential.id,
  })
  await make(`${path}/variables`, { name: 'GREETING', value: 'Good morning' }, ['id', 'name'])
  const connection = { name: 'Shop', kind: 'http', settings: { baseUrl: `${nowhere}/v1` } }
  await make(`${path}/connections`, { ...connection, agentId: agent.id, bindingKey: 'shop' }, ['id', 'name', 'kind'])
  const webhook = await make(`${path}/webhooks`, { endpointUrl: `${nowhere}/hook`, eventTypes: ['deployment.queued'] })

  const agents = [{ agentId: agent.id, agentRevisionId }]
  const release = await make(`${inProject}/releases`, { agents, definitions }, ['id', 'number', 'digest'])
  const { configurationHead, generation } = await call('GET', path)
  const configuration = await make(
    `${path}/configuration-revisions`,
    { expectedHeadRevisionId: configurationHead.revisionId },
    ['id', 'number'],
  )
  const deployment = { releaseId: release.id, configurationRevisionId: configuration.id }
  const { id: deploymentId } = await make(`${path}/deployments`, deployment, ['id', 'releaseId'])
  await until(`${path}/deployments/${deploymentId}`, ({ state }) => state === 'ready')
  await call('POST', `${path}/activations`, { deploymentId, expectedGeneration: generation })
  return {
    reads,
    actors: [
      { kind: 'deployment', id: deploymentId },
      { kind: 'environment', id: environment.id },
    ],
    environment: {
      path,
      environmentId: environment.id as string,
      agentId: agent.id as string,
      deployment,
      webhook: { id: webhook.id as string, secret: webhook.signingSecret as string },
      vendorKey,
    },
  }
}

/** Creates a workflow that has made an entity and waits for an approval, and a job. */
async function automate({ call, until }: Calls, { path, agentId }: NonNullable<Held['environment']>) {
  const { workflowRunId } = await call('POST', `${path}/workflows`, { agentId, definitionIdOrName: 'ship', params: {} })
  await until(`${path}/workflows/${workflowRunId}`, ({ state }) => state === 'waiting')
  const [{ id: entityId }] = (await call('GET', `${path}/entities/order`)).items
  const schedule = { cron: '0 7 1 1 *', timezone: 'Europe/Berlin' }
  const { id: jobId } = await call('POST', `${path}/agent-jobs`, {
    agentId,
    name: 'Report',
    schedule,
    query: 'Report.',
  })
  return {
    automation: { workflowRunId, jobId, entityId },
    actors: [
      { kind: 'workflow-run', id: workflowRunId },
      { kind: 'entity', id: entityId },
      { kind: 'agent-job', id: jobId },
    ],
    reads: [
      { path: `${path}/workflows/${workflowRunId}`, has: { workflowRunId, state: 'waiting' } },
      { path: `${path}/entities/order/${entityId}`, has: { id: entityId, state: 'open', data: { total: 3 } } },
      { path: `${path}/agent-jobs/${jobId}`, has: { id: jobId, name: 'Report', schedule } },
    ],
  }
}

/** Fills the areas that the server has; returns their contents. */
export async function fill(server: Server, { areas, killed }: OldStore): Promise<Held> {
  const calls = callsOf(server)
  const delivered = areas.includes('projects') ? await deliver(calls, areas) : undefined
  const automated = delivered && areas.includes('automation') ? await automate(calls, delivered.environment) : undefined

  const start = async (query: string, of: object = { agentId: 'agt_system_assistant' }): Promise<string> =>
    (await calls.call('POST', '/api/v1/agent-runs', { ...of, query })).id
  const { agentId, environmentId } = delivered?.environment ?? {}
  const ended = await start('ended', agentId ? { agentId, environmentId } : undefined)
  await work(calls, server.runnerToken, 'ended')
  const waiting = await start('waiting')
  await work(calls, server.runnerToken, 'waiting')
  const held = killed ? await start('/say held again') : undefined
  if (held) await work(calls, server.runnerToken, 'held')
  const runs = { ended, waiting, queued: await start('/say was queued'), ...(held && { held }) }
  return {
    runs,
    actors: [
      ...Object.values(runs).map((id) => ({ kind: 'run', id })),
      ...(delivered?.actors ?? []),
      ...(automated?.actors ?? []),
    ],
    reads: [
      { path: `/api/v1/agent-runs/${ended}`, has: { id: ended, state: 'completed', stopReason: 'end_turn' } },
      ...(delivered?.reads ?? []),
      ...(automated?.reads ?? []),
    ],
    ...(delivered && { environment: delivered.environment }),
    ...(automated && { automation: automated.automation }),
  }
}
