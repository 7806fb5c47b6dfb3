/**
 * What a Release and a Configuration Revision pin, as it stands now: each thing with the one version that is pinned, whose
 * columns are null when there is no such version. Source: contract 3, "validating"; requirement 9.2.
 */
import { query } from './statement.ts'

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
        'connection_versions.settings',
        'connection_versions.oauth_grant_id',
      ])
      .where('connections.id', '=', values.connectionId)
      .where('connections.environment_id', '=', values.environmentId),
)
