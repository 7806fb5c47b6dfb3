/**
 * The contents of an Environment with the sequence number of its last event, read in one statement for consistency.
 * Source: requirement 4.12; contract 7, `rebaseline`.
 */
import { sql } from 'kysely'
import { query } from '../statement.ts'

/** A row; `part` determines which columns it has. */
export interface BaselineRow {
  part: 'environment' | 'deployment' | 'agent' | 'run' | 'entity'
  id: string
  state: string
  agent_id: string | null
  agent_revision_id: string | null
  deployment_id: string | null
  release_id: string | null
  configuration_revision_id: string | null
  /** Generation of the Environment. */
  activations: number | null
  /** Only for the Environment: the sequence number of its last event, and the incarnation of the history. */
  sequence: number | null
  generation: number | null
  /** Type and version of an entity. */
  type: string | null
  version: number | null
}

// PostgreSQL requires the same types in all parts of a union
const noText = sql`cast(null as text)`
const noNumber = sql`cast(null as bigint)`
/** Nulls for activations, sequence, generation, type and version. */
const nothing = sql`${noNumber}, ${noNumber}, ${noNumber}, ${noText}, ${noNumber}`

/**
 * The Environment at this path, its active Deployment, its Project's Agents (oldest first, with the deployed revision),
 * its live runs and its entities (newest first), up to a limit of each. No rows if the Environment does not exist or
 * belongs elsewhere.
 */
export const takeBaseline = query(
  (db, values: { organizationId: string; projectId: string; environmentId: string; limit: number }) => ({
    compile: () =>
      sql<BaselineRow>`
        with environment as materialized (
          select id, state, active_deployment_id, head_revision_id, generation from environments
          where id = ${values.environmentId} and project_id = ${values.projectId} and organization_id = ${values.organizationId}),
        deployment as materialized (
          select deployments.* from environment join deployments on deployments.id = environment.active_deployment_id)
        select 'environment' as part, id, state, null as agent_id, null as agent_revision_id,
          active_deployment_id as deployment_id, null as release_id, head_revision_id as configuration_revision_id,
          generation as activations,
          coalesce((select sequence from environment_sequences where environment_id = environment.id), 0) as sequence,
          (select generation from history) as generation, null as type, ${noNumber} as version
        from environment
        union all
        select 'deployment', id, state, null, null, null, release_id, configuration_revision_id, ${nothing}
        from deployment
        union all
        select * from (
          select 'agent', agents.id, agents.status, null, release_pins.revision_id, ${noText}, ${noText}, ${noText}, ${nothing}
          from agents left join release_pins on release_pins.resource_id = agents.id
            and release_pins.release_id = (select release_id from deployment)
          where agents.project_id = ${values.projectId} and exists (select 1 from environment)
          order by agents.id limit ${values.limit}) as agents
        union all
        select * from (
          select 'run', runs.id, runs.state, agent_id, agent_revision_id, deployment_id, ${noText}, ${noText}, ${nothing}
          from runs
          where runs.environment_id = ${values.environmentId} and exists (select 1 from environment)
            and runs.state not in ('completed', 'failed', 'canceled', 'expired')
          order by runs.id desc limit ${values.limit}) as runs
        union all
        select * from (
          select 'entity', entities.id, entities.state, ${noText}, ${noText}, ${noText}, ${noText}, ${noText},
            ${noNumber}, ${noNumber}, ${noNumber}, entities.type, entities.entity_version
          from entities
          where entities.environment_id = ${values.environmentId} and exists (select 1 from environment)
            and entities.deleted_at is null
          order by entities.id desc limit ${values.limit}) as entities`.compile(db),
  }),
)
