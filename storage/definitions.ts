/** Definitions and their revisions. Source: requirement 1, "Delivery path"; contract 3. */
import type { ExpressionBuilder } from 'kysely'
import { query, write } from './statement.ts'
import type { DefinitionRevisionRow, DefinitionRow, Tables } from './tables.ts'

/** Only into a Project that is not being deleted; else `StaleWrite`. */
export const insertDefinition = write(
  (db, row: DefinitionRow) =>
    db
      .insertInto('definitions')
      .columns([
        'id',
        'organization_id',
        'project_id',
        'name',
        'kind',
        'description',
        'status',
        'latest_revision_id',
        'created_at',
        'updated_at',
      ])
      .expression((eb) =>
        eb
          .selectFrom('projects')
          .select([
            eb.val(row.id).as('id'),
            'projects.organization_id',
            'projects.id as project_id',
            eb.val(row.name).as('name'),
            eb.val(row.kind).as('kind'),
            eb.val(row.description).as('description'),
            eb.val(row.status).as('status'),
            eb.val(row.latest_revision_id).as('latest_revision_id'),
            eb.val(row.created_at).as('created_at'),
            eb.val(row.updated_at).as('updated_at'),
          ])
          .where('projects.id', '=', row.project_id)
          .where('projects.organization_id', '=', row.organization_id)
          .where('projects.status', '<>', 'deleting'),
      ),
  1,
)

/** A Definition, named by its path. */
export interface DefinitionKey {
  organizationId: string
  projectId: string
  definitionId: string
}

export const findDefinition = query((db, values: DefinitionKey) =>
  db
    .selectFrom('definitions')
    .selectAll()
    .where('id', '=', values.definitionId)
    .where('project_id', '=', values.projectId)
    .where('organization_id', '=', values.organizationId),
)

/** The Definitions of a Project before an id, newest first. */
export const listDefinitions = query(
  (db, values: { organizationId: string; projectId: string; beforeId: string; limit: number }) =>
    db
      .selectFrom('definitions')
      .selectAll()
      .where('project_id', '=', values.projectId)
      .where('organization_id', '=', values.organizationId)
      .where('id', '<', values.beforeId)
      .orderBy('id', 'desc')
      .limit(values.limit),
)

/** Only while no Release pins it: those say `<name>.<operation>`. Else `StaleWrite`. */
export const renameDefinition = write(
  (db, values: DefinitionKey & { name: string; at: number }) =>
    db
      .updateTable('definitions')
      .set({ name: values.name, updated_at: values.at })
      .where('id', '=', values.definitionId)
      .where('project_id', '=', values.projectId)
      .where('organization_id', '=', values.organizationId)
      .where('status', '=', 'active')
      .where(({ or, eb, not, exists, selectFrom }) =>
        or([
          eb('name', '=', values.name),
          not(
            exists(
              selectFrom('release_pins').select('release_id').where('resource_id', '=', values.definitionId).limit(1),
            ),
          ),
        ]),
      ),
  1,
)

export const describeDefinition = write(
  (db, values: DefinitionKey & { description: string | null; at: number }) =>
    db
      .updateTable('definitions')
      .set({ description: values.description, updated_at: values.at })
      .where('id', '=', values.definitionId)
      .where('project_id', '=', values.projectId)
      .where('organization_id', '=', values.organizationId)
      .where('status', '=', 'active'),
  1,
)

/** Releases of active Deployments that pin the Definition. A Project has few Environments: they are looked at first. */
const activePins = (
  { selectFrom }: ExpressionBuilder<Tables, 'definitions'>,
  { projectId, definitionId }: DefinitionKey,
) =>
  selectFrom('environments')
    .innerJoin('deployments', 'deployments.id', 'environments.active_deployment_id')
    .innerJoin('release_pins', 'release_pins.release_id', 'deployments.release_id')
    .select('release_pins.release_id')
    .where('environments.project_id', '=', projectId)
    .where('release_pins.resource_id', '=', definitionId)

/** With its revisions. Only while no active Deployment pins it; else `StaleWrite`. */
export const deleteDefinition = write(
  (db, values: DefinitionKey) =>
    db
      .deleteFrom('definitions')
      .where('id', '=', values.definitionId)
      .where('project_id', '=', values.projectId)
      .where('organization_id', '=', values.organizationId)
      .where((eb) => eb.not(eb.exists(activePins(eb as never, values)))),
  1,
)

/** Says which revision is the latest one; only of a Definition that is there to stay, else `StaleWrite`. */
export const advanceDefinition = write(
  (db, values: DefinitionKey & { revisionId: string; at: number }) =>
    db
      .updateTable('definitions')
      .set({ latest_revision_id: values.revisionId, updated_at: values.at })
      .where('id', '=', values.definitionId)
      .where('project_id', '=', values.projectId)
      .where('organization_id', '=', values.organizationId)
      .where('status', '=', 'active'),
  1,
)

/** The revision gets the Definition's next number as it is stored, so that there are no gaps and no repeats. */
export const insertDefinitionRevision = write(
  (db, row: Omit<DefinitionRevisionRow, 'number'>) =>
    db.insertInto('definition_revisions').values(({ selectFrom, fn, val }) => ({
      id: row.id,
      organization_id: row.organization_id,
      definition_id: row.definition_id,
      number: selectFrom('definition_revisions')
        .select(({ eb }) => eb(fn.coalesce(fn.max('number'), val(0)), '+', 1).as('next'))
        .where('definition_id', '=', row.definition_id),
      source: row.source,
      source_digest: row.source_digest,
      created_by_type: row.created_by_type,
      created_by_id: row.created_by_id,
      created_at: row.created_at,
    })),
  1,
)

export const findDefinitionRevision = query(
  (db, values: { organizationId: string; definitionId: string; definitionRevisionId: string }) =>
    db
      .selectFrom('definition_revisions')
      .selectAll()
      .where('id', '=', values.definitionRevisionId)
      .where('definition_id', '=', values.definitionId)
      .where('organization_id', '=', values.organizationId),
)

/** The revisions of a Definition before a number, newest first. */
export const listDefinitionRevisions = query(
  (db, values: { organizationId: string; definitionId: string; beforeNumber: number; limit: number }) =>
    db
      .selectFrom('definition_revisions')
      .selectAll()
      .where('definition_id', '=', values.definitionId)
      .where('organization_id', '=', values.organizationId)
      .where('number', '<', values.beforeNumber)
      .orderBy('number', 'desc')
      .limit(values.limit),
)
