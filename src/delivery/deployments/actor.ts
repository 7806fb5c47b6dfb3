/** The Deployment as a kind of actor: its row, and the events of its states in the Environment's history. */

import { type DeploymentContext, type DeploymentEvent, deploymentMachine } from '../../../machines/deployment.ts'
import { withinBound } from '../../../storage/bounds.ts'
import {
  findPlaceOfDeployment,
  getDeployment,
  insertDeployment,
  updateDeployment,
} from '../../../storage/delivery/deployments.ts'
import type { Store, Write } from '../../../storage/store.ts'
import type { DeploymentRow } from '../../../storage/tables.ts'
import { recordEvent } from '../../events/history/record.ts'
import type { EventKind } from '../../events/kinds/kinds.ts'
import { timestampOrNull } from '../../platform/http/timestamp.ts'
import { defineActor } from '../../runtime/define-actor.ts'
import type { Address, Again, Change } from '../../runtime/kind.ts'

/** The columns of a new Deployment besides its snapshot. */
export type DeploymentSeed = Pick<
  DeploymentRow,
  | 'id'
  | 'organization_id'
  | 'project_id'
  | 'environment_id'
  | 'release_id'
  | 'configuration_revision_id'
  | 'credentials'
  | 'created_by_type'
  | 'created_by_id'
>

type DeploymentChange = Change<DeploymentRow, DeploymentContext, DeploymentEvent>

export const deploymentAddress = (id: string): Address => ({ kind: 'deployment', id })

/** The effects of the states. Each may run twice and is idempotent; one whose turn has not come is told when to run. */
export interface DeploymentEffects {
  takeUp(id: string): Promise<void>
  validate(id: string): Promise<Again | undefined>
  provision(id: string): Promise<Again | undefined>
  materialize(id: string): Promise<Again | undefined>
}

const eventsOf = (row: DeploymentRow, { moves, at }: DeploymentChange, store: Store): Write[] =>
  moves.flatMap(({ from, to, by }) =>
    from === to
      ? []
      : recordEvent(store, {
          organizationId: row.organization_id,
          projectId: row.project_id,
          environmentId: row.environment_id,
          type: `deployment.${to}` as EventKind,
          subject: { type: 'deployment', id: row.id },
          actor: by,
          data: {
            deploymentId: row.id,
            releaseId: row.release_id,
            configurationRevisionId: row.configuration_revision_id,
            from,
            to,
          },
          at,
        }),
  )

export const deploymentKind = (effects: DeploymentEffects) =>
  defineActor<DeploymentRow, DeploymentContext, DeploymentEvent, DeploymentSeed>({
    machine: deploymentMachine,
    table: { get: getDeployment, insert: insertDeployment, update: updateDeployment },
    columns: ({ digest, readyAt }) => ({ digest, ready_at: readyAt }),
    seeded: (seed) => seed,
    born: (row, change, store) => [
      withinBound(store, 'deployments', row.organization_id, row.environment_id),
      ...eventsOf(row, change, store),
    ],
    moved: eventsOf,
    describe: ({ failure }) => ({
      attempt: 0,
      reason: failure && { code: failure.code, message: failure.message },
    }),
    effects: {
      takeUp: { durable: (_, { address }) => effects.takeUp(address.id) },
      validate: { durable: (_, { address }) => effects.validate(address.id) },
      provision: { durable: (_, { address }) => effects.provision(address.id) },
      materialize: { durable: (_, { address }) => effects.materialize(address.id) },
    },
    view: {
      permission: 'projects:get',
      place: findPlaceOfDeployment,
      show: ({ failure, digest, readyAt }) => ({ failure, digest, readyAt: timestampOrNull(readyAt) }),
    },
  })
