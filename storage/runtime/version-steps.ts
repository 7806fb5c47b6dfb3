/**
 * How resources with versions are deleted: version by version, since there may be thousands of them, and large ones. A
 * resource goes with its last version, so that those without versions are not searched again. With an Agent, what is
 * bound to it goes at once: until then it can be unbound, and must be whole. Source: contract 2, "Deletion".
 */
import { sql } from 'kysely'
import { untyped } from '../rows.ts'
import { query, write } from '../statement.ts'
import type { Store, Write } from '../store.ts'
import type { Tables } from '../tables.ts'
import type { DeletionStep, Target, Values } from './deletion-step.ts'

interface Versioned {
  /** The table of the resources. */
  parent: keyof Tables
  /** The table of their versions, and its columns that identify one: the resource's id and the number. */
  table: keyof Tables
  key: [of: string, number: string]
  /** The table above the resources, and their column with the id of its row. */
  above?: [table: keyof Tables, column: string]
  /** The qualified columns with the ids of targets; an index begins with each of them. */
  targets: Partial<Record<Target, string>>
}

/** Between the two parts of a key. */
const separator = '/'

interface VersionsStep extends DeletionStep {
  /** Removes a version, and the resource with its last one; null: the resource has none. */
  removeVersion(store: Pick<Store, 'db'>, id: string, number: number | null): Write[]
}

function versions({ parent, table, key: [of, number], above, targets }: Versioned): VersionsStep {
  const resources = (db: Parameters<typeof untyped>[0], column: string) => {
    if (above === undefined || !column.startsWith(`${above[0]}.`)) return untyped(db).selectFrom(parent as string)
    return untyped(db)
      .selectFrom(above[0] as string)
      .innerJoin(parent as string, `${parent}.${above[1]}`, `${above[0]}.id`)
  }
  const keyOfVersion = sql<string>`${sql.ref(`${table}.${of}`)} || ${sql.lit(separator)} || ${sql.ref(`${table}.${number}`)}`
  const keys = Object.entries(targets).map(([target, column]) => [
    target,
    query((db, values: Values) =>
      resources(db, column)
        .innerJoin(table as string, `${table}.${of}`, `${parent}.id`)
        .select(keyOfVersion.as('key'))
        .where(column, '=', values.id)
        .limit(values.limit)
        .$castTo<{ key: string }>(),
    ),
  ])
  const deleteVersion = write((db, values: { id: string; number: number }) =>
    untyped(db)
      .deleteFrom(table as string)
      .where(of, '=', values.id)
      .where(number, '=', values.number),
  )
  const removeWithoutVersions = write((db, values: { id: string }) =>
    untyped(db)
      .deleteFrom(parent as string)
      .where('id', '=', values.id)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom(table as string)
              .select(of)
              .where(of, '=', values.id),
          ),
        ),
      ),
  )
  const removeVersion: VersionsStep['removeVersion'] = (store, id, version) => [
    ...(version === null ? [] : [deleteVersion(store, { id, number: version })]),
    removeWithoutVersions(store, { id }),
  ]
  return {
    keys: Object.fromEntries(keys),
    removeVersion,
    remove(store, key) {
      const [id = '', version] = key.split(separator)
      return removeVersion(store, id, Number(version))
    },
  }
}

const ofEnvironments = { organization: 'environments.organization_id', project: 'environments.project_id' }

/** Definitions and their revisions. */
export const definitionRevisions = versions({
  parent: 'definitions',
  table: 'definition_revisions',
  key: ['definition_id', 'number'],
  above: ['projects', 'project_id'],
  targets: { organization: 'projects.organization_id', project: 'definitions.project_id' },
})

export const variableVersions = versions({
  parent: 'variables',
  table: 'variable_versions',
  key: ['variable_id', 'version'],
  above: ['environments', 'environment_id'],
  targets: ofEnvironments,
})

/** With the consents of a Connection. */
export const connectionVersions = versions({
  parent: 'connections',
  table: 'connection_versions',
  key: ['connection_id', 'number'],
  above: ['environments', 'environment_id'],
  targets: ofEnvironments,
})

/** After the variables of Environments, which refer to them. */
export const organizationVariableVersions = versions({
  parent: 'organization_variables',
  table: 'organization_variable_versions',
  key: ['variable_id', 'version'],
  targets: { organization: 'organization_variables.organization_id' },
})

export const credentialVersions = versions({
  parent: 'provider_credentials',
  table: 'provider_credential_versions',
  key: ['credential_id', 'version'],
  targets: { organization: 'provider_credentials.organization_id' },
})
