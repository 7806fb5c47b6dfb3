/** A store with an Environment, and entities written as operations write them, without a server. */
import type { DefinitionSource, EntitySource } from '../../../src/authoring/definitions/source.ts'
import { entityKind } from '../../../src/automation/entities/actor.ts'
import type { EntityCall } from '../../../src/automation/entities/calls.ts'
import { EntityExecutor } from '../../../src/automation/entities/entity-executor.ts'
import { OperationFailure } from '../../../src/automation/operations/failure.ts'
import { DeployedBundle } from '../../../src/delivery/deployments/bundles.ts'
import type { Clock } from '../../../src/platform/time/clock.ts'
import { Actors } from '../../../src/runtime/actors.ts'
import { newId } from '../../../storage/ids.ts'
import { listTransitions } from '../../../storage/runtime/journal.ts'
import { newPlace, type Place, planting } from '../../events/history/feed-world.ts'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import { openMigrated } from '../../support/stores/migrated-store.ts'

/** The Definition of an order: its schema and states. */
export const order: EntitySource = {
  schema: {
    type: 'object',
    properties: { total: { type: 'integer', minimum: 0 }, note: { type: 'string' } },
    required: ['total'],
    additionalProperties: false,
  },
  states: {
    initial: 'open',
    states: {
      open: { on: { pay: 'paid', touch: 'open', cancel: 'canceled' } },
      paid: { on: { ship: 'shipped' } },
      shipped: { final: true },
      canceled: { final: true },
    },
  },
}

/** A Deployment bundle with entities by name, each with its own revision. */
export function bundleOf(place: Place, sources: Record<string, DefinitionSource>): DeployedBundle {
  return new DeployedBundle({
    version: 1,
    ...place,
    deploymentId: newId('dep'),
    releaseId: newId('rel'),
    configurationRevisionId: newId('cfr'),
    agents: [],
    definitions: Object.entries(sources).map(([name, source]) => ({
      definitionId: newId('def'),
      definitionRevisionId: newId('dfr'),
      name,
      source,
    })),
    variables: [],
    connections: [],
  })
}

let calls = 0
/** A unique call name. */
export function freshKey(): string {
  calls += 1
  return `call-${calls}`
}

export interface Caller {
  bundle: DeployedBundle
  entity?: string
}

/** Entities over a store; with a server's file, in parallel with the server. */
export async function openEntities({ address, clock = new HandClock() }: { address?: string; clock?: Clock } = {}) {
  const store = await openMigrated(address)
  const actors = new Actors({ store, clock, kinds: [entityKind] })
  const performer = new EntityExecutor({ store, clock, actors })

  const perform = (
    { bundle, entity = 'order' }: Caller,
    action: EntityCall['action'],
    input: unknown,
    callKey = freshKey(),
    // biome-ignore lint/suspicious/noExplicitAny: the test itself checks what it reads from an entity
  ): Promise<any> => performer.perform({ bundle, entity, action, input, callKey, by: { type: 'user', id: 'usr_1' } })

  return {
    store,
    clock,
    actors,
    performer,
    perform,
    /** The error with which the call is rejected. */
    async refused(...given: Parameters<typeof perform>): Promise<OperationFailure> {
      try {
        await perform(...given)
      } catch (error) {
        if (error instanceof OperationFailure) return error
        throw error
      }
      throw new Error('The call was not rejected.')
    },
    async plant(): Promise<Place> {
      const place = newPlace()
      await store.commit(planting(place))
      return place
    },
    rows: <Row = Record<string, unknown>>(sql: string, ...parameters: unknown[]) => store.all<Row>({ sql, parameters }),
    /** The journal of an entity: from, event, to. */
    async journal(id: string) {
      const rows = await listTransitions(store, { kind: 'entity', actorId: id, after: 0, limit: 1_000 })
      return rows.map(({ from_state, event, to_state }) => [from_state, event, to_state])
    },
    /** The entity events in the Environment's history: type, data. */
    async events({ environmentId }: Pick<Place, 'environmentId'>) {
      const rows = await store.all<{ body: string }>({
        sql: 'select body from environment_events where environment_id = ? order by sequence',
        parameters: [environmentId],
      })
      return rows.map(({ body }) => JSON.parse(body))
    },
    async close() {
      await actors.stop()
      await store.close()
    },
  }
}
export type Entities = Awaited<ReturnType<typeof openEntities>>

/** Entities in memory, and a Deployment with orders and things. */
export async function openOrders() {
  const entities = await openEntities()
  const thing = { schema: {}, states: { initial: 'new', states: { new: {} } } }
  const bundle = bundleOf(await entities.plant(), { order, thing })
  return {
    entities,
    bundle,
    /** Creates an order. */
    create: (data: object = { total: 1 }) => entities.perform({ bundle }, 'create', { data }),
  }
}
export type Orders = Awaited<ReturnType<typeof openOrders>>
