/** The entity as a kind of actor: its row, the statechart of its revision, and the events of its changes. */

import {
  deleted,
  type EntityContext,
  type EntityEvent,
  type EntityStates,
  exampleMachine,
  remove,
  update,
} from '../../../machines/entity.ts'
import {
  type ChartedEntity,
  findPlaceOfEntity,
  getEntity,
  insertEntity,
  keepChart,
  keepPastChart,
  listPastCharts,
  updateEntity,
} from '../../../storage/automation/entities.ts'
import { withinBound } from '../../../storage/bounds.ts'
import type { Store, Write } from '../../../storage/store.ts'
import { chartOfEntity } from '../../authoring/definitions/entity-chart.ts'
import { recordEvent } from '../../events/history/record.ts'
import type { EventKind } from '../../events/kinds/kinds.ts'
import { defineActor, isSmall, snapshotOfRow } from '../../runtime/define-actor.ts'
import type { Actor, Address, Applied, Change, Move, OwnChart } from '../../runtime/kind.ts'

/** The columns of a new entity besides its snapshot. */
export type EntitySeed = Pick<
  ChartedEntity,
  'id' | 'organization_id' | 'project_id' | 'environment_id' | 'type' | 'definition_revision_id' | 'states' | 'data'
>
export type EntityActor = Actor<ChartedEntity, EntityContext>
type EntityMove = Move<EntityEvent, EntityContext>
type EntityChange = Change<ChartedEntity, EntityContext, EntityEvent>

/** An event that replaces the data. */
interface EntityUpdateEvent {
  type: typeof update
  expectedVersion?: number
  /** The new data as JSON. */
  data: string
}

/** The statechart of one revision of a Definition. */
export interface EntityChart extends OwnChart {
  /** `dfr_…` */
  key: string
  states(): EntityStates
}

export const entityAddress = (id: string): Address => ({ kind: 'entity', id })

export const entityChart = (type: string, definitionRevisionId: string, states: () => EntityStates): EntityChart => ({
  key: definitionRevisionId,
  title: `Entity ${type}`,
  states,
  machine: () => chartOfEntity(type, states()),
})

const machineVersion = exampleMachine.version ?? '1'

const stored = (row: Pick<ChartedEntity, 'type' | 'definition_revision_id' | 'states'>): EntityChart =>
  entityChart(row.type, row.definition_revision_id, () => JSON.parse(row.states) as EntityStates)

/** The row after one move. A deleted entity keeps its last data here, for the answer. */
function after(row: ChartedEntity, { event, to, context, chart }: EntityMove): ChartedEntity {
  const adopted = chart as EntityChart | undefined
  return {
    ...row,
    ...(adopted &&
      adopted.key !== row.definition_revision_id && {
        definition_revision_id: adopted.key,
        states: JSON.stringify(adopted.states()),
      }),
    state: to,
    context: JSON.stringify(context),
    entity_version: context.version,
    data: event.type === update ? (event as unknown as EntityUpdateEvent).data : row.data,
    updated_at: event.at,
    deleted_at: to === deleted ? event.at : null,
  }
}

function eventOf({ event, from }: EntityMove): EventKind {
  if (from === null) return 'domain.entity.created'
  if (event.type === update) return 'domain.entity.updated'
  return event.type === remove ? 'domain.entity.deleted' : 'domain.entity.transitioned'
}

const record = (store: Store, row: ChartedEntity, move: EntityMove): Write[] =>
  recordEvent(store, {
    organizationId: row.organization_id,
    projectId: row.project_id,
    environmentId: row.environment_id,
    type: eventOf(move),
    subject: { type: 'entity', id: row.id },
    actor: move.by,
    data: { type: row.type, from: move.from, to: move.to === deleted ? null : move.to, version: row.entity_version },
    at: move.event.at,
  })

const chartRow = ({ environment_id, definition_revision_id, states }: ChartedEntity) => ({
  environment_id,
  definition_revision_id,
  states,
})

function apply({ before, version, seed, moves, at }: EntityChange, store: Store): Applied<ChartedEntity> {
  let row = before?.row ?? newborn(seed as EntitySeed, at)
  let sequence = before?.sequence ?? 0
  const charts = before ? [] : [keepChart(store, chartRow(row))]
  const events: Write[] = []
  for (const move of moves) {
    const next = after(row, move)
    if (next.definition_revision_id !== row.definition_revision_id) {
      const past = { entity_id: row.id, until_sequence: sequence, definition_revision_id: row.definition_revision_id }
      charts.push(keepChart(store, chartRow(next)), keepPastChart(store, past))
    }
    events.push(...record(store, next, move))
    move.row = next
    row = next
    sequence = move.sequence ?? sequence
  }
  row = { ...row, version, ...(row.deleted_at !== null && { data: '{}' }) }
  const { states: _, ...plain } = row
  const save = before ? updateEntity(store, { ...plain, from: before.version }) : insertEntity(store, plain)
  const bound = before ? [] : [withinBound(store, 'entities', row.organization_id, row.environment_id)]
  return { row, writes: [save, ...bound, ...charts, ...events] }
}

const newborn = (seed: EntitySeed, at: number): ChartedEntity => ({
  ...seed,
  state: '',
  version: 1,
  machine_version: machineVersion,
  context: '{}',
  entity_version: 1,
  created_at: at,
  updated_at: at,
  deleted_at: null,
})

export const entityKind = defineActor<ChartedEntity, EntityContext, EntityEvent>({
  machine: exampleMachine,
  chartOf: stored,
  async pastCharts(store, id) {
    const rows = await store.all(listPastCharts(store, { entityId: id }))
    return rows.map((row) => ({ until: row.until_sequence, chart: stored(row) }))
  },
  load: (store, id) => store.first<ChartedEntity>(getEntity(store, { id })),
  snapshot: snapshotOfRow,
  isKept: ({ data, states }) => isSmall(data, states),
  apply,
  effects: {},
  view: {
    permission: 'projects:read-runtime-data',
    place: findPlaceOfEntity,
    show: ({ version }) => ({ version }),
  },
})
