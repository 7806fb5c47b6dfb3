/** Deployments as clients see them. Source: contract 3, `Deployment`. */
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
          path: Type.String({ description: 'What it is about.', examples: ['/agents/agt_…/bindings/shop'] }),
          message: Type.String(),
        }),
        { description: 'Every problem that was found.' },
      ),
    ),
  },
  { description: 'Why it failed.' },
)

export const Credentials = oneOf(['pinned', 'current'], {
  description:
    '`pinned`: each credential in the version that the Configuration Revision holds. `current`: those that Connections ' +
    "and settings have today, in their current versions; for a roll-back with today's secrets. Default `pinned`.",
})

export const CreatedBy = Type.Object({
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
    state: oneOf(states, { description: 'Where its statechart stands: `GET /api/v1/machines/deployment`.' }),
    stateReason: nullable(StateReason),
    digest: nullable(
      Type.String({
        description:
          'SHA-256 of what it serves, by names and contents, once it is ready: equal contents, equal digests.',
      }),
    ),
    createdBy: CreatedBy,
    createdAt: Timestamp(),
    updatedAt: Timestamp('When its state changed.'),
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
        'A Configuration Revision of the Environment; left out: the configuration as it is now, for which a revision is ' +
          'taken where the head is not it.',
      ),
    ),
    credentials: Type.Optional(Credentials),
  },
  { $id: 'NewDeployment', description: 'What to prepare, and with which configuration.' },
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
