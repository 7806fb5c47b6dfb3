/** A server with an Agent that asks, calculates and refunds, for the clients of other protocols. */

import { httpOperation, openWorld as openServer } from '../runs/project/world.ts'
import type { HandClock } from '../runtime/statecharts/clock.ts'
import { data } from '../support/world/replies.ts'

const question = { type: 'object', properties: { question: { type: 'string' } } }

export async function openWorld(environment: Record<string, string> = {}, clock?: HandClock) {
  const world = await openServer({
    ...(clock && { clock }),
    environment: { TROUPE_RUNNER: 'embedded', ...environment },
  })
  const place = await world.place()
  const agent = await world.agent(
    place,
    {
      tools: [
        { kind: 'interactive', name: 'ask', description: 'Asks the user.', inputSchema: question },
        { kind: 'interactive', name: 'choose', description: 'Has the user choose.', inputSchema: question },
        { kind: 'builtin', name: 'calculator' },
        { kind: 'operation', name: 'refund', operation: 'shop.refund' },
      ],
    },
    ['shop.refund'],
  )
  const refund = httpOperation('refund', { method: 'POST' }, { effect: 'write', idempotent: false, approval: 'always' })
  const definition = await world.operations(place, 'shop', [refund])
  await world.connection(place, agent.agentId)
  await world.serve(place, [agent], [definition])
  const { slug } = await data<{ slug: string }>(world.owner.get(place.project))

  return {
    ...world,
    home: place,
    agent,
    /** The Agent's name for the protocols. */
    address: `${slug}/development/${agent.slug}`,
    /** A key with these operations, bound to a part of the organization. */
    async newKey(operations: readonly string[], bound: object = {}): Promise<string> {
      const made = data<{ secret: string }>(world.owner.post('/api/v1/api-keys', { name: 'key', operations, ...bound }))
      return (await made).secret
    },
    /** The address of an Agent in a Project of its own, whose output matches the schema. */
    async structured(outputSchema: object): Promise<string> {
      const there = await world.place()
      const answering = await world.agent(there, { outputSchema, tools: [{ kind: 'builtin', name: 'calculator' }] })
      await world.serve(there, [answering], [])
      const { slug } = await data<{ slug: string }>(world.owner.get(there.project))
      return `${slug}/development/${answering.slug}`
    },
    /** Decides on the only pending approval. */
    async decide(how: 'approve' | 'reject') {
      const path = `${place.path}/operation-approvals`
      const { items } = await data<{ items: { id: string }[] }>(world.owner.get(path, { query: { status: 'pending' } }))
      if (items.length !== 1) throw new Error(`${items.length} approvals are pending`)
      await data(world.owner.post(`${path}/${items[0]!.id}/${how}`, {}))
    },
    /** The number of runs. */
    runs: () => world.rows<{ count: number }>('select count(*) as count from runs')[0]!.count,
  }
}

export type World = Awaited<ReturnType<typeof openWorld>>
