/** The Deployment as a kind of actor: its row, and each of its states told of in the Environment's history. */

import { type DeploymentContext, type DeploymentEvent, deploymentMachine } from '../../../machines/deployment.ts'
import { withinBound } from '../../../storage/bounds.ts'
import { getDeployment, insertDeployment, updateDeployment } from '../../../storage/delivery/deployments.ts'
import type { Store, Write } from '../../../storage/store.ts'
import type { DeploymentRow } from '../../../storage/tables.ts'
import { recordEvent } from '../../events/history/record.ts'
import type { EventKind } from '../../events/kinds/kinds.ts'
import type { Actor, ActorKind, Address, Applied, Change } from '../../runtime/kind.ts'

/** What the row of a new Deployment holds besides its snapshot. */
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

export type DeploymentActor = Actor<DeploymentRow, DeploymentContext>
type DeploymentChange = Change<DeploymentRow, DeploymentContext, DeploymentEvent>

export const deploymentAddress = (id: string): Address => ({ kind: 'deployment', id })

/** The work of each state. It may be begun twice, and then does what is left to do. */
export interface DeploymentEffects {
  takeUp(id: string): Promise<void>
  validate(id: string): Promise<void>
  provision(id: string): Promise<void>
  materialize(id: string): Promise<void>
}

const machineVersion = deploymentMachine.version ?? '1'

/** The part of the row that the statechart decides. */
const snapshotOf = ({ state, version, context, at }: DeploymentChange) => ({
  state,
  version,
  machine_version: machineVersion,
  context: JSON.stringify(context),
  digest: context.digest,
  ready_at: context.readyAt,
  updated_at: at,
})

function apply(change: DeploymentChange, store: Store): Applied<DeploymentRow> {
  const { before, version, seed, at } = change
  if (!before) {
    const row: DeploymentRow = { ...(seed as DeploymentSeed), ...snapshotOf(change), created_at: at }
    const bound = withinBound(store, 'deployments', row.organization_id, row.environment_id)
    return { row, writes: [insertDeployment(store, row), bound, ...eventsOf(row, change, store)] }
  }
  if (version === before.version) return { row: before.row, writes: [] }
  const update = snapshotOf(change)
  const row = { ...before.row, ...update }
  return {
    row,
    writes: [updateDeployment(store, { id: row.id, ...update, from: before.version }), ...eventsOf(row, change, store)],
  }
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

export const deploymentKind = (
  effects: DeploymentEffects,
): ActorKind<DeploymentRow, DeploymentContext, DeploymentEvent> => ({
  kind: 'deployment',
  machine: deploymentMachine,
  load: (store, id) => store.first<DeploymentRow>(getDeployment(store, { id })),
  snapshot: ({ state, version, machine_version, context }) => ({
    state,
    version,
    machineVersion: machine_version,
    context,
  }),
  describe: ({ failure }) => ({
    attempt: 0,
    reason: failure && { code: failure.code, message: failure.message },
  }),
  apply,
  effects: {
    takeUp: { durable: (_, { address }) => effects.takeUp(address.id) },
    validate: { durable: (_, { address }) => effects.validate(address.id) },
    provision: { durable: (_, { address }) => effects.provision(address.id) },
    materialize: { durable: (_, { address }) => effects.materialize(address.id) },
  },
})
