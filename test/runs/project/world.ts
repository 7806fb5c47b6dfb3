/**
 * A server whose Agents are authored, released, deployed and run over HTTP, with services that they may call: one that
 * accepts any request, and one that acts as a vendor's model.
 */
import { expect } from 'bun:test'
import { systemClock } from '../../../src/platform/time/clock.ts'
import type { Client } from '../../support/client.ts'
import { expectDescribedEvents } from '../../support/event-schemas.ts'
import { eventually } from '../../support/process.ts'
import type { TroupeOptions } from '../../support/troupe.ts'
import { newOrganization } from '../../support/world/organizations.ts'
import { type Place, placesOf } from '../../support/world/places.ts'
import { data } from '../../support/world/replies.ts'
import { openWorld as openServer } from '../../support/world/world.ts'
import { frames } from '../providers/wire.ts'

/** The requests to a service. */
interface Asked {
  method: string
  /** Including the query. */
  path: string
  headers: Record<string, string>
  text: string
}

type Run = {
  id: string
  state: string
  stateReason: { code: string; message: string } | null
  [field: string]: unknown
}

const ended = ['completed', 'failed', 'canceled', 'expired']

/** A service that answers as configured last, and records its requests. */
function startService(answer: (asked: Asked, request: Request) => Response | Promise<Response>) {
  const asked: Asked[] = []
  const service = { asked, answer, url: '', port: 0, stop: () => server.stop(true) }
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url)
      const one = {
        method: request.method,
        path: pathname + search,
        headers: Object.fromEntries(request.headers),
        text: await request.text(),
      }
      asked.push(one)
      return service.answer(one, request)
    },
  })
  service.port = server.port as number
  service.url = `http://127.0.0.1:${server.port}`
  return service
}

/** Answers one word, in the protocol of vendors with an override. */
export const said = (text: string) =>
  new Response(frames.openaiChat({ text: [text], finish: 'stop' }).join(''), {
    headers: { 'content-type': 'text/event-stream' },
  })

/** An operation over a Connection that is bound as `shop`. */
export const httpOperation = (name: string, handler: object, changes: object = {}) => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: 'object' },
  effect: 'read',
  idempotent: true,
  approval: 'never',
  handler: { type: 'http', connection: 'shop', method: 'GET', path: '/', ...handler },
  ...changes,
})

export async function openWorld({ environment = {}, clock = systemClock, ...options }: TroupeOptions = {}) {
  const shop = startService(() => Response.json({ ok: true }))
  const vendor = startService(() => said('Hello'))
  const server = await openServer({
    ...options,
    clock,
    environment: {
      TROUPE_ALLOW_PRIVATE_ADDRESSES: 'true',
      TROUPE_OPENAI_BASE_URL: `${vendor.url}/v1`,
      TROUPE_ANTHROPIC_BASE_URL: `${vendor.url}/v1`,
      TROUPE_ATTEMPT_BACKOFF_MS: '1',
      ...environment,
    },
  })
  const { owner } = server
  const places = placesOf(server)

  const world = {
    ...server,
    ...places,
    shop,
    vendor,

    /** The owner of another organization. */
    foreigner: async (): Promise<Client> => (await newOrganization(server)).client,

    /** A Connection to the service, bound as `shop`. */
    connection: (place: Place, agentId: string, settings: object = {}, changes: object = {}) =>
      places.connection(place, {
        kind: 'http',
        settings: { baseUrl: `${shop.url}/v1`, ...settings },
        agentId,
        bindingKey: 'shop',
        ...changes,
      }),

    variable: (place: Place, name: string, value: string, changes: object = {}) =>
      places.variable(place, { name, value, ...changes }),

    start: (place: Place, agentId: string, query: string, changes: object = {}, client: Client = owner) =>
      client.post('/api/v1/agent-runs', { agentId, environmentId: place.environmentId, query, ...changes }),

    /** Starts a run and waits until it has ended, or waits for somebody. */
    async run(place: Place, agentId: string, query: string, changes: object = {}): Promise<Run> {
      const { id } = await data(world.start(place, agentId, query, changes))
      return world.ended(id)
    },

    ended: (id: string, states: readonly string[] = [...ended, 'awaitingToolResult']): Promise<Run> =>
      eventually(`the end of ${id}`, async () => {
        const run = await data<Run>(owner.get(`/api/v1/agent-runs/${id}`))
        return states.includes(run.state) && run
      }),

    /** Its steps, oldest first. */
    async steps(runId: string) {
      const { items } = await data<{ items: Step[] }>(
        owner.get(`/api/v1/agent-runs/${runId}/steps`, { query: { limit: 100 } }),
      )
      return items
    },

    /** The outcome of the only tool call of a run. */
    async called(runId: string): Promise<{ output: unknown; error: { code: string; message: string } | null }> {
      const tools = (await world.steps(runId)).filter(({ kind }) => kind === 'tool')
      expect(tools).toHaveLength(1)
      const { output, error } = tools[0]!
      return { output, error }
    },

    /** All events of the tests match the schemas of their kinds. */
    async stop() {
      try {
        expectDescribedEvents(server.file)
      } finally {
        await server.stop()
        await Promise.all([shop.stop(), vendor.stop()])
      }
    },
  }
  return world
}

interface Step {
  kind: string
  name: string
  status: string
  agent: { agentId: string; agentRevisionId: string; name: string }
  execution: { provider: string | null; model: string | null; toolCallId: string | null }
  input: unknown
  output: unknown
  error: { code: string; message: string } | null
}

export type World = Awaited<ReturnType<typeof openWorld>>
