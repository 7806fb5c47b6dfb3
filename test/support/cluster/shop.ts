/** An Agent with HTTP operations, served by a cluster, and the shop that its operations call. */
import type { Client } from '../client.ts'
import { deployShop, operation, serveShop } from '../world/shop.ts'

export interface Shop {
  url: string
  /** The keys of the calls of an operation, with repetitions. */
  asked: Map<string, number>
  /** The number of requests for each query of a call. */
  queries: Map<string, number>
  /** While this promise is set, calls wait for it. */
  gate: Promise<unknown> | undefined
  stop(): void
}

/** Counts requests by the name in the call. */
export function startShop(): Shop {
  const count = (of: Map<string, number>, name: string) => void of.set(name, (of.get(name) ?? 0) + 1)
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      const body = (await request.json().catch(() => ({}))) as { about?: string }
      count(shop.asked, new URL(request.url).pathname.slice(1))
      if (body.about !== undefined) count(shop.queries, body.about)
      await shop.gate
      return Response.json({ said: body.about ?? null })
    },
  })
  const shop: Shop = {
    url: `http://127.0.0.1:${server.port}`,
    asked: new Map(),
    queries: new Map(),
    gate: undefined,
    stop: () => void server.stop(true),
  }
  return shop
}

const input = { type: 'object', properties: { about: { type: 'string' } }, required: ['about'] }
const about = (name: string, changes: object = {}) =>
  operation(name, {
    inputSchema: input,
    handler: { type: 'http', connection: 'shop', method: 'POST', path: `/${name}`, body: { about: '{{input.about}}' } },
    ...changes,
  })
/** `send` is never repeated, `put` may be. */
const operations = [about('send'), about('put', { idempotent: true })]

export type Served = Awaited<ReturnType<typeof deployed>>

/** Deploys the Agent in a new Project, without activating it. */
export const deployed = (client: Client, shop: Pick<Shop, 'url'>) => deployShop(client, shop, operations)

/** Deploys and activates the Agent. */
export const serving = (client: Client, shop: Pick<Shop, 'url'>) => serveShop(client, shop, operations)
