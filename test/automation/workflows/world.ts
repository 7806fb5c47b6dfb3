/** A server with workflows that are authored, released and deployed over HTTP, and a shop that their steps call. */

import { httpOperation, openWorld as openProjects } from '../../runs/project/world.ts'
import type { Client, Reply } from '../../support/client.ts'
import { eventually } from '../../support/process.ts'
import type { TroupeOptions } from '../../support/troupe.ts'
import { type AgentPin, echoOperation, type Place } from '../../support/world/places.ts'
import { data } from '../../support/world/replies.ts'

export interface Step {
  stepId: string
  state: string
  stateReason: { code: string; message: string } | null
  attempts: number
  output: unknown
  error: { code: string; message: string } | null
  startedAt: string | null
  endedAt: string | null
  operation: string | null
  waitsUntil: string | null
  elements:
    | { index: number; state: string; attempts: number; error: object | null; childWorkflowRunId: string | null }[]
    | null
  workflow: string | null
  childWorkflowRunId: string | null
  compensation: {
    operation: string
    state: string
    attempts: number
    error: { code: string } | null
    startedAt: string | null
    endedAt: string | null
  } | null
  waitsFor: { event: string; correlation: string } | null
}
export interface Run {
  workflowRunId: string
  state: string
  params: unknown
  output: unknown
  steps: Step[]
  [field: string]: unknown
}

/** Operations of the definition `shop`: their names say how they behave. */
export const operations = [
  echoOperation('echo'),
  echoOperation('approved', { approval: 'always' }),
  echoOperation('number', {
    inputSchema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
  }),
  httpOperation('read', { path: '/read/{{input.what}}' }),
  httpOperation('write', { method: 'POST', path: '/write/{{input.what}}' }, { effect: 'write' }),
  httpOperation('charge', { method: 'POST', path: '/charge/{{input.what}}' }, { effect: 'write', idempotent: false }),
  httpOperation(
    'send',
    { method: 'POST', path: '/send' },
    { effect: 'write', idempotent: false, outputSchema: { type: 'string' } },
  ),
  httpOperation(
    'settle',
    { method: 'POST', path: '/settle' },
    {
      effect: 'write',
      idempotent: false,
      outputSchema: { type: 'object', properties: { receipt: { type: 'string' } }, required: ['receipt'] },
    },
  ),
  httpOperation('put', { method: 'PUT', path: '/put' }, { effect: 'write', outputSchema: { type: 'string' } }),
  echoOperation('ungranted'),
]
const granted = operations.flatMap(({ name }) => (name === 'ungranted' ? [] : [`shop.${name}`]))

export interface Served {
  place: Place
  agent: AgentPin
  /** `{P}/workflows` */
  path: string
  definitionId: string
  /** The Definition of the operations. */
  shop: object
}

const endings = ['completed', 'failed', 'canceled', 'unknown', 'waiting']
export const anyParams = { type: 'object' }

export async function openWorld(options?: TroupeOptions) {
  const world = await openProjects(options)
  const { owner } = world

  const workflows = {
    ...world,

    /** An Environment with a deployed Agent, the operations above, and workflows by name. */
    async serving(sources: Record<string, object>): Promise<Served> {
      const place = await world.place()
      const agent = await world.agent(
        place,
        {
          tools: [
            { kind: 'operation', name: 'number', operation: 'shop.number' },
            { kind: 'builtin', name: 'calculator' },
            { kind: 'interactive', name: 'ask', description: 'Asks.', inputSchema: { type: 'object' } },
          ],
        },
        granted,
      )
      const definitions = [await world.operations(place, 'shop', operations)]
      const path = `${place.project}/definitions`
      for (const [name, source] of Object.entries(sources)) {
        const { id: definitionId } = await data(owner.post(path, { name, kind: 'workflow' }))
        const { id } = await data(owner.post(`${path}/${definitionId}/revisions`, { source }))
        definitions.push({ definitionId, definitionRevisionId: id })
      }
      await world.connection(place, agent.agentId)
      await world.serve(place, [agent], definitions)
      return {
        place,
        agent,
        path: `${place.path}/workflows`,
        definitionId: definitions.at(-1)!.definitionId,
        shop: definitions[0]!,
      }
    },

    start: (
      { path, agent }: Served,
      definitionIdOrName: string,
      body: object = {},
      client: Client = owner,
    ): Promise<Reply> => client.post(path, { agentId: agent.agentId, definitionIdOrName, ...body }),

    get: ({ path }: Served, id: string) => data<Run>(owner.get(`${path}/${id}`)),

    /** The run, once it is in one of these states. */
    until: (served: Served, id: string, states: readonly string[] = endings): Promise<Run> =>
      eventually(`${id} in ${states.join(' or ')}`, async () => {
        const run = await workflows.get(served, id)
        return states.includes(run.state) && run
      }),

    /** Starts a run and waits until it has ended or stopped. */
    async run(served: Served, name: string, params: object = {}): Promise<Run> {
      const { workflowRunId } = await data<Run>(workflows.start(served, name, { params }))
      return workflows.until(served, workflowRunId)
    },

    /** The pending approvals of an Environment. */
    async approvals({ place }: Served) {
      const { items } = await data<{ items: { id: string; operation: string }[] }>(
        owner.get(`${place.path}/operation-approvals`, { query: { status: 'pending' } }),
      )
      return items
    },

    /** As many approvals, once they are pending. */
    approvalsOf: (served: Served, count: number) =>
      eventually(`${count} approvals`, async () => {
        const approvals = await workflows.approvals(served)
        return approvals.length === count && approvals
      }),

    decide: ({ place }: Served, id: string, decision: 'approve' | 'reject') =>
      owner.post(`${place.path}/operation-approvals/${id}/${decision}`, decision === 'reject' ? {} : undefined),
  }
  return workflows
}
export type World = Awaited<ReturnType<typeof openWorld>>

/** `find:succeeded pay:failed` */
export const stepsOf = ({ steps }: Run): string => steps.map(({ stepId, state }) => `${stepId}:${state}`).join(' ')
