/** Entities. The row is the actor's: every change of it grows `version`. Source: contract 6, `Entity`. */
import { livingEnvironment } from '../living.ts'
import { query, write } from '../statement.ts'
import type { EntityCallRow, EntityChartRow, EntityPastChartRow, EntityRow } from '../tables.ts'

const columns = [
  'id',
  'organization_id',
  'project_id',
  'environment_id',
  'type',
  'definition_revision_id',
  'state',
  'version',
  'machine_version',
  'context',
  'entity_version',
  'data',
  'created_at',
  'updated_at',
  'deleted_at',
] as const

/** Into an Environment that is not being removed; else `StaleWrite`. */
export const insertEntity = write(
  (db, row: EntityRow) =>
    db
      .insertInto('entities')
      .columns(columns)
      .expression(livingEnvironment(db, row).select(({ val }) => columns.map((column) => val(row[column]).as(column)))),
  1,
)

/** What a change of the actor changes in the row, if nobody else has changed it since `from`. */
export interface EntityUpdate
  extends Pick<
    EntityRow,
    | 'id'
    | 'definition_revision_id'
    | 'state'
    | 'version'
    | 'machine_version'
    | 'context'
    | 'entity_version'
    | 'data'
    | 'updated_at'
    | 'deleted_at'
  > {
  from: number
}

export const updateEntity = write(
  (db, row: EntityUpdate) =>
    db
      .updateTable('entities')
      .set({
        definition_revision_id: row.definition_revision_id,
        state: row.state,
        version: row.version,
        machine_version: row.machine_version,
        context: row.context,
        entity_version: row.entity_version,
        data: row.data,
        updated_at: row.updated_at,
        deleted_at: row.deleted_at,
      })
      .where('id', '=', row.id)
      .where('version', '=', row.from),
  1,
)

/** An entity with the statechart that it is run by. */
export interface ChartedEntity extends EntityRow {
  /** JSON. */
  states: string
}

/** Any entity, also one that was deleted, for the runtime; a request looks it up with its organization. */
export const getEntity = query((db, values: { id: string }) =>
  db
    .selectFrom('entities')
    .innerJoin('entity_charts', (join) =>
      join
        .onRef('entity_charts.environment_id', '=', 'entities.environment_id')
        .onRef('entity_charts.definition_revision_id', '=', 'entities.definition_revision_id'),
    )
    .selectAll('entities')
    .select('entity_charts.states')
    .where('entities.id', '=', values.id),
)

/** An entity, named by its path. */
export interface EntityKey {
  organizationId: string
  environmentId: string
  type: string
  id: string
}

/** The entity at this path, or undefined: absent, foreign and deleted look the same. */
export const findEntity = query((db, values: EntityKey) =>
  db
    .selectFrom('entities')
    .selectAll()
    .where('id', '=', values.id)
    .where('environment_id', '=', values.environmentId)
    .where('type', '=', values.type)
    .where('organization_id', '=', values.organizationId)
    .where('deleted_at', 'is', null),
)

/** Where an entity of the organization lives. */
export const findPlaceOfEntity = query((db, values: { organizationId: string; id: string }) =>
  db
    .selectFrom('entities')
    .select(['project_id', 'environment_id'])
    .where('id', '=', values.id)
    .where('organization_id', '=', values.organizationId)
    .where('deleted_at', 'is', null),
)

interface EntityListing {
  organizationId: string
  environmentId: string
  type: string
  before: string
  limit: number
}

/** Newest first, from below this id. */
export const listEntities = query((db, values: EntityListing) =>
  db
    .selectFrom('entities')
    .selectAll()
    .where('environment_id', '=', values.environmentId)
    .where('type', '=', values.type)
    .where('organization_id', '=', values.organizationId)
    .where('id', '<', values.before)
    .where('deleted_at', 'is', null)
    .orderBy('id', 'desc')
    .limit(values.limit),
)

/** The same, of those in one state. */
export const listEntitiesInState = query((db, values: EntityListing & { state: string }) =>
  db
    .selectFrom('entities')
    .selectAll()
    .where('environment_id', '=', values.environmentId)
    .where('type', '=', values.type)
    .where('state', '=', values.state)
    .where('organization_id', '=', values.organizationId)
    .where('id', '<', values.before)
    .where('deleted_at', 'is', null)
    .orderBy('id', 'desc')
    .limit(values.limit),
)

/** Whether the Project has a Definition of entities by this name. */
export const findEntityDefinition = query((db, values: { organizationId: string; projectId: string; name: string }) =>
  db
    .selectFrom('definitions')
    .select('id')
    .where('project_id', '=', values.projectId)
    .where('name', '=', values.name)
    .where('kind', '=', 'entity')
    .where('organization_id', '=', values.organizationId),
)

export const keepChart = write((db, row: EntityChartRow) =>
  db
    .insertInto('entity_charts')
    .values(row)
    .onConflict((conflict) => conflict.columns(['environment_id', 'definition_revision_id']).doNothing()),
)

/** A statechart that has made nothing of the journal is not remembered. */
export const keepPastChart = write((db, row: EntityPastChartRow) =>
  db
    .insertInto('entity_past_charts')
    .values(row)
    .onConflict((conflict) => conflict.columns(['entity_id', 'until_sequence']).doNothing()),
)

/** The statecharts that an entity had before, oldest first. */
export const listPastCharts = query((db, values: { entityId: string }) =>
  db
    .selectFrom('entity_past_charts')
    .innerJoin('entities', 'entities.id', 'entity_past_charts.entity_id')
    .innerJoin('entity_charts', (join) =>
      join
        .onRef('entity_charts.environment_id', '=', 'entities.environment_id')
        .onRef('entity_charts.definition_revision_id', '=', 'entity_past_charts.definition_revision_id'),
    )
    .select([
      'entity_past_charts.until_sequence',
      'entity_past_charts.definition_revision_id',
      'entity_charts.states',
      'entities.type',
    ])
    .where('entity_past_charts.entity_id', '=', values.entityId)
    .orderBy('entity_past_charts.until_sequence'),
)

/** What an Environment's call of this name was answered; one of its own row, so that it commits once. */
export const insertEntityCall = write((db, row: EntityCallRow) => db.insertInto('entity_calls').values(row), 1)

export const getEntityCall = query((db, values: { key: string }) =>
  db.selectFrom('entity_calls').select('output').where('key', '=', values.key),
)

export const listEndedEntityCalls = query((db, values: { until: number; limit: number }) =>
  db.selectFrom('entity_calls').select('key').where('created_at', '<=', values.until).limit(values.limit),
)

export const deleteEntityCall = write((db, values: { key: string }) =>
  db.deleteFrom('entity_calls').where('key', '=', values.key),
)

/** Entities that were deleted then or earlier. */
export const listDeletedEntities = query((db, values: { until: number; limit: number }) =>
  db.selectFrom('entities').select('id').where('deleted_at', '<=', values.until).limit(values.limit),
)

export const deleteEntity = write((db, values: { id: string }) => db.deleteFrom('entities').where('id', '=', values.id))
