/** Deployed Agents with operations, and calls of them. */

import { expect } from 'bun:test'
import { openWorld } from '../../runs/project/world.ts'
import type { Client, Reply } from '../../support/client.ts'
import { eventually } from '../../support/process.ts'
import type { TroupeOptions } from '../../support/troupe.ts'
import type { AgentPin, Place } from '../../support/world/places.ts'
import { data } from '../../support/world/replies.ts'

export { httpOperation } from '../../runs/project/world.ts'

type Loose = Record<string, unknown> & { id: string }
export type Invocation = Loose & { state: string; output: unknown; error: { code: string; message: string } | null }
export type Approval = Loose & { status: string; invocationId: string }

/** A query for the sandbox model. */
export const calls = (...made: [tool: string, input?: object][]) =>
  `${made.map(([tool, input = {}]) => `/call ${tool} ${JSON.stringify(input)}`).join('\n')}\n/say Done`

export interface Served {
  place: Place
  agent: AgentPin
  deploymentId: string
  invocations: string
  approvals: string
  invoke(operation: string, body?: unknown, client?: Client): Promise<Reply>
}

/** What is deployed in addition to the operations of `shop`. */
interface Extras {
  granted?: string[]
  tools?: object[]
  definitions?: (place: Place) => Promise<object[]> | object[]
  others?: AgentPin[]
  /** Settings of the Connection. */
  settings?: object
  /** Fields of the Connection, except its settings. */
  connection?: object
}

export async function openOperations(options: TroupeOptions = {}) {
  const world = await openWorld(options)
  const { owner } = world

  return {
    ...world,

    /** An Agent with these operations, granted and as tools of the same names, and with other tools. */
    async serving(
      operations: { name: string }[],
      { granted, tools = [], definitions = () => [], others = [], settings = {}, connection = {} }: Extras = {},
      at?: Place,
    ): Promise<Served> {
      const place = at ?? (await world.place())
      const names = operations.map(({ name }) => `shop.${name}`)
      const own = operations
        .filter(({ name }) => (granted ?? names).includes(`shop.${name}`))
        .map(({ name }) => ({ kind: 'operation', name, operation: `shop.${name}` }))
      const agent = await world.agent(place, { tools: [...own, ...tools] }, granted ?? names)
      const definition = await world.operations(place, 'shop', operations)
      const more = await definitions(place)
      await world.connection(place, agent.agentId, settings, connection)
      const deploymentId = await world.serve(place, [agent, ...others], [definition, ...more])
      return {
        place,
        agent,
        deploymentId,
        invocations: `${place.path}/operation-invocations`,
        approvals: `${place.path}/operation-approvals`,
        invoke: (operation, body = { input: {} }, client = owner) =>
          client.post(`${place.path}/agents/${agent.agentId}/operations/${operation}/invoke`, body),
      }
    },

    /** The only pending approval of this Environment. */
    async pending({ approvals }: Pick<Served, 'approvals'>): Promise<Approval> {
      const { items } = await data<{ items: Approval[] }>(owner.get(approvals, { query: { status: 'pending' } }))
      expect(items).toHaveLength(1)
      return items[0]!
    },

    invocation: ({ invocations }: Pick<Served, 'invocations'>, id: string) =>
      data<Invocation>(owner.get(`${invocations}/${id}`)),

    /** Waits until the invocation has ended. */
    invocationEnded: ({ invocations }: Pick<Served, 'invocations'>, id: string) =>
      eventually(`the end of ${id}`, async () => {
        const found = await data<Invocation>(owner.get(`${invocations}/${id}`))
        return ['succeeded', 'failed', 'rejected', 'unknown'].includes(found.state) && found
      }),

    /** The operation events in the history, oldest first. */
    async operationEvents({ place }: Served) {
      const { body } = await owner.get(`${place.path}/events`, { query: { limit: 100 } })
      return (body.events as { type: string; subject: { id: string }; data: { from: string | null; to: string } }[])
        .filter(({ type }) => type.startsWith('operation.'))
        .map(({ type, data: { from, to } }): [string, string | null, string] => [
          type.split('.')[1] as string,
          from,
          to,
        ])
    },
  }
}
export type Operations = Awaited<ReturnType<typeof openOperations>>
