/** A complete support desk: operations, a workflow, entities, Agents, and two Releases. */
import type { Maker } from './maker.ts'
import { longName, printable, type Words } from './words.ts'

const text = { type: 'string' }
const object = (...names: string[]) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, name === 'amount' ? { type: 'number' } : text])),
  required: names,
})

export interface Authored {
  projectId: string
  /** `/api/v1/projects/{projectId}` */
  project: string
  agentId: string
  /** The Definitions of each kind; the entity is named `orderName`. */
  definitionIds: Record<'operations' | 'workflow' | 'entity', string>
  /** The revision of the entity's Definition. */
  entityRevisionId: string
  orderName: string
  workflowName: string
  /** Oldest first. */
  releaseIds: [string, string]
}

export async function author(api: Maker, words: Words, slug: string, hostile: boolean): Promise<Authored> {
  const named = (name: string, lengthMax: number) => (hostile ? longName(name, lengthMax) : name)
  const { id: projectId } = await api.post('/api/v1/projects', {
    slug: named(slug, 63),
    name: words('Support desk'),
  })
  const project = `/api/v1/projects/${projectId}`
  const orderName = named('order', 64)
  const workflowName = named('refund-order', 64)

  async function define(name: string, kind: string, description: string) {
    const { id } = await api.post(`${project}/definitions`, { name, kind, description: words(description, 2000) })
    return { id, path: `${project}/definitions/${id}` }
  }
  const publish = async ({ id, path }: { id: string; path: string }, source: object) => ({
    definitionId: id,
    definitionRevisionId: (await api.post(`${path}/revisions`, { source })).id,
  })

  const operation = (name: string, description: string, handler: object, more: object = {}) => ({
    name,
    description: words(description, 2000),
    inputSchema: { type: 'object', description: words('What it takes.') },
    outputSchema: { description: words('What it gives.') },
    effect: 'write',
    idempotent: false,
    approval: 'never',
    handler,
    ...more,
  })
  const read = { effect: 'read', idempotent: true }
  const echo = { type: 'echo' }
  const operations = [
    operation('find', 'Finds an order by its number.', echo, { ...read, inputSchema: object('number') }),
    operation('refund', 'Pays an amount back. Somebody has to approve it.', echo, {
      inputSchema: object('number', 'amount'),
      approval: 'always',
    }),
    operation('record', 'Records an order.', { type: 'entity', entity: orderName, action: 'create' }),
    operation('move', 'Moves an order on.', { type: 'entity', entity: orderName, action: 'transition' }),
    operation('ship', 'Tells the shop to ship an order.', {
      type: 'http',
      connection: 'shop',
      method: 'POST',
      path: '/orders/{{input.number}}/shipments',
      query: { reason: words('An order') },
      headers: { 'X-Reason': printable(words('An-order')) },
      body: { note: words('From the support desk') },
    }),
    operation('find-out', 'Has somebody find out.', {
      type: 'agent',
      agent: named('researcher', 63),
      query: words('Where is {{input.number}}?', 5000),
    }),
  ]
  const orders = await define('orders', 'operations', 'What one can do with orders.')
  const firstOrders = await publish(orders, { operations: operations.slice(0, -2) })
  const laterOrders = await publish(orders, { operations })

  const entity = await define(orderName, 'entity', 'An order, from the basket to the door.')
  const entityPin = await publish(entity, {
    schema: {
      type: 'object',
      properties: { total: { type: 'number' }, note: { ...text, description: words('Note') } },
    },
    states: {
      initial: 'open',
      states: {
        open: { on: { pay: 'paid', cancel: 'canceled' } },
        paid: { on: { ship: 'shipped', refund: 'refunded' } },
        shipped: { on: { refund: 'refunded' } },
        refunded: { final: true },
        canceled: { final: true },
      },
    },
  })

  const workflow = await define(workflowName, 'workflow', 'Finds an order and pays it back.')
  const workflowPin = await publish(workflow, {
    description: words('Pays an order back.', 2000),
    params: {
      type: 'object',
      properties: { number: text, amount: { type: 'number' }, lines: { type: 'array', items: text } },
      required: ['number', 'amount', 'lines'],
      description: words('What it takes.'),
    },
    steps: [
      { id: 'find', operation: 'orders.find', input: { number: '{{params.number}}' } },
      { id: 'note', operation: 'orders.record', input: { data: { total: 1, note: words('A refund') } } },
      {
        id: 'refund',
        operation: 'orders.refund',
        input: { number: '{{steps.find.output.number}}', amount: '{{params.amount}}' },
        after: ['note'],
        retry: { maxAttempts: 3, backoffMs: 1_000 },
        compensate: { operation: 'orders.record', input: { data: { total: '{{params.amount}}' } } },
      },
      {
        id: 'return-lines',
        forEach: '{{params.lines}}',
        operation: 'orders.find',
        input: { number: '{{item}}' },
        after: ['find'],
      },
      {
        id: 'ask-manager',
        when: '{{params.amount}} > 100',
        operation: 'orders.find',
        input: { number: '{{params.number}}' },
        after: ['find'],
      },
      {
        id: 'parcel',
        waitFor: { event: 'parcel.returned', correlation: '{{params.number}}', timeoutMs: 1_209_600_000 },
        after: ['return-lines', 'ask-manager'],
      },
    ],
    output: { paid: '{{steps.refund.output.amount}}', note: words('Paid back') },
  })

  const helper = await api.post(`${project}/agents`, {
    slug: named('researcher', 63),
    name: words('Researcher'),
    description: words('Finds out what the others do not know.', 2000),
  })
  const helperRevision = await api.post(`${project}/agents/${helper.id}/revisions`, {
    content: {
      instructions: words('Find out what you are asked, and say where you have it from.', 5000),
      model: { settings: { stopSequences: [words('The end')] } },
      outputSchema: { description: words('What was found out.') },
    },
  })
  const clerk = await api.post(`${project}/agents`, {
    slug: named('clerk', 63),
    name: words('Clerk'),
    description: words('Answers customers, and pays back what they are owed.', 2000),
  })
  const content = {
    instructions: words('Answer questions about orders. Look an order up before you say anything about it.', 5000),
    tools: [
      { kind: 'operation', name: 'find_order', operation: 'orders.find' },
      { kind: 'operation', name: 'refund', operation: 'orders.refund' },
      { kind: 'workflow', name: 'pay_back', workflow: workflowName },
      { kind: 'builtin', name: 'calculator' },
      {
        kind: 'interactive',
        name: 'ask_customer',
        description: words('Asks the customer.', 2000),
        inputSchema: { ...object('question'), description: words('What to ask.') },
      },
    ],
    delegates: [{ name: 'researcher', description: words('Knows where things are.', 2000), agentId: helper.id }],
    presentation: {
      displayName: words('Clerk of the support desk'),
      greeting: words('Which order is it about?', 2000),
      suggestedQueries: [words('Where is order A-17?', 500), words('I want my money back for B-4.', 500)],
    },
    bindings: [
      { bindingKey: 'shop', kind: 'connection', connectionKind: 'http', required: false },
      { bindingKey: 'greeting', kind: 'variable', required: false },
    ],
    metadata: { team: words('Support') },
  }
  const granted = ['orders.find', 'orders.refund', 'orders.record', 'orders.move']
  const revise = async (changes: object, grantedOperations: string[]) => {
    const body = { content: { ...content, ...changes }, grantedOperations }
    return { agentId: clerk.id, agentRevisionId: (await api.post(`${project}/agents/${clerk.id}/revisions`, body)).id }
  }
  const helperPin = { agentId: helper.id, agentRevisionId: helperRevision.id }
  const release = async (agent: object, definitions: object[], description: string): Promise<string> => {
    const body = { agents: [agent, helperPin], definitions, description: words(description, 2000) }
    return (await api.post(`${project}/releases`, body)).id
  }
  const first = await release(await revise({}, granted), [firstOrders, entityPin, workflowPin], 'The first one')
  const later = await release(
    await revise({ maxSteps: 30 }, [...granted, 'orders.ship']),
    [laterOrders, entityPin, workflowPin],
    'Orders can be shipped again',
  )
  return {
    projectId,
    project,
    agentId: clerk.id,
    definitionIds: { operations: orders.id, workflow: workflow.id, entity: entity.id },
    entityRevisionId: entityPin.definitionRevisionId,
    orderName,
    workflowName,
    releaseIds: [first, later],
  }
}
