/** Variables of an organization, from which variables of Environments can take their values. Source: contract 4. */
import { sql } from 'kysely'
import { insertFrom, rowsOf } from '../rows.ts'
import { marked, unmarked } from '../runtime/marked.ts'
import { listByName, type Named, query, write } from '../statement.ts'
import type { Store } from '../store.ts'
import type { OrganizationVariableRow } from '../tables.ts'
import { placeColumns } from './place-columns.ts'

const organizationVariableVersions = rowsOf('organization_variable_versions', 'variable_id', 'version')
const organizationVariables = rowsOf('organization_variables', 'id').where(() => unmarked('organization_variables'))

/** The path of an organization's variable. */
export interface OrganizationVariableKey {
  organizationId: string
  id: string
}

/** `StaleWrite` if the organization has `variablesMax` variables. */
export const insertOrganizationVariable = write(
  (db, { variablesMax, ...row }: OrganizationVariableRow & { variablesMax: number }) =>
    insertFrom(
      db,
      'organization_variables',
      row,
      db
        .selectFrom('organizations')
        .where('organizations.id', '=', row.organization_id)
        .where(organizationVariables.fewerThan(variablesMax, 'organization_id', row.organization_id)),
    ),
  1,
)

export const insertOrganizationVariableVersion = organizationVariableVersions.insert()

/** Variables with the length and digest of the current value. */
const shown = (db: Store['db']) =>
  db
    .selectFrom('organization_variables as variable')
    .innerJoin('organization_variable_versions as current', (join) =>
      join.onRef('current.variable_id', '=', 'variable.id').onRef('current.version', '=', 'variable.version'),
    )
    .selectAll('variable')
    .select(['current.digest', 'current.length'])
    .where(unmarked('variable'))

/** The variable of the organization; undefined if it does not exist or belongs elsewhere. */
export const findOrganizationVariable = query((db, values: OrganizationVariableKey) =>
  shown(db).where('variable.id', '=', values.id).where('variable.organization_id', '=', values.organizationId),
)

/** Newest first, below this id. */
export const listOrganizationVariables = listByName(
  (db, values: Named & { organizationId: string; before: string; limit: number }, isNamed) =>
    shown(db)
      .where('variable.organization_id', '=', values.organizationId)
      .where('variable.id', '<', values.before)
      .$if(isNamed, (list) => list.where('variable.name', '=', values.named as string))
      .orderBy('variable.id', 'desc')
      .limit(values.limit),
)

/** A version of the variable, without its value. */
export const findOrganizationVariableVersion = query((db, values: OrganizationVariableKey & { version: number }) =>
  db
    .selectFrom('organization_variables as variable')
    .innerJoin('organization_variable_versions as pinned', 'pinned.variable_id', 'variable.id')
    .select(['pinned.digest', 'pinned.length'])
    .where('variable.id', '=', values.id)
    .where('variable.organization_id', '=', values.organizationId)
    .where(unmarked('variable'))
    .where('pinned.version', '=', values.version),
)

/**
 * The changes; null leaves a field unchanged. `setsDescription` says whether to set the description, which can itself
 * be null. `StaleWrite` if a new `version` does not follow the current one.
 */
interface OrganizationVariableUpdate extends OrganizationVariableKey {
  setsDescription: 0 | 1
  description: string | null
  status: 'active' | 'disabled' | null
  version: number | null
  at: number
}

export const updateOrganizationVariable = write(
  (db, values: OrganizationVariableUpdate) =>
    db
      .updateTable('organization_variables')
      .set({
        description: sql<
          string | null
        >`case when ${values.setsDescription} = 1 then ${values.description} else description end`,
        status: sql<'active' | 'disabled'>`coalesce(${values.status}, status)`,
        version: sql<number>`coalesce(${values.version}, version)`,
        updated_at: values.at,
      })
      .where('id', '=', values.id)
      .where('organization_id', '=', values.organizationId)
      .where(unmarked('organization_variables'))
      .where(sql<boolean>`version = coalesce(${values.version} - 1, version)`),
  1,
)

/**
 * Versions of variables of Environments that take their value from the variable, up to `limit`; one variable may have
 * several.
 */
export const listTakingVersions = query((db, values: OrganizationVariableKey & { limit: number }) =>
  taking(db, values)
    .innerJoin('environments', 'environments.id', 'variable.environment_id')
    .innerJoin('projects', 'projects.id', 'environments.project_id')
    .select(['variable.id', 'variable.name', ...placeColumns])
    .where('variable.organization_id', '=', values.organizationId)
    .limit(values.limit),
)

const taking = (db: Store['db'], { id }: Pick<OrganizationVariableKey, 'id'>) =>
  db
    .selectFrom('variable_versions as taking')
    .innerJoin('variables as variable', 'variable.id', 'taking.variable_id')
    .where('taking.source_variable_id', '=', id)
    .where(unmarked('variable'))

/**
 * Marks the variable as deleted. `StaleWrite` while a version of an Environment's variable takes its value from this
 * variable.
 */
export const deleteOrganizationVariable = write(
  (db, values: OrganizationVariableKey) =>
    db
      .updateTable('organization_variables')
      .set(marked)
      .where('id', '=', values.id)
      .where('organization_id', '=', values.organizationId)
      .where(unmarked('organization_variables'))
      .where(({ not, exists }) => not(exists(taking(db, values).select('taking.variable_id')))),
  1,
)
