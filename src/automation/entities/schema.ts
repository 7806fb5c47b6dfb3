/** The schemas of entities. Source: contract 6, `Entity`. */
import { type Static, Type } from '@sinclair/typebox'
import type { EntityRow } from '../../../storage/tables.ts'
import { Word } from '../../authoring/definitions/shapes.ts'
import { pageQuery } from '../../platform/http/pagination.ts'
import { EnvironmentPath } from '../../platform/http/paths.ts'
import { Id, Timestamp } from '../../platform/http/schema.ts'
import { timestamp } from '../../platform/http/timestamp.ts'

const type = Word('The name of its Definition.', 'order')

/** `{P}/entities/:type` */
export const EntityTypePath = Type.Object({ ...EnvironmentPath.properties, type })
export type EntityTypePath = Static<typeof EntityTypePath>

/** `{P}/entities/:type/:entityId` */
export const EntityPath = Type.Object({ ...EntityTypePath.properties, entityId: Id('ent') })
export type EntityPath = Static<typeof EntityPath>

export const EntityQuery = Type.Object({
  ...pageQuery.properties,
  state: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'Only entities in this state.' })),
})
export type EntityQuery = Static<typeof EntityQuery>

export const Entity = Type.Object(
  {
    id: Id('ent'),
    type,
    state: Type.String({ description: "A state of its Definition's statechart.", examples: ['open'] }),
    version: Type.Integer({ minimum: 1, description: 'Increases by 1 with every change.' }),
    data: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description: 'Valid by the schema of its Definition at the time of writing.',
    }),
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
  },
  {
    $id: 'Entity',
    description: 'Data with a lifecycle: operations change it, as its statechart allows.',
  },
)
export type Entity = Static<typeof Entity>

export const presentEntity = (row: EntityRow): Entity => ({
  id: row.id,
  type: row.type,
  state: row.state,
  version: row.entity_version,
  data: JSON.parse(row.data) as Record<string, unknown>,
  createdAt: timestamp(row.created_at),
  updatedAt: timestamp(row.updated_at),
})
