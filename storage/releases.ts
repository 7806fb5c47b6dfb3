/** Releases, and what may be pinned by them. Source: requirement 1, "Delivery path"; contract 3. */
import { query, write } from './statement.ts'
import type { AgentRevisionRow, AgentRow, DefinitionRevisionRow, DefinitionRow, ReleaseRow } from './tables.ts'

/** An exact revision of an Agent or a Definition of the Project. */
export interface PinKey {
  organizationId: string
  projectId: string
  resourceId: string
  revisionId: string
}

export type PinnedAgentRow = Pick<AgentRow, 'slug'> & Pick<AgentRevisionRow, 'content' | 'granted_operations'>
export type PinnedDefinitionRow = Pick<DefinitionRow, 'name' | 'kind'> & Pick<DefinitionRevisionRow, 'source'>

/** The pinned revision of an Agent that is there to stay. */
export const findPinnedAgent = query((db, values: PinKey) =>
  db
    .selectFrom('agents')
    .innerJoin('agent_revisions', 'agent_revisions.agent_id', 'agents.id')
    .select(['agents.slug', 'agent_revisions.content', 'agent_revisions.granted_operations'])
    .where('agents.id', '=', values.resourceId)
    .where('agents.project_id', '=', values.projectId)
    .where('agents.organization_id', '=', values.organizationId)
    .where('agents.status', '=', 'active')
    .where('agent_revisions.id', '=', values.revisionId),
)

/** The pinned revision of a Definition. */
export const findPinnedDefinition = query((db, values: PinKey) =>
  db
    .selectFrom('definitions')
    .innerJoin('definition_revisions', 'definition_revisions.definition_id', 'definitions.id')
    .select(['definitions.name', 'definitions.kind', 'definition_revisions.source'])
    .where('definitions.id', '=', values.resourceId)
    .where('definitions.project_id', '=', values.projectId)
    .where('definitions.organization_id', '=', values.organizationId)
    .where('definitions.status', '=', 'active')
    .where('definition_revisions.id', '=', values.revisionId),
)

/**
 * The Release gets the Project's next number as it is stored, so that there are no gaps and no repeats. Only in a Project
 * that is not being deleted; else `StaleWrite`.
 */
export const insertRelease = write(
  (db, row: Omit<ReleaseRow, 'number'>) =>
    db
      .insertInto('releases')
      .columns([
        'id',
        'organization_id',
        'project_id',
        'number',
        'agents',
        'definitions',
        'delegate_attachments',
        'digest',
        'description',
        'created_by_type',
        'created_by_id',
        'created_at',
      ])
      .expression(({ selectFrom, fn, val }) =>
        selectFrom('projects')
          .select([
            val(row.id).as('id'),
            'projects.organization_id',
            'projects.id as project_id',
            selectFrom('releases')
              .select(({ eb }) => eb(fn.coalesce(fn.max('number'), val(0)), '+', 1).as('next'))
              .where('project_id', '=', row.project_id)
              .as('number'),
            val(row.agents).as('agents'),
            val(row.definitions).as('definitions'),
            val(row.delegate_attachments).as('delegate_attachments'),
            val(row.digest).as('digest'),
            val(row.description).as('description'),
            val(row.created_by_type).as('created_by_type'),
            val(row.created_by_id).as('created_by_id'),
            val(row.created_at).as('created_at'),
          ])
          .where('projects.id', '=', row.project_id)
          .where('projects.organization_id', '=', row.organization_id)
          .where('projects.status', '<>', 'deleting'),
      ),
  1,
)

/** Only of an Agent that is there to stay; else `StaleWrite`. */
export const pinAgent = write(
  (db, values: PinKey & { releaseId: string }) =>
    db
      .insertInto('release_pins')
      .columns(['resource_id', 'release_id', 'revision_id'])
      .expression(({ selectFrom, val }) =>
        selectFrom('agents')
          .innerJoin('agent_revisions', 'agent_revisions.agent_id', 'agents.id')
          .select([
            'agents.id as resource_id',
            val(values.releaseId).as('release_id'),
            'agent_revisions.id as revision_id',
          ])
          .where('agents.id', '=', values.resourceId)
          .where('agents.project_id', '=', values.projectId)
          .where('agents.organization_id', '=', values.organizationId)
          .where('agents.status', '=', 'active')
          .where('agent_revisions.id', '=', values.revisionId),
      ),
  1,
)

/** Only of a Definition that is still called what the graph was resolved with; else `StaleWrite`. */
export const pinDefinition = write(
  (db, values: PinKey & { releaseId: string; name: string }) =>
    db
      .insertInto('release_pins')
      .columns(['resource_id', 'release_id', 'revision_id'])
      .expression(({ selectFrom, val }) =>
        selectFrom('definitions')
          .innerJoin('definition_revisions', 'definition_revisions.definition_id', 'definitions.id')
          .select([
            'definitions.id as resource_id',
            val(values.releaseId).as('release_id'),
            'definition_revisions.id as revision_id',
          ])
          .where('definitions.id', '=', values.resourceId)
          .where('definitions.project_id', '=', values.projectId)
          .where('definitions.organization_id', '=', values.organizationId)
          .where('definitions.status', '=', 'active')
          .where('definitions.name', '=', values.name)
          .where('definition_revisions.id', '=', values.revisionId),
      ),
  1,
)

/** The Release at this path, or undefined: absent and foreign look the same. */
export const findRelease = query((db, values: { organizationId: string; projectId: string; releaseId: string }) =>
  db
    .selectFrom('releases')
    .selectAll()
    .where('id', '=', values.releaseId)
    .where('project_id', '=', values.projectId)
    .where('organization_id', '=', values.organizationId),
)

/** The Releases of a Project before a number, newest first. */
export const listReleases = query(
  (db, values: { organizationId: string; projectId: string; beforeNumber: number; limit: number }) =>
    db
      .selectFrom('releases')
      .selectAll()
      .where('project_id', '=', values.projectId)
      .where('organization_id', '=', values.organizationId)
      .where('number', '<', values.beforeNumber)
      .orderBy('number', 'desc')
      .limit(values.limit),
)
