/** The Environment as a kind of actor: its row, and what a new one begins with. */
import { type EnvironmentContext, type EnvironmentEvent, environmentMachine } from '../../machines/environment.ts'
import { insertConfigurationRevision } from '../../storage/configuration-revisions.ts'
import { getEnvironment, insertEnvironment, updateEnvironment } from '../../storage/environments.ts'
import type { Store } from '../../storage/store.ts'
import type { ConfigurationRevisionRow, EnvironmentRow } from '../../storage/tables.ts'
import type { Actor, ActorKind, Address, Applied, Change } from '../runtime/kind.ts'

/** What the row of a new Environment holds besides its snapshot, and the revision that its head points to. */
export interface EnvironmentSeed {
  row: Omit<EnvironmentRow, 'state' | 'version' | 'machine_version' | 'context' | 'created_at' | 'updated_at'>
  revision: Omit<ConfigurationRevisionRow, 'created_at'>
}

export type EnvironmentActor = Actor<EnvironmentRow, EnvironmentContext>
type EnvironmentChange = Change<EnvironmentRow, EnvironmentContext, EnvironmentEvent>

export const environmentAddress = (id: string): Address => ({ kind: 'environment', id })

const machineVersion = environmentMachine.version ?? '1'

/** An Environment and the revision that is its head are stored together. */
function born({ state, version, context, at, seed }: EnvironmentChange, store: Store): Applied<EnvironmentRow> {
  const { row, revision } = seed as EnvironmentSeed
  const environment: EnvironmentRow = {
    ...row,
    state,
    version,
    machine_version: machineVersion,
    context: JSON.stringify(context),
    created_at: at,
    updated_at: at,
  }
  return {
    row: environment,
    writes: [
      insertEnvironment(store, environment),
      insertConfigurationRevision(store, { ...revision, created_at: at }),
    ],
  }
}

function changed(
  before: EnvironmentActor,
  { state, version, context, at }: EnvironmentChange,
  store: Store,
): Applied<EnvironmentRow> {
  if (version === before.version) return { row: before.row, writes: [] }
  const update = {
    state,
    version,
    machine_version: machineVersion,
    context: JSON.stringify(context),
    updated_at: at,
  }
  return {
    row: { ...before.row, ...update },
    writes: [updateEnvironment(store, { id: before.row.id, ...update, from: before.version })],
  }
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
