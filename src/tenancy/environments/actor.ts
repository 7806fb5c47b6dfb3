/** The Environment as a kind of actor: its row, and what a new one begins with. */
import { type EnvironmentContext, type EnvironmentEvent, environmentMachine } from '../../../machines/environment.ts'
import { insertConfigurationRevision } from '../../../storage/delivery/configuration-revisions.ts'
import type { Store, Write } from '../../../storage/store.ts'
import type { ConfigurationRevisionRow, EnvironmentRow } from '../../../storage/tables.ts'
import { getEnvironment, insertEnvironment, updateEnvironment } from '../../../storage/tenancy/environments.ts'
import { recordEvent } from '../../events/history/record.ts'
import type { Actor, ActorKind, Address, Applied, Change } from '../../runtime/kind.ts'

/** What the row of a new Environment holds besides its snapshot, and the revision that its head points to. */
export interface EnvironmentSeed {
  row: Pick<EnvironmentRow, 'id' | 'organization_id' | 'project_id' | 'kind' | 'name'>
  revision: Omit<ConfigurationRevisionRow, 'created_at'>
}

export type EnvironmentActor = Actor<EnvironmentRow, EnvironmentContext>
type EnvironmentChange = Change<EnvironmentRow, EnvironmentContext, EnvironmentEvent>

export const environmentAddress = (id: string): Address => ({ kind: 'environment', id })

const machineVersion = environmentMachine.version ?? '1'

/** The part of the row that the statechart decides. */
const snapshotOf = ({ state, version, context, at }: EnvironmentChange) => ({
  state,
  version,
  machine_version: machineVersion,
  context: JSON.stringify(context),
  generation: context.generation,
  head_revision_id: context.headRevisionId,
  head_number: context.headNumber,
  active_deployment_id: context.activeDeploymentId,
  updated_at: at,
})

/** An Environment and the revision that is its head are stored together. */
function born(change: EnvironmentChange, store: Store): Applied<EnvironmentRow> {
  const { row, revision } = change.seed as EnvironmentSeed
  const environment: EnvironmentRow = { ...row, ...snapshotOf(change), created_at: change.at }
  return {
    row: environment,
    writes: [
      insertEnvironment(store, environment),
      insertConfigurationRevision(store, { ...revision, created_at: change.at }),
    ],
  }
}

function changed(before: EnvironmentActor, change: EnvironmentChange, store: Store): Applied<EnvironmentRow> {
  if (change.version === before.version) return { row: before.row, writes: [] }
  const update = snapshotOf(change)
  return {
    row: { ...before.row, ...update },
    writes: [
      updateEnvironment(store, { id: before.row.id, ...update, from: before.version }),
      ...activationEvents(before, change, store),
    ],
  }
}

/** Whatever begins or ends to serve is told of in the Environment's history. */
function activationEvents({ row, context }: EnvironmentActor, { moves, at }: EnvironmentChange, store: Store): Write[] {
  let { generation, activeDeploymentId: active } = context
  return moves.flatMap(({ by, context: after }) => {
    const { generation: nextGeneration, activeDeploymentId } = after as unknown as EnvironmentContext
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

export const environmentKind: ActorKind<EnvironmentRow, EnvironmentContext, EnvironmentEvent> = {
  kind: 'environment',
  machine: environmentMachine,
  load: (store, id) => store.first(getEnvironment(store, { id })),
  snapshot: ({ state, version, machine_version, context }) => ({
    state,
    version,
    machineVersion: machine_version,
    context,
  }),
  apply: (change, store) => (change.before ? changed(change.before, change, store) : born(change, store)),
  effects: {},
}
