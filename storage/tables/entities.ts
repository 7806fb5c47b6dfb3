/** Entities. Row types for Kysely; the migrations define the tables. */
export interface EntityRow {
  id: string
  organization_id: string
  project_id: string
  environment_id: string
  /** The name of its Definition. */
  type: string
  /** The Definition revision whose statechart runs it. */
  definition_revision_id: string
  state: string
  version: number
  machine_version: string
  context: string
  /** Incremented by each change of the entity; `version` by each stored snapshot. */
  entity_version: number
  /** JSON. */
  data: string
  created_at: number
  updated_at: number
  deleted_at: number | null
}

interface EntityChartRow {
  environment_id: string
  definition_revision_id: string
  /** JSON. */
  states: string
}

/** The statechart that produced an entity's journal up to this sequence number. */
interface EntityPastChartRow {
  entity_id: string
  until_sequence: number
  definition_revision_id: string
}

/** The answer to a call. */
interface EntityCallRow {
  key: string
  environment_id: string
  /** JSON. */
  output: string
  created_at: number
}

export interface EntityTables {
  entities: EntityRow
  entity_charts: EntityChartRow
  entity_past_charts: EntityPastChartRow
  entity_calls: EntityCallRow
}
