/**
 * The current rows of all resources that a Release and a Configuration Revision pin, each joined with its pinned
 * version, whose columns are null if it does not exist. Source: contract 3, "validating"; requirement 9.2.
 */
import { memberOf } from '../by-engine.ts'
import { rowsOf } from '../rows.ts'
import { unmarked } from '../runtime/marked.ts'
import { query } from '../statement.ts'

const credentials = rowsOf('provider_credentials', 'id')
const variableVersions = rowsOf('variable_versions', 'variable_id', 'version')

interface Place {
  organizationId: string
  projectId: string
  environmentId: string
}

export const findPinnedAgent = query(
  (db, values: Pick<Place, 'organizationId' | 'projectId'> & { agentId: string; agentRevisionId: string }) =>
    db
      .selectFrom('agents')
      .leftJoin('agent_revisions', (join) =>
        join.onRef('agent_revisions.agent_id', '=', 'agents.id').on('agent_revisions.id', '=', values.agentRevisionId),
      )
      .select([
        'agents.slug',
        'agents.name',
        'agents.status',
        'agent_revisions.content',
        'agent_revisions.granted_operations',
      ])
      .where('agents.id', '=', values.agentId)
      .where('agents.project_id', '=', values.projectId)
      .where('agents.organization_id', '=', values.organizationId),
)

export const findPinnedDefinition = query(
  (db, values: Pick<Place, 'organizationId' | 'projectId'> & { definitionId: string; definitionRevisionId: string }) =>
    db
      .selectFrom('definitions')
      .leftJoin('definition_revisions', (join) =>
        join
          .onRef('definition_revisions.definition_id', '=', 'definitions.id')
          .on('definition_revisions.id', '=', values.definitionRevisionId),
      )
      .select(['definitions.name', 'definitions.status', 'definition_revisions.source'])
      .where('definitions.id', '=', values.definitionId)
      .where(unmarked('definitions'))
      .where('definitions.project_id', '=', values.projectId)
      .where('definitions.organization_id', '=', values.organizationId),
)

export const findPinnedConnection = query(
  (db, values: Pick<Place, 'environmentId'> & { connectionId: string; connectionVersionId: string }) =>
    db
      .selectFrom('connections')
      .leftJoin('connection_versions', (join) =>
        join
          .onRef('connection_versions.connection_id', '=', 'connections.id')
          .on('connection_versions.id', '=', values.connectionVersionId),
      )
      .select([
        'connections.name',
        'connections.kind',
        'connections.status',
        'connection_versions.number',
        'connection_versions.settings',
        'connection_versions.oauth_grant_id',
        'connection_versions.provider_credential_id',
        'connection_versions.provider_credential_version',
      ])
      .where('connections.id', '=', values.connectionId)
      .where('connections.environment_id', '=', values.environmentId)
      .where(unmarked('connections')),
)

/** The bindings declared by the latest revisions of a Project's Agents, as JSON; by Agent id, after this one. */
export const listAgentBindings = query((db, values: { projectId: string; after: string; limit: number }) =>
  db
    .selectFrom('agents')
    .innerJoin('agent_revisions as latest', 'latest.id', 'agents.latest_revision_id')
    .select(['agents.id', memberOf('latest.content', 'bindings').as('bindings')])
    .where('agents.project_id', '=', values.projectId)
    .where('agents.id', '>', values.after)
    .orderBy('agents.id')
    .limit(values.limit),
)

/** The current credential of a Connection, and the consent of its current version. */
export const findTodaysCredential = query((db, values: { environmentId: string; connectionId: string }) =>
  db
    .selectFrom('connections')
    .innerJoin('connection_versions as current', 'current.id', 'connections.current_version_id')
    .select(['current.provider_credential_id as credential_id', 'current.oauth_grant_id'])
    .where('connections.id', '=', values.connectionId)
    .where('connections.environment_id', '=', values.environmentId)
    .where(unmarked('connections')),
)

/** The label of a credential. */
export const findCredentialLabel = credentials.only('label').find('id', 'organization_id')

/** The current version of a credential. */
export const findCurrentVersion = credentials.only('current_version').find('id', 'organization_id')

/** The digest of a version of a variable. */
export const findValueDigest = variableVersions.only('digest').find()

/**
 * The pins of a Release by name: the slug of an Agent or the name of a Definition, with the revision number; null for
 * deleted resources.
 */
export const listPinNames = query((db, values: { releaseId: string }) =>
  db
    .selectFrom('release_pins')
    .leftJoin('agents', 'agents.id', 'release_pins.resource_id')
    .leftJoin('agent_revisions', 'agent_revisions.id', 'release_pins.revision_id')
    .leftJoin('definitions', (join) =>
      join.onRef('definitions.id', '=', 'release_pins.resource_id').on('definitions.status', '=', 'active'),
    )
    .leftJoin('definition_revisions', (join) =>
      join
        .onRef('definition_revisions.id', '=', 'release_pins.revision_id')
        .onRef('definition_revisions.definition_id', '=', 'definitions.id'),
    )
    .select(({ fn }) => [
      'release_pins.resource_id as id',
      fn.coalesce('agents.slug', 'definitions.name').as('name'),
      fn.coalesce('agent_revisions.number', 'definition_revisions.number').as('number'),
    ])
    .where('release_pins.release_id', '=', values.releaseId),
)
