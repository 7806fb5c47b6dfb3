/** Variables of an Environment and their versions. Source: requirement 2, 4.11, 9.2; contract 4. */
import { sql } from 'kysely'
import { activeEnvironment } from '../active-parents.ts'
import { elementsOf, isNull } from '../by-engine.ts'
import { insertFrom, rowsOf } from '../rows.ts'
import { markedAndUnbound, unmarked } from '../runtime/marked.ts'
import { listByName, type Named, query, write } from '../statement.ts'
import type { Store } from '../store.ts'
import type { VariableRow, VariableVersionRow } from '../tables.ts'

const variables = rowsOf('variables', 'id').where(() => unmarked('variables'))

/** The path of an Environment. */
export interface VariableScope {
  organizationId: string
  projectId: string
  environmentId: string
}

/** The path of a variable. */
export interface VariableKey extends VariableScope {
  id: string
}

/** Condition: no Agent is given, or it is one of the Project that is not being deleted. */
const agentFits = (values: { agentId: string | null; projectId: string }) => sql<boolean>`(
  ${isNull(values.agentId)} or exists (
    select 1 from agents where agents.id = ${values.agentId} and agents.project_id = ${values.projectId} and agents.status <> 'deleting'
  )
)`

/**
 * `StaleWrite` if the Environment or its Project is being deleted, if it has `variablesMax` variables, or if the Agent
 * does not belong to the Project or is being deleted.
 */
export const insertVariable = write(
  (db, { projectId, variablesMax, ...row }: VariableRow & { projectId: string; variablesMax: number }) =>
    insertFrom(
      db,
      'variables',
      row,
      activeEnvironment(db, row)
        .where('projects.id', '=', projectId)
        .where(agentFits({ agentId: row.agent_id, projectId: projectId }))
        .where(variables.fewerThan(variablesMax, 'environment_id', row.environment_id)),
    ),
  1,
)

/** `StaleWrite` if the variable, or the organization variable with the value, was deleted. */
export const insertVariableVersion = write(
  (db, row: VariableVersionRow) =>
    insertFrom(
      db,
      'variable_versions',
      row,
      db
        .selectFrom('variables')
        .where('variables.id', '=', row.variable_id)
        .where(unmarked('variables'))
        .where(
          sql<boolean>`(${isNull(row.source_variable_id)} or exists (
            select 1 from organization_variables as source
            where source.id = ${row.source_variable_id} and ${unmarked('source')}))`,
        ),
    ),
  1,
)

/** Variables with the length, digest and source of the current value. */
const shown = (db: Store['db']) =>
  db
    .selectFrom('variables as variable')
    .innerJoin('environments', 'environments.id', 'variable.environment_id')
    .innerJoin('variable_versions as current', (join) =>
      join.onRef('current.variable_id', '=', 'variable.id').onRef('current.version', '=', 'variable.version'),
    )
    .selectAll('variable')
    .select(['current.source_variable_id', 'current.source_version', 'current.digest', 'current.length'])
    .where(unmarked('variable'))

/** The variable at this path; undefined if it does not exist or belongs elsewhere. */
export const findVariable = query((db, values: VariableKey) =>
  shown(db)
    .where('variable.id', '=', values.id)
    .where('variable.environment_id', '=', values.environmentId)
    .where('variable.organization_id', '=', values.organizationId)
    .where('environments.project_id', '=', values.projectId),
)

/** Newest first, below an id; with `agentId`, only variables bound to it or to no Agent. */
export const listVariables = listByName(
  (db, values: VariableScope & Named & { agentId: string | null; before: string; limit: number }, isNamed) =>
    shown(db)
      .where('variable.environment_id', '=', values.environmentId)
      .where('variable.organization_id', '=', values.organizationId)
      .where('environments.project_id', '=', values.projectId)
      .where('variable.id', '<', values.before)
      .$if(isNamed, (list) => list.where('variable.name', '=', values.named as string))
      .where(
        sql<boolean>`(${isNull(values.agentId)} or coalesce(variable.agent_id, ${values.agentId}) = ${values.agentId})`,
      )
      .orderBy('variable.id', 'desc')
      .limit(values.limit),
)

export const countVariables = variables.count('environment_id')

/**
 * The changes; null leaves a field unchanged. A field that can itself be null has a `sets…` flag. A new `version` must
 * follow the current one.
 */
interface VariableUpdate extends VariableKey {
  setsDescription: 0 | 1
  description: string | null
  status: 'active' | 'disabled' | null
  setsBinding: 0 | 1
  agentId: string | null
  bindingKey: string | null
  version: number | null
  at: number
}

/** `StaleWrite` if another version came first, or if the Agent does not belong to the Project or is being deleted. */
export const updateVariable = write(
  (db, values: VariableUpdate) =>
    db
      .updateTable('variables')
      .set({
        description: sql<
          string | null
        >`case when ${values.setsDescription} = 1 then ${values.description} else description end`,
        status: sql<'active' | 'disabled'>`coalesce(${values.status}, status)`,
        agent_id: sql<string | null>`case when ${values.setsBinding} = 1 then ${values.agentId} else agent_id end`,
        binding_key: sql<
          string | null
        >`case when ${values.setsBinding} = 1 then ${values.bindingKey} else binding_key end`,
        version: sql<number>`coalesce(${values.version}, version)`,
        updated_at: values.at,
      })
      .where('id', '=', values.id)
      .where('environment_id', '=', values.environmentId)
      .where('organization_id', '=', values.organizationId)
      .where(unmarked('variables'))
      .where(sql<boolean>`version = coalesce(${values.version} - 1, version)`)
      .where(agentFits(values)),
  1,
)

/** Marks the variable as deleted. `StaleWrite` if the snapshot of the active Deployment pins a version. */
export const deleteUnpinnedVariable = write(
  (db, values: VariableKey) =>
    db
      .updateTable('variables')
      .set(markedAndUnbound)
      .where(unmarked('variables'))
      .where('id', '=', values.id)
      .where('environment_id', '=', values.environmentId)
      .where('organization_id', '=', values.organizationId)
      .where(({ not, exists }) =>
        not(
          exists(
            db
              .selectFrom('environments')
              .innerJoin('deployments', 'deployments.id', 'environments.active_deployment_id')
              .innerJoin('configuration_revisions as snapshot', 'snapshot.id', 'deployments.configuration_revision_id')
              .select('snapshot.id')
              .where('environments.id', '=', values.environmentId)
              .where(pinned(values)),
          ),
        ),
      ),
  1,
)

// Contract 3, `ConfigurationRevision`, defines the snapshot.
const pinned = ({ id }: VariableKey) => sql<boolean>`exists (
  select 1 from ${elementsOf('snapshot.content', 'variables', 'pin')} where pin.value ->> 'variableId' = ${id}
)`

/** An exact version with the columns that decide whether it may be used, and the version of its source. */
export const findPinnedVariable = query((db, values: { organizationId: string; id: string; version: number }) =>
  db
    .selectFrom('variables as variable')
    .innerJoin('variable_versions as pinned', 'pinned.variable_id', 'variable.id')
    .leftJoin('organization_variables as source', (join) =>
      join
        .onRef('source.id', '=', 'pinned.source_variable_id')
        .onRef('source.organization_id', '=', 'variable.organization_id'),
    )
    .leftJoin('organization_variable_versions as source_value', (join) =>
      join
        .onRef('source_value.variable_id', '=', 'source.id')
        .onRef('source_value.version', '=', 'pinned.source_version'),
    )
    .select([
      'variable.name',
      'variable.status',
      'pinned.digest',
      'pinned.sealed',
      'pinned.source_variable_id',
      'pinned.source_version',
      'source.status as source_status',
      'source_value.sealed as source_sealed',
    ])
    .where('variable.id', '=', values.id)
    .where('variable.organization_id', '=', values.organizationId)
    .where(unmarked('variable'))
    .where('pinned.version', '=', values.version),
)
