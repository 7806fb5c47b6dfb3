/** The Environment as a kind of actor: its row and its initial state. */
import { type EnvironmentContext, type EnvironmentEvent, environmentMachine } from '../../../machines/environment.ts'
import { insertConfigurationRevision } from '../../../storage/delivery/configuration-revisions.ts'
import type { Store, Write } from '../../../storage/store.ts'
import type { ConfigurationRevisionRow, EnvironmentRow } from '../../../storage/tables.ts'
import {
  findPlaceOfEnvironment,
  getEnvironment,
  insertEnvironment,
  updateEnvironment,
} from '../../../storage/tenancy/environments.ts'
import { recordEvent } from '../../events/history/record.ts'
import { defineActor } from '../../runtime/define-actor.ts'
import type { Actor, Address, Change } from '../../runtime/kind.ts'

/** The columns of a new Environment besides its snapshot, and its first Configuration Revision. */
export interface EnvironmentSeed {
  row: Pick<EnvironmentRow, 'id' | 'organization_id' | 'project_id' | 'kind' | 'name'>
  revision: Omit<ConfigurationRevisionRow, 'created_at'>
}

export type EnvironmentActor = Actor<EnvironmentRow, EnvironmentContext>
type EnvironmentChange = Change<EnvironmentRow, EnvironmentContext, EnvironmentEvent>

export const environmentAddress = (id: string): Address => ({ kind: 'environment', id })

/** The events of Activations in the Environment's history. */
function activationEvents(
  row: EnvironmentRow,
  { moves, at }: EnvironmentChange,
  store: Store,
  { context }: EnvironmentActor,
): Write[] {
  let { generation, activeDeploymentId: active } = context
  return moves.flatMap(({ by, context: after }) => {
    const { generation: nextGeneration, activeDeploymentId } = after
    if (nextGeneration === generation && activeDeploymentId === active) return []
    const data = { deploymentId: activeDeploymentId, previousDeploymentId: active, generation: nextGeneration }
    generation = nextGeneration
    active = activeDeploymentId
    return recordEvent(store, {
      organizationId: row.organization_id,
      projectId: row.project_id,
      environmentId: row.id,
      type: 'activation.changed',
      subject: { type: 'environment', id: row.id },
      actor: by,
      data,
      at,
    })
  })
}

export const environmentKind = defineActor<EnvironmentRow, EnvironmentContext, EnvironmentEvent, EnvironmentSeed>({
  machine: environmentMachine,
  isRemembered: true,
  table: { get: getEnvironment, insert: insertEnvironment, update: updateEnvironment },
  columns: ({ generation, headRevisionId, headNumber, activeDeploymentId }) => ({
    generation,
    head_revision_id: headRevisionId,
    head_number: headNumber,
    active_deployment_id: activeDeploymentId,
  }),
  seeded: ({ row }) => row,
  // an Environment commits together with its first revision
  born: (_, { seed, at }, store) => [insertConfigurationRevision(store, { ...seed.revision, created_at: at })],
  moved: activationEvents,
  effects: {},
  view: {
    permission: 'projects:get',
    place: findPlaceOfEnvironment,
    show: ({ generation, activeDeploymentId, headRevisionId, headNumber }) => ({
      generation,
      activeDeploymentId,
      headRevisionId,
      headNumber,
    }),
  },
})
