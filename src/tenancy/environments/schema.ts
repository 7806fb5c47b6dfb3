/** The schemas of Environments. Source: requirement 2; contract 2. */
import { type Static, Type } from '@sinclair/typebox'
import type { EnvironmentRow } from '../../../storage/tables.ts'
import { Id, nullable, oneOf, Timestamp } from '../../platform/http/schema.ts'
import { timestamp } from '../../platform/http/timestamp.ts'

export const Environment = Type.Object(
  {
    id: Id('env'),
    projectId: Id('prj'),
    kind: oneOf(['development', 'preview', 'production']),
    name: Type.String({ examples: ['Development'] }),
    lifecycle: oneOf(['provisioning', 'active', 'deleting'], {
      description: 'The state of its statechart: `GET /api/v1/machines/environment`.',
    }),
    generation: Type.Integer({ minimum: 0, description: 'Increases by one with every Activation.' }),
    configurationHead: Type.Object(
      {
        revisionId: Id('cfr'),
        number: Type.Integer({ minimum: 0, description: '0 is the initial, empty one.' }),
      },
      { description: 'The latest Configuration Revision.' },
    ),
    activeDeploymentId: nullable(Type.String({ description: 'dep_…; null before the first Activation.' })),
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
  },
  { $id: 'Environment', description: 'One of the three Environments of a Project.' },
)
export type Environment = Static<typeof Environment>

export const presentEnvironment = (row: EnvironmentRow): Environment => ({
  id: row.id,
  projectId: row.project_id,
  kind: row.kind,
  name: row.name,
  lifecycle: row.state as Environment['lifecycle'],
  generation: row.generation,
  configurationHead: { revisionId: row.head_revision_id, number: row.head_number },
  activeDeploymentId: row.active_deployment_id,
  createdAt: timestamp(row.created_at),
  updatedAt: timestamp(row.updated_at),
})

/** The lifecycles that a client may request; `deleting` comes with the deletion of the Project. */
const Lifecycle = oneOf(['provisioning', 'active'])

export const EnvironmentChanges = Type.Object(
  {
    lifecycle: Type.Optional(Lifecycle),
    expectedLifecycle: Type.Optional(Lifecycle),
  },
  {
    $id: 'EnvironmentChanges',
    description: 'The lifecycle to move to, and the expected current one: both or neither.',
    examples: [{ lifecycle: 'active', expectedLifecycle: 'provisioning' }],
  },
)
export type EnvironmentChanges = typeof EnvironmentChanges.static
