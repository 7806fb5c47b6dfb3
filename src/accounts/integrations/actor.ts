/** The integration as a kind of actor: its row, and how a version of its client becomes the current one. */
import { type IntegrationContext, type IntegrationEvent, integrationMachine } from '../../../machines/integration.ts'
import { getIntegration, insertIntegration, updateIntegration } from '../../../storage/accounts/integrations.ts'
import type { Store } from '../../../storage/store.ts'
import type { IntegrationRow } from '../../../storage/tables.ts'
import type { ActorKind, Address, Applied, Change } from '../../runtime/kind.ts'

/** What the row of a new integration holds besides its snapshot. */
export type IntegrationSeed = Pick<IntegrationRow, 'id' | 'organization_id' | 'preset_key'>

type IntegrationChange = Change<IntegrationRow, IntegrationContext, IntegrationEvent>

export const integrationAddress = (id: string): Address => ({ kind: 'integration', id })

const machineVersion = integrationMachine.version ?? '1'

/** The part of the row that the statechart decides. */
const snapshotOf = ({ state, version, context, at }: IntegrationChange) => ({
  state,
  version,
  machine_version: machineVersion,
  context: JSON.stringify(context),
  client_id: context.clientId,
  current_version_id: context.versionId,
  current_version: context.number,
  updated_at: at,
})

function apply(change: IntegrationChange, store: Store): Applied<IntegrationRow> {
  const { before, version, seed, at } = change
  if (!before) {
    const row: IntegrationRow = { ...(seed as IntegrationSeed), ...snapshotOf(change), created_at: at }
    return { row, writes: [insertIntegration(store, row)] }
  }
  if (version === before.version) return { row: before.row, writes: [] }
  const update = snapshotOf(change)
  const row = { ...before.row, ...update }
  return { row, writes: [updateIntegration(store, { id: row.id, ...update, from: before.version })] }
}

export const integrationKind: ActorKind<IntegrationRow, IntegrationContext, IntegrationEvent> = {
  kind: 'integration',
  machine: integrationMachine,
  load: (store, id) => store.first<IntegrationRow>(getIntegration(store, { id })),
  snapshot: ({ state, version, machine_version, context }) => ({
    state,
    version,
    machineVersion: machine_version,
    context,
  }),
  describe: (_, event) => ({
    attempt: 0,
    reason: event.type === 'verificationFailed' ? { code: event.code, message: event.message } : null,
  }),
  apply,
  effects: {},
}
