/** Releases, and the revisions that they may pin. Source: requirement 1, "Delivery path"; contract 3. */
import { sql } from 'kysely'
import { activeProject } from '../active-parents.ts'
import { insertFrom, rowsOf } from '../rows.ts'
import { unmarked } from '../runtime/marked.ts'
import { query, write } from '../statement.ts'
import type { Store } from '../store.ts'
import type { AgentRevisionRow, AgentRow, DefinitionRevisionRow, DefinitionRow, ReleaseRow } from '../tables.ts'

const releases = rowsOf('releases', 'id')

/** An exact revision of an Agent or a Definition of the Project. */
interface PinKey {
  organizationId: string
  projectId: string
  resourceId: string
  revisionId: string
}

export type PinnedAgentRow = Pick<AgentRow, 'slug'> & Pick<AgentRevisionRow, 'content' | 'granted_operations'>
export type PinnedDefinitionRow = Pick<DefinitionRow, 'name' | 'kind'> & Pick<DefinitionRevisionRow, 'source'>

const columns = [
  'id',
  'organization_id',
  'project_id',
  'agents',
  'definitions',
  'delegate_attachments',
  'digest',
  'description',
  'created_by_type',
  'created_by_id',
  'created_at',
] as const

/**
 * The insert takes the Project's next number, so that numbers have no gaps or duplicates. `StaleWrite` if the Project
 * is being deleted.
 */
export const insertRelease = write(
  (db, row: Omit<ReleaseRow, 'number'>) =>
    db
      .insertInto('releases')
      .columns([...columns, 'number'])
      .expression(
        activeProject(db, row).select(({ selectFrom, val }) => [
          ...columns.map((column) => val(row[column]).as(column)),
          selectFrom('releases')
            .select(({ eb, fn }) => eb(fn.coalesce(fn.max('number'), val(0)), '+', 1).as('next'))
            .where('project_id', '=', row.project_id)
            .as('number'),
        ]),
      ),
  1,
)

/** The revision, unless its Agent is being deleted. */
const pinnableAgent = (db: Store['db'], key: PinKey) =>
  db
    .selectFrom('agents')
    .innerJoin('agent_revisions', 'agent_revisions.agent_id', 'agents.id')
    .where('agents.id', '=', key.resourceId)
    .where('agents.project_id', '=', key.projectId)
    .where('agents.organization_id', '=', key.organizationId)
    .where('agents.status', '=', 'active')
    .where('agent_revisions.id', '=', key.revisionId)

/** The revision, unless its Definition is being deleted. */
const pinnableDefinition = (db: Store['db'], key: PinKey) =>
  db
    .selectFrom('definitions')
    .innerJoin('definition_revisions', 'definition_revisions.definition_id', 'definitions.id')
    .where('definitions.id', '=', key.resourceId)
    .where('definitions.project_id', '=', key.projectId)
    .where('definitions.organization_id', '=', key.organizationId)
    .where('definitions.status', '=', 'active')
    .where('definition_revisions.id', '=', key.revisionId)

export const findPinnedAgent = query((db, values: PinKey) =>
  pinnableAgent(db, values).select(['agents.slug', 'agent_revisions.content', 'agent_revisions.granted_operations']),
)

export const findPinnedDefinition = query((db, values: PinKey) =>
  pinnableDefinition(db, values).select(['definitions.name', 'definitions.kind', 'definition_revisions.source']),
)

/** The names and binding keys of Connections and variables in the Environments of a Project. */
export const listProvidedKeys = query((db, values: { projectId: string }) =>
  db
    .selectFrom('environments')
    .innerJoin('connections as provided', 'provided.environment_id', 'environments.id')
    .select(['provided.name', 'provided.binding_key', sql.lit<'connection' | 'variable'>('connection').as('kind')])
    .where('environments.project_id', '=', values.projectId)
    .where(unmarked('provided'))
    .unionAll(
      db
        .selectFrom('environments')
        .innerJoin('variables as provided', 'provided.environment_id', 'environments.id')
        .select(['provided.name', 'provided.binding_key', sql.lit<'connection' | 'variable'>('variable').as('kind')])
        .where('environments.project_id', '=', values.projectId)
        .where(unmarked('provided')),
    ),
)

const pinOf = ({ resourceId, releaseId, revisionId }: PinKey & { releaseId: string }) => ({
  resource_id: resourceId,
  release_id: releaseId,
  revision_id: revisionId,
})

/** `StaleWrite` if the Agent is being deleted. */
export const pinAgent = write(
  (db, values: PinKey & { releaseId: string }) =>
    insertFrom(db, 'release_pins', pinOf(values), pinnableAgent(db, values)),
  1,
)

/** `StaleWrite` if the Definition was renamed after the graph was resolved, or is being deleted. */
export const pinDefinition = write(
  (db, values: PinKey & { releaseId: string; name: string }) =>
    insertFrom(
      db,
      'release_pins',
      pinOf(values),
      pinnableDefinition(db, values).where('definitions.name', '=', values.name),
    ),
  1,
)

/** The Release at this path; undefined if it does not exist or belongs elsewhere. */
export const findRelease = releases.find('id', 'project_id', 'organization_id')

/** A Project's Releases, newest first, numbers below `before`. */
export const listReleases = releases.newest('number', 'project_id', 'organization_id')
