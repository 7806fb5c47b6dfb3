/** Operations whose schemas were stored before there were rules for them: they could not be published today. */

import { Database } from 'bun:sqlite'
import { newId } from '../../../../storage/ids.ts'
import { openOperations } from '../../../automation/operations/world.ts'
import { echoOperation, type Place } from '../../../support/world/places.ts'
import { data } from '../../../support/world/replies.ts'

type Schema = Record<string, unknown>

export const range = <Item>(count: number, item: (index: number) => Item) =>
  Array.from({ length: count }, (_, index) => item(index))

export async function openSchemas() {
  const world = await openOperations()
  const { owner } = world

  /** Stores a revision of the Definition like an earlier version did. */
  function storeRevision(definitionId: string, source: object): string {
    const id = newId('dfr', Date.now())
    const database = new Database(world.file)
    try {
      database.run('pragma busy_timeout = 5000')
      database.run(
        `insert into definition_revisions
           select ?, organization_id, definition_id, number + 1, ?, source_digest, created_by_type, created_by_id, created_at
           from definition_revisions where definition_id = ?`,
        [id, JSON.stringify(source), definitionId],
      )
    } finally {
      database.close()
    }
    return id
  }

  return {
    ...world,
    storeRevision,

    /** An active Agent with an operation for each schema; `call` invokes one, `run` has a run call it. */
    async servingStored(schemas: Record<string, Schema>) {
      const place: Place = await world.place()
      const operations = Object.entries(schemas).map(([name, inputSchema]) => echoOperation(name, { inputSchema }))
      const names = operations.map(({ name }) => name)
      const tools = names.map((name) => ({ kind: 'operation', name, operation: `shop.${name}` }))
      const agent = await world.agent(
        place,
        { tools },
        names.map((name) => `shop.${name}`),
      )
      const { definitionId } = await world.operations(
        place,
        'shop',
        names.map((name) => echoOperation(name)),
      )
      const definitionRevisionId = storeRevision(definitionId, { operations })
      await world.serve(place, [agent], [{ definitionId, definitionRevisionId }])
      const path = `${place.path}/agents/${agent.agentId}/operations`
      return {
        place,
        agent,
        call: (name: string, input: unknown) => owner.post(`${path}/shop.${name}/invoke`, { input }),
        run: (name: string, input: unknown) =>
          world.run(place, agent.agentId, `/call ${name} ${JSON.stringify(input)}\n/say Done`),
      }
    },

    /** The answers to other requests during the work. */
    async answersDuring(work: Promise<unknown>): Promise<number> {
      let isOver = false
      let answers = 0
      void work.finally(() => {
        isOver = true
      })
      while (!isOver) {
        const { status } = await owner.get('/healthz')
        if (status === 200 && !isOver) answers += 1
      }
      return answers
    },

    /** Publishes a source with this schema; returns the answer. */
    async publish(schema: Schema) {
      const { project } = await world.place()
      const definitions = `${project}/definitions`
      const { id } = await data(owner.post(definitions, { name: 'shop', kind: 'operations' }))
      return owner.post(`${definitions}/${id}/revisions`, {
        source: { operations: [echoOperation('one', { inputSchema: schema })] },
      })
    },
  }
}
export type Schemas = Awaited<ReturnType<typeof openSchemas>>
