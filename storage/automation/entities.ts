/** Entities. The row is the actor's: every change increases `version`. Source: contract 6, `Entity`. */
import { activeEnvironment } from '../active-parents.ts'
import { insertFrom, rowsOf } from '../rows.ts'
import { query, write } from '../statement.ts'
import type { EntityRow } from '../tables.ts'

const entities = rowsOf('entities', 'id')
/** Entities that were not deleted. */
const standing = entities.where(({ eb }) => eb('deleted_at', 'is', null))
const entityCharts = rowsOf('entity_charts', 'environment_id', 'definition_revision_id')
const entityPastCharts = rowsOf('entity_past_charts', 'entity_id', 'until_sequence')
const entityCalls = rowsOf('entity_calls', 'key')

/** `StaleWrite` if the Environment is being deleted. */
export const insertEntity = write(
  (db, row: EntityRow) => insertFrom(db, 'entities', row, activeEnvironment(db, row)),
  1,
)

export const updateEntity = entities.move('definition_revision_id', 'entity_version', 'data', 'deleted_at')

/** An entity with its statechart. */
export interface ChartedEntity extends EntityRow {
  /** JSON. */
  states: string
}

/** Any entity, including deleted ones, for the runtime; requests also filter by organization. */
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

/** The entity at this path; undefined if it does not exist, was deleted or belongs elsewhere. */
export const findEntity = standing.find('id', 'environment_id', 'type', 'organization_id')

/** The Project and Environment of an entity in the organization. */
export const findPlaceOfEntity = standing.only('project_id', 'environment_id').find('id', 'organization_id')

/** Newest first, ids below `before`. */
export const listEntities = standing.newest('id', 'environment_id', 'type', 'organization_id')

/** The same, for entities in one state. */
export const listEntitiesInState = standing.newest('id', 'environment_id', 'type', 'state', 'organization_id')

/** Entities of one type in an Environment. */
interface TypeOfEntities {
  organizationId: string
  environmentId: string
  type: string
}

/** The next state, by name, that has entities; for iterating over all states. */
export const nextStateOfEntities = query((db, values: TypeOfEntities & { after: string }) =>
  db
    .selectFrom('entities')
    .select('state')
    .where('environment_id', '=', values.environmentId)
    .where('type', '=', values.type)
    .where('state', '>', values.after)
    .where('organization_id', '=', values.organizationId)
    .where('deleted_at', 'is', null)
    .orderBy('state')
    .limit(1),
)

/** Number of entities in a state, counted up to `max`. */
export const countEntitiesInState = query((db, values: TypeOfEntities & { state: string; max: number }) =>
  db
    .selectFrom((from) =>
      from
        .selectFrom('entities')
        .select('id')
        .where('environment_id', '=', values.environmentId)
        .where('type', '=', values.type)
        .where('state', '=', values.state)
        .where('organization_id', '=', values.organizationId)
        .where('deleted_at', 'is', null)
        .limit(values.max)
        .as('counted'),
    )
    .select(({ fn }) => fn.countAll<number>().as('count')),
)

/** Whether the Project has an entity Definition of this name. */
export const findEntityDefinition = query((db, values: { organizationId: string; projectId: string; name: string }) =>
  db
    .selectFrom('definitions')
    .select('id')
    .where('project_id', '=', values.projectId)
    .where('name', '=', values.name)
    .where('kind', '=', 'entity')
    .where('organization_id', '=', values.organizationId),
)

export const keepChart = entityCharts.insertOrKeep('environment_id', 'definition_revision_id')

/**
 * Stores the previous statechart. A statechart that wrote no journal row has the `until_sequence` of the one before it,
 * and is skipped.
 */
export const keepPastChart = entityPastCharts.insertOrKeep('entity_id', 'until_sequence')

/** The previous statecharts of an entity, oldest first. */
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

/** Stores the answer of a call under its unique key, so that the call commits only once. */
export const insertEntityCall = entityCalls.insert()

export const getEntityCall = entityCalls.only('output').find()

export const listEndedEntityCalls = query((db, values: { until: number; limit: number }) =>
  db.selectFrom('entity_calls').select('key').where('created_at', '<=', values.until).limit(values.limit),
)

export const deleteEntityCall = entityCalls.remove()

/** Entities deleted at this time or earlier. */
export const listDeletedEntities = query((db, values: { until: number; limit: number }) =>
  db.selectFrom('entities').select('id').where('deleted_at', '<=', values.until).limit(values.limit),
)

export const deleteEntity = entities.remove()
