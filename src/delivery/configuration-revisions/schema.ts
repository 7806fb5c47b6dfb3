/** The schemas of Configuration Revisions. Source: contract 3, `ConfigurationRevision`. */
import { type Static, Type } from '@sinclair/typebox'
import type { ConfigurationRevisionRow } from '../../../storage/tables.ts'
import { EnvironmentPath } from '../../platform/http/paths.ts'
import { Description, Id, nullable, oneOf, Timestamp } from '../../platform/http/schema.ts'
import { timestamp } from '../../platform/http/timestamp.ts'
import type { Configuration } from './content.ts'

const bound = {
  agentId: nullable(Type.String({ description: 'The Agent that it is bound to; null if it is for all Agents.' })),
  bindingKey: nullable(Type.String()),
}

export const ConfigurationRevision = Type.Object(
  {
    id: Id('cfr'),
    environmentId: Id('env'),
    number: Type.Integer({ minimum: 0, description: '0 is the initial, empty one.' }),
    parentId: nullable(Type.String({ description: 'The previous head.' })),
    variables: Type.Array(
      Type.Object({ variableId: Id('var'), name: Type.String(), version: Type.Integer({ minimum: 1 }), ...bound }),
    ),
    connections: Type.Array(
      Type.Object({
        connectionId: Id('con'),
        connectionVersionId: Id('cnv'),
        name: Type.Optional(
          Type.String({
            description: 'Its name at that time, by which keys find it; omitted in revisions of earlier versions.',
          }),
        ),
        ...bound,
      }),
    ),
    providerSettings: Type.Array(
      Type.Object({
        settingId: Type.Integer(),
        agentId: Id('agt'),
        provider: nullable(Type.String()),
        model: nullable(Type.String()),
        providerCredentialId: nullable(Type.String()),
        providerCredentialVersion: nullable(
          Type.Integer({ description: 'Resolved when the revision was created, if the setting leaves it open.' }),
        ),
      }),
    ),
    digest: Type.String({
      pattern: '^sha256:[0-9a-f]{64}$',
      description: 'SHA-256 of the RFC 8785 form of the pinned configuration.',
      examples: [`sha256:${'0'.repeat(64)}`],
    }),
    description: nullable(Type.String()),
    createdBy: Type.Object({
      type: oneOf(['user', 'apiKey']),
      id: Type.String({ description: 'The id of that principal.' }),
    }),
    createdAt: Timestamp(),
  },
  {
    $id: 'ConfigurationRevision',
    description: 'An immutable snapshot of the configuration of an Environment. It contains no secrets.',
  },
)
export type ConfigurationRevision = Static<typeof ConfigurationRevision>

export const NewConfigurationRevision = Type.Object(
  {
    expectedHeadRevisionId: Id(
      'cfr',
      'The head that you have read: `configurationHead.revisionId` of the Environment.',
    ),
    description: Type.Optional(Description()),
  },
  { $id: 'NewConfigurationRevision', description: 'A new Configuration Revision.' },
)
export type NewConfigurationRevision = Static<typeof NewConfigurationRevision>

/** `{P}/configuration-revisions/:configurationRevisionId` */
export const ConfigurationRevisionPath = Type.Object({
  ...EnvironmentPath.properties,
  configurationRevisionId: Id('cfr'),
})

export function presentConfigurationRevision(row: ConfigurationRevisionRow): ConfigurationRevision {
  const { variables, connections, providerSettings } = JSON.parse(row.content) as Configuration
  return {
    id: row.id,
    environmentId: row.environment_id,
    number: row.number,
    parentId: row.parent_id,
    variables: variables.map(({ variableId, name, version, agentId, bindingKey }) => ({
      variableId,
      name,
      version,
      agentId,
      bindingKey,
    })),
    // the credential of a Connection is not revealed
    connections: connections.map(({ connectionId, connectionVersionId, name, agentId, bindingKey }) => ({
      connectionId,
      connectionVersionId,
      ...(name !== undefined && { name }),
      agentId,
      bindingKey,
    })),
    providerSettings: providerSettings.map(({ settings: _, ...pinned }) => pinned),
    digest: row.digest,
    description: row.description,
    createdBy: { type: row.created_by_type, id: row.created_by_id },
    createdAt: timestamp(row.created_at),
  }
}
