/** The schemas of Deployments. Source: contract 3, `Deployment`. */
import { type Static, Type } from '@sinclair/typebox'
import type { DeploymentContext } from '../../../machines/deployment.ts'
import type { DeploymentRow } from '../../../storage/tables.ts'
import { Id, nullable, oneOf, Timestamp } from '../../platform/http/schema.ts'
import { timestamp, timestampOrNull } from '../../platform/http/timestamp.ts'

const states = ['queued', 'validating', 'provisioning', 'materializing', 'ready', 'failed', 'canceled'] as const

const StateReason = Type.Object(
  {
    code: Type.String({ examples: ['validation_failed'] }),
    message: Type.String(),
    issues: Type.Optional(
      Type.Array(
        Type.Object({
          code: Type.String({ examples: ['binding_missing'] }),
          path: Type.String({ description: 'The affected part.', examples: ['/agents/agt_…/bindings/shop'] }),
          message: Type.String(),
        }),
        { description: 'All problems.' },
      ),
    ),
  },
  { description: 'Why it failed.' },
)

export const Credentials = oneOf(['pinned', 'current'], {
  description:
    '`pinned`: each credential in the version that the Configuration Revision holds. `current`: the current versions of the credentials of Connections ' +
    'and settings; for a roll-back with current secrets. Default `pinned`.',
})

const CreatedBy = Type.Object({
  type: oneOf(['user', 'apiKey']),
  id: Type.String({ description: 'The id of that principal.' }),
})

export const Deployment = Type.Object(
  {
    id: Id('dep'),
    environmentId: Id('env'),
    releaseId: Id('rel'),
    configurationRevisionId: Id('cfr'),
    credentials: Credentials,
    state: oneOf(states, { description: 'The state of its statechart: `GET /api/v1/machines/deployment`.' }),
    stateReason: nullable(StateReason),
    digest: nullable(
      Type.String({
        description: 'SHA-256 of its names and contents, once it is ready: equal contents have equal digests.',
      }),
    ),
    createdBy: CreatedBy,
    createdAt: Timestamp(),
    updatedAt: Timestamp('When its state last changed.'),
    readyAt: nullable(Timestamp()),
  },
  { $id: 'Deployment', description: 'A Release, prepared for one Environment under one Configuration Revision.' },
)
export type Deployment = Static<typeof Deployment>

export const NewDeployment = Type.Object(
  {
    releaseId: Id('rel', 'A Release of the Project.'),
    configurationRevisionId: Type.Optional(
      Id(
        'cfr',
        'A Configuration Revision of the Environment; default: the current configuration, for which a revision is ' +
          'created if the head is not current.',
      ),
    ),
    credentials: Type.Optional(Credentials),
  },
  { $id: 'NewDeployment', description: 'A new Deployment.' },
)
export type NewDeployment = Static<typeof NewDeployment>

export const presentDeployment = (row: DeploymentRow): Deployment => ({
  id: row.id,
  environmentId: row.environment_id,
  releaseId: row.release_id,
  configurationRevisionId: row.configuration_revision_id,
  credentials: row.credentials,
  state: row.state as Deployment['state'],
  stateReason: (JSON.parse(row.context) as DeploymentContext).failure,
  digest: row.digest,
  createdBy: { type: row.created_by_type, id: row.created_by_id },
  createdAt: timestamp(row.created_at),
  updatedAt: timestamp(row.updated_at),
  readyAt: timestampOrNull(row.ready_at),
})
