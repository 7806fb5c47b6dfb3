/** The configuration of an Environment, its active Deployment, and its history. */
import { eventually } from '../../support/process.ts'
import type { Authored } from './authored.ts'
import type { Maker } from './maker.ts'
import type { Organized } from './organized.ts'
import { longName, plainWords, printable, type Words } from './words.ts'

export interface Happened {
  environmentId: string
  /** `{project}/environments/{environmentId}` */
  path: string
  deploymentId: string
  applyId: string
  connectionId: string
  webhookId: string
  /** A dead-lettered delivery of the webhook. */
  deliveryId: string
  runId: string
  /** Runs that failed, that wait for input, that wait for an approval, and that continued with a file. */
  otherRunIds: string[]
  workflowRunId: string
  entityId: string
}

/** Webhook endpoints: one that accepts deliveries, and one that refuses them. */
export interface Endpoints {
  good: string
  bad: string
}

/** Deploys the Release, activates the Deployment, and returns its id. */
export async function serve(api: Maker, path: string, releaseId: string, description: string): Promise<string> {
  const { configurationHead, generation, lifecycle } = await api.get(path)
  if (lifecycle === 'provisioning') await api.patch(path, { lifecycle: 'active', expectedLifecycle: 'provisioning' })
  const expectedHeadRevisionId = configurationHead.revisionId
  const taken = await api.post(`${path}/configuration-revisions`, { expectedHeadRevisionId, description })
  const body = { releaseId, configurationRevisionId: taken.id }
  const { id } = await api.post(`${path}/deployments`, body)
  const { state, stateReason } = await api.settled(`${path}/deployments/${id}`, 'ready', 'failed')
  if (state === 'failed') throw new Error(JSON.stringify(stateReason))
  await api.post(`${path}/activations`, { deploymentId: id, expectedGeneration: generation })
  return id
}

async function configure(api: Maker, path: string, { agentId }: Authored, organized: Organized, words: Words) {
  const connection = await api.post(`${path}/connections`, {
    name: words('The shop'),
    kind: 'http',
    settings: { baseUrl: 'https://shop.example.com/v1', headers: { 'X-Desk': printable(words('support')) } },
    agentId,
    bindingKey: 'shop',
  })
  await api.post(`${path}/connections`, {
    name: words('The warehouse'),
    kind: 'custom',
    settings: { note: words('Ask for Tom'), [words('a key of its own', 40)]: words('and its value') },
  })
  await api.post(`${path}/connections`, {
    name: words('The ledger'),
    kind: 'database',
    settings: { engine: 'postgres', host: 'ledger.example.com', port: 5432, database: words('The ledger') },
  })
  await api.post(`${path}/connections`, {
    name: words('The van'),
    kind: 'messaging',
    settings: { protocol: 'amqp', url: 'amqps://van.example.com', topic: words('What leaves') },
  })
  await api.post(`${path}/variables`, {
    name: words === plainWords ? 'SIGNATURE' : longName('SIGNATURE_', 128).toUpperCase(),
    value: words('Your support desk'),
    description: words('Below every answer.', 2000),
  })
  const greeting = { agentId, bindingKey: 'greeting', sourceVariableId: organized.variableId, sourceVersion: 1 }
  await api.post(`${path}/variables`, { name: 'GREETING', ...greeting })
  await api.post(`${path}/agents/${agentId}/provider-settings`, {
    provider: null,
    model: null,
    settings: { temperature: 0.2, stopSequences: [words('The end')] },
  })
  return connection.id as string
}

const ends = ['completed', 'failed', 'canceled', 'expired', 'awaitingToolResult']

export async function happen(
  api: Maker,
  words: Words,
  authored: Authored,
  organized: Organized,
  endpoints: Endpoints,
): Promise<Happened> {
  const { project, agentId, releaseIds, workflowName } = authored
  const [development, , production] = (await api.get(`${project}/environments`)).items
  const path = `${project}/environments/${development.id}`
  await api.post(`${project}/access-grants`, {
    subject: { type: 'userGroup', id: organized.userGroupId },
    permissions: ['agent-runs:*'],
  })
  const connectionId = await configure(api, path, authored, organized, words)

  const hook = (endpointUrl: string) =>
    api.post(`${path}/webhooks`, {
      endpointUrl,
      eventTypes: ['activation.changed', 'deployment.ready', 'run.failed'],
      captureResponses: true,
    })
  const bad = await hook(endpoints.bad)
  await hook(endpoints.good)

  await serve(api, path, releaseIds[0], words('To begin with', 2000))
  await serve(api, `${project}/environments/${production.id}`, releaseIds[0], words('To begin with', 2000))
  const deploymentId = await serve(api, path, releaseIds[1], words('With the shop', 2000))

  const ask = async (query: string) => {
    const { id } = await api.post('/api/v1/agent-runs', { agentId, environmentId: development.id, query })
    await api.settled(`/api/v1/agent-runs/${id}`, ...ends)
    return id as string
  }
  const json = (value: unknown) => JSON.stringify(value)
  const runId = await ask(
    [
      words('Where is my order A-17, and what does it cost with three of them?', 2000),
      `/call find_order ${json({ number: words('A-17') })}`,
      `/call calculator ${json({ expression: '3*14' })}`,
      `/say ${words('Order A-17 is on its way. Three of them cost 42.', 2000)}`,
    ].join('\n'),
  )
  const failed = await ask(`/fail ${words('The order is not known.', 2000)}`)
  const answer = await ask(`/call ask_customer ${json({ question: words('Which of the two orders?') })}`)
  const approval = await ask(
    `/call refund ${json({ number: words('B-4'), amount: 12.5 })}\n/say ${words('Paid back.')}`,
  )

  const file = { type: 'file', mediaType: 'text/plain', filename: words('order.txt', 255), data: btoa('A-17') }
  const contents = [{ type: 'text', text: words('This is what I have.', 2000) }, file]
  const sent = {
    agentId,
    environmentId: development.id,
    query: words('And this one?', 2000),
    contents,
    threadKey: printable(words('order A-17', 128)),
  }
  const { id: continued } = await api.post('/api/v1/agent-runs', sent)
  await api.settled(`/api/v1/agent-runs/${continued}`, ...ends)
  await api.post(`/api/v1/agent-runs/${continued}/continue`, { query: words('And then?', 2000) })
  await api.settled(`/api/v1/agent-runs/${continued}`, ...ends)

  const invoke = (operation: string, input: object) =>
    api.post(`${path}/agents/${agentId}/operations/${operation}/invoke`, { input })
  const onceOnly = { input: { number: words('E-2') }, idempotencyKey: printable(words('E-2', 255)) }
  await api.post(`${path}/agents/${agentId}/operations/orders.find/invoke`, onceOnly)
  const recorded = await invoke('orders.record', { data: { total: 42, note: words('Wrap it nicely') } })
  const entityId = recorded.output.id as string
  await invoke('orders.move', { id: entityId, event: 'pay' })
  await invoke('orders.record', { data: { total: 7 } })

  const started = await api.post(`${path}/workflows`, {
    agentId,
    definitionIdOrName: workflowName,
    params: { number: words('C-9'), amount: 9, lines: ['C-9/1', 'C-9/2', 'C-9/3'].map((line) => words(line)) },
    requestKey: printable(words('C-9', 255)),
  })
  await api.settled(`${path}/workflows/${started.workflowRunId}`, 'waiting', 'failed')
  await api.post(`${path}/agent-jobs`, {
    agentId,
    name: words('Evening summary'),
    schedule: { cron: '0 18 * * MON-FRI', timezone: 'Europe/Berlin' },
    query: words('Sum up the day.', 2000),
  })
  await api.post(`${path}/agent-jobs`, {
    agentId,
    name: words('Refunds each evening'),
    schedule: { cron: '0 18 * * MON-FRI' },
    workflow: workflowName,
    params: { number: words('C-9'), amount: 9, lines: [] },
    enabled: false,
  })
  // one of the approvals is decided
  const rejected = await invoke('orders.refund', { number: 'D-1', amount: 900 })
  const pending = await api.get(`${path}/operation-approvals`, { status: 'pending' })
  const own = pending.items.find(({ invocationId }: { invocationId: string }) => invocationId === rejected.id)
  await api.post(`${path}/operation-approvals/${own.id}/reject`, { note: words('D-1 was never paid.', 2000) })

  const givenUpOn = () =>
    eventually('a delivery that was given up on', async () => {
      const { items } = await api.get(`${path}/webhooks/${bad.id}/deliveries?state=dead-letter`)
      return items[0]?.deliveryId as string | undefined
    })
  await givenUpOn()
  const recovery = await api.post(`${path}/webhooks/${bad.id}/recover`, { since: '2026-01-01T00:00:00.000Z' })
  await api.settled(`${path}/webhooks/${bad.id}/recoveries/${recovery.id}`, 'completed')
  const deliveryId = await givenUpOn()

  // the active manifest with another description
  const manifest = await api.get(`${project}/manifest`, { environment: 'development' })
  const [slug] = Object.keys(manifest.agents) as [string]
  manifest.agents[slug].description = words('Answers what customers ask.', 2000)
  const description = words('From the file', 2000)
  const { id: applyId } = await api.post('/api/v1/applies', { manifest, environment: 'development', description })
  const { state, stateReason } = await api.settled(`/api/v1/applies/${applyId}`, 'applied', 'failed')
  if (state === 'failed') throw new Error(JSON.stringify(stateReason))
  return {
    environmentId: development.id,
    path,
    deploymentId,
    applyId,
    connectionId,
    webhookId: bad.id,
    deliveryId,
    runId,
    otherRunIds: [failed, answer, approval, continued],
    workflowRunId: started.workflowRunId,
    entityId,
  }
}
