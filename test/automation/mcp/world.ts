/** Agents whose tools are those of MCP servers. */
import { expect } from 'bun:test'
import type { TroupeOptions } from '../../support/troupe.ts'
import type { Place } from '../../support/world/places.ts'
import { data } from '../../support/world/replies.ts'
import { openOperations, type Served } from '../operations/world.ts'
import { type Fake, type FakeTool, startFake } from './servers.ts'

export interface Imported {
  source: { operations: { name: string; effect: string; idempotent: boolean; handler: object }[] }
  skipped: { name: string; reason: string }[]
}

export const add: FakeTool = {
  name: 'add',
  description: 'Adds.',
  inputSchema: { type: 'object', properties: { a: { type: 'number' } } },
}
export const isBegin = ({ method }: { method: string }) => method === 'initialize'
export const text = (said: string) => ({ content: [{ type: 'text', text: said }] })

export type McpWorld = Awaited<ReturnType<typeof openMcp>>

export async function openMcp(options: TroupeOptions = {}) {
  const world = await openOperations(options)
  const fakes: Fake[] = []
  let count = 0

  /** Creates a Connection to the server and imports the operations. */
  async function imported(place: Place, url: string, tools?: string[], changes: object = {}) {
    count += 1
    const { id: connectionId } = await data(
      world.owner.post(`${place.path}/connections`, {
        name: `MCP ${count}`,
        kind: 'http',
        settings: { baseUrl: url },
        ...changes,
      }),
    )
    const { id } = await data(
      world.owner.post(`${place.project}/definitions`, { name: `mcp-${count}`, kind: 'operations' }),
    )
    const { environmentId } = place
    const definition = `${place.project}/definitions/${id}`
    const reply = await world.owner.post(`${definition}/import`, {
      mcp: { environmentId, connectionId, ...(tools && { tools }) },
      connection: 'shop',
    })
    return { definition, connectionId, reply, body: reply.body?.data as Imported }
  }

  return {
    ...world,
    imported,

    /** A deployed Agent with the imported tools of a server. */
    async served(url: string, tools?: string[], changes: object = {}): Promise<Served> {
      const place = await world.place()
      const { body, reply } = await imported(place, url, tools)
      expect(reply.status).toBe(200)
      const operations = body.source.operations.map((operation) => ({ ...operation, ...changes }))
      return world.serving(operations, { settings: { baseUrl: url } }, place)
    },

    invoked: async (service: Served, tool: string, input: object = {}) =>
      (await service.invoke(`shop.${tool}`, { input })).body.data as {
        state: string
        output: unknown
        error: { code: string; message: string } | null
      },

    /** A server for one test. */
    fake(...parameters: Parameters<typeof startFake>): Fake {
      const started = startFake(...parameters)
      fakes.push(started)
      return started
    },

    /** Stops the servers of a test. */
    tidy: () => Promise.all(fakes.splice(0).map((fake) => fake.stop())),
  }
}
