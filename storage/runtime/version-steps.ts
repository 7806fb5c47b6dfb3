/**
 * How resources with versions are deleted, on their own or with their parent: version by version, since there may be
 * thousands of them, and large ones. A resource goes with its last version, so that those without versions are not
 * searched again. With an Agent, each resource that is bound to it is marked in one piece: until then it can be
 * unbound, and must be whole. Source: contract 2, "Deletion".
 */
import { sql } from 'kysely'
import { freeAccount } from '../accounts/oauth-grants.ts'
import { untyped } from '../rows.ts'
import { query, write } from '../statement.ts'
import type { Query, Store, Write } from '../store.ts'
import type { Tables } from '../tables.ts'
import type { DeletionStep, Target, Values } from './deletion-step.ts'
import { markedAndUnbound, unmarked } from './marked.ts'

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
  /** A table with rows that go with a version, whose column has their id. */
  with?: [table: keyof Tables, column: string]
}

/** Between the two parts of a key. */
const separator = '/'

/** How marked resources are removed. */
interface Marked {
  /** Those resources, each as often as it has versions, and once if it has none. */
  list(store: Pick<Store, 'db'>, values: { limit: number }): Query<{ id: string; number: number | null }>
  /** Removes a version, and the resource with its last one; null: the resource has none. */
  removeVersion(store: Pick<Store, 'db'>, id: string, number: number | null): Write[]
}

interface VersionsStep extends DeletionStep {
  /**
   * For resources that are marked when they are deleted on their own; an index has the marked ones. `keptBy`: a table
   * with rows that keep a resource while they are there, and their column with its id.
   */
  marked(keptBy?: [table: keyof Tables, column: string]): Marked
}

function versions({ parent, table, key: [of, number], above, targets, with: also }: Versioned): VersionsStep {
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
  const deleteAlso =
    also &&
    write((db, values: { id: string; number: number }) =>
      untyped(db)
        .deleteFrom(also[0] as string)
        .where(
          'id',
          '=',
          untyped(db)
            .selectFrom(table as string)
            .select(also[1])
            .where(of, '=', values.id)
            .where(number, '=', values.number),
        ),
    )
  const removeVersion: Marked['removeVersion'] = (store, id, version) => [
    ...(version === null || !deleteAlso ? [] : [deleteAlso(store, { id, number: version })]),
    ...(version === null ? [] : [deleteVersion(store, { id, number: version })]),
    removeWithoutVersions(store, { id }),
  ]
  const marked: VersionsStep['marked'] = (keptBy) => ({
    list: query((db, values: { limit: number }) => {
      const all = untyped(db)
        .selectFrom(parent as string)
        .leftJoin(table as string, `${table}.${of}`, `${parent}.id`)
        .select([`${parent}.id`, `${table}.${number} as number`])
        .where(sql<boolean>`${sql.ref(`${parent}.status`)} = 'deleting'`)
        .limit(values.limit)
        .$castTo<{ id: string; number: number | null }>()
      if (keptBy === undefined) return all
      const [keeping, column] = keptBy
      const kept = untyped(db)
        .selectFrom(keeping as string)
        .select(column)
        .whereRef(column, '=', `${parent}.id`)
      return all.where(({ not, exists }) => not(exists(kept)))
    }),
    removeVersion,
  })
  return {
    keys: Object.fromEntries(keys),
    marked,
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

export const connectionVersions = versions({
  parent: 'connections',
  table: 'connection_versions',
  key: ['connection_id', 'number'],
  above: ['environments', 'environment_id'],
  targets: ofEnvironments,
  with: ['oauth_grants', 'oauth_grant_id'],
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

/** All marked resources. */
export const markedResources = [
  definitionRevisions.marked(),
  variableVersions.marked(),
  connectionVersions.marked(),
  organizationVariableVersions.marked(['variable_versions', 'source_variable_id']),
]

/** Marks resources that are bound to an Agent, which is being deleted. */
function bound(table: 'variables' | 'connections', also?: typeof freeAccount): DeletionStep {
  const list = query((db, values: Values) =>
    untyped(db)
      .selectFrom(table as string)
      .select('id as key')
      .where('agent_id', '=', values.id)
      .limit(values.limit)
      .$castTo<{ key: string }>(),
  )
  const mark = write((db, values: { id: string }) =>
    untyped(db)
      .updateTable(table as string)
      .set(markedAndUnbound)
      .where('id', '=', values.id)
      .where('agent_id', 'is not', null)
      .where(unmarked(table)),
  )
  return {
    keys: { agent: list },
    remove: (store, id) => [mark(store, { id }), ...(also ? [also(store, { connectionId: id })] : [])],
  }
}

export const boundVariables = bound('variables')
/** With the accounts of Connections, which are free for others. */
export const boundConnections = bound('connections', freeAccount)
