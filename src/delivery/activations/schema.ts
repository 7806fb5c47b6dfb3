/** The schemas of Activations. Source: contract 3, `Activation`. */
import { type Static, Type } from '@sinclair/typebox'
import type { ActivationRow } from '../../../storage/tables.ts'
import { EnvironmentPath } from '../../platform/http/paths.ts'
import { Id, nullable, oneOf, Timestamp } from '../../platform/http/schema.ts'
import { timestamp } from '../../platform/http/timestamp.ts'

export const Activation = Type.Object(
  {
    id: Id('act'),
    environmentId: Id('env'),
    deploymentId: Id('dep'),
    previousDeploymentId: nullable(
      Type.String({ description: 'The Deployment that served before; null for the first Activation.' }),
    ),
    generation: Type.Integer({ minimum: 1, description: 'The generation that the Activation created.' }),
    createdBy: Type.Object({
      type: oneOf(['user', 'apiKey']),
      id: Type.String({ description: 'The id of that principal.' }),
    }),
    createdAt: Timestamp(),
  },
  { $id: 'Activation', description: 'The decision that a Deployment serves in its Environment.' },
)
export type Activation = Static<typeof Activation>

export const NewActivation = Type.Object(
  {
    deploymentId: Id('dep', 'A Deployment of the Environment that is ready.'),
    expectedGeneration: Type.Integer({
      minimum: 0,
      description: 'The `generation` of the Environment that you have read.',
    }),
  },
  { $id: 'NewActivation', description: 'A new Activation.' },
)
export type NewActivation = Static<typeof NewActivation>

/** `{P}/activations/:activationId` */
export const ActivationPath = Type.Object({ ...EnvironmentPath.properties, activationId: Id('act') })

export const presentActivation = (row: ActivationRow): Activation => ({
  id: row.id,
  environmentId: row.environment_id,
  deploymentId: row.deployment_id,
  previousDeploymentId: row.previous_deployment_id,
  generation: row.generation,
  createdBy: { type: row.created_by_type, id: row.created_by_id },
  createdAt: timestamp(row.created_at),
})
