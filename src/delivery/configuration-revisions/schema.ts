/** Configuration Revisions as clients see them. Source: contract 3, `ConfigurationRevision`. */
import { type Static, Type } from '@sinclair/typebox'
import type { ConfigurationRevisionRow } from '../../../storage/tables.ts'
import { EnvironmentPath } from '../../platform/http/paths.ts'
import { Description, Id, nullable, oneOf, Timestamp } from '../../platform/http/schema.ts'
import { timestamp } from '../../platform/http/timestamp.ts'
import type { Configuration } from './content.ts'

const bound = {
  agentId: nullable(Type.String({ description: 'The Agent that it is bound to; null: there for all.' })),
  bindingKey: nullable(Type.String()),
}

export const ConfigurationRevision = Type.Object(
  {
    id: Id('cfr'),
    environmentId: Id('env'),
    number: Type.Integer({ minimum: 0, description: '0 is the empty one that the Environment is born with.' }),
    parentId: nullable(Type.String({ description: 'The head that it has followed.' })),
    variables: Type.Array(
      Type.Object({ variableId: Id('var'), name: Type.String(), version: Type.Integer({ minimum: 1 }), ...bound }),
    ),
    connections: Type.Array(Type.Object({ connectionId: Id('con'), connectionVersionId: Id('cnv'), ...bound })),
    providerSettings: Type.Array(
      Type.Object({
        settingId: Type.Integer(),
        agentId: Id('agt'),
        provider: nullable(Type.String()),
        model: nullable(Type.String()),
        providerCredentialId: nullable(Type.String()),
        providerCredentialVersion: nullable(
          Type.Integer({ description: 'Settled when the revision was taken, where the setting leaves it open.' }),
        ),
      }),
    ),
    digest: Type.String({
      pattern: '^sha256:[0-9a-f]{64}$',
      description: 'SHA-256 of the RFC 8785 form of all that is pinned.',
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
    description: 'The complete configuration of an Environment at one moment, once and for all. It holds no secret.',
  },
)
export type ConfigurationRevision = Static<typeof ConfigurationRevision>

export const NewConfigurationRevision = Type.Object(
  {
    expectedHeadRevisionId: Id(
      'cfr',
      'The head that you have seen: `configurationHead.revisionId` of the Environment.',
    ),
    description: Type.Optional(Description()),
  },
  { $id: 'NewConfigurationRevision', description: 'The head that the new revision is to follow.' },
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
    // the credential behind a Connection is told to nobody
    connections: connections.map(({ connectionId, connectionVersionId, agentId, bindingKey }) => ({
      connectionId,
      connectionVersionId,
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
