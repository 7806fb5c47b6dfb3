/** Imports of OpenAPI documents into Definitions. */
import { expect } from 'bun:test'
import type { Client } from '../../support/client.ts'
import { data } from '../../support/world/replies.ts'
import { openOperations } from '../operations/world.ts'

interface Schema {
  properties: Record<string, Schema>
  $defs: Record<string, Schema>
}

interface Imported {
  source: {
    operations: {
      name: string
      effect: string
      idempotent: boolean
      inputSchema: Schema
      handler: { query?: object }
    }[]
  }
  skipped: { name: string; reason: string }[]
  suggestedConnection: object
}

export type ImportWorld = Awaited<ReturnType<typeof openImports>>

export async function openImports() {
  const world = await openOperations()
  let count = 0

  /** Creates a Definition and returns its path. */
  async function definition(kind = 'operations') {
    const { project } = await world.place()
    count += 1
    const { id } = await data(world.owner.post(`${project}/definitions`, { name: `imported-${count}`, kind }))
    return `${project}/definitions/${id}`
  }
  const path = await definition()
  const post = (body: object, client: Client = world.owner, at = path) =>
    client.post(`${at}/import`, { connection: 'shop', ...body })
  const imported = (openapi: object, more: object = {}) => data<Imported>(post({ openapi, ...more }))

  return {
    ...world,
    /** The Definition into which documents are imported. */
    path,
    definition,
    post,
    imported,

    /** The only operation of the document. */
    async only(openapi: object) {
      const { source, skipped } = await imported(openapi)
      expect(skipped).toEqual([])
      return source.operations[0]!
    },

    /** The reason why the only operation of the document is skipped. */
    async reason(openapi: object) {
      const { source, skipped } = await imported(openapi)
      expect([source.operations, skipped.length]).toEqual([[], 1])
      return skipped[0]!.reason
    },
  }
}
