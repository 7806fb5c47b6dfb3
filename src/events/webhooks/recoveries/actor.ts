/** The recovery as a kind of actor: its row. What it wishes for is done by `work.ts`. */
import {
  type RecoveryContext,
  type RecoveryEvent,
  webhookRecoveryMachine,
} from '../../../../machines/webhook-recovery.ts'
import { getRecovery, insertRecovery, updateRecovery } from '../../../../storage/events/webhook-recoveries.ts'
import type { Store } from '../../../../storage/store.ts'
import type { WebhookRecoveryRow } from '../../../../storage/tables.ts'
import type { Actor, ActorKind, Address, Applied, Change } from '../../../runtime/kind.ts'

/** What the row of a new recovery holds besides its snapshot. */
export type RecoverySeed = Omit<
  WebhookRecoveryRow,
  'state' | 'version' | 'machine_version' | 'context' | 'created_at' | 'updated_at'
>
export type RecoveryActor = Actor<WebhookRecoveryRow, RecoveryContext>
type RecoveryChange = Change<WebhookRecoveryRow, RecoveryContext, RecoveryEvent>

export const recoveryAddress = (id: string): Address => ({ kind: 'webhook-recovery', id })

const machineVersion = webhookRecoveryMachine.version ?? '1'

function apply(
  { before, state, version, context, seed, at }: RecoveryChange,
  store: Store,
): Applied<WebhookRecoveryRow> {
  if (before && version === before.version) return { row: before.row, writes: [] }
  const update = {
    state,
    version,
    machine_version: machineVersion,
    context: JSON.stringify(context),
    updated_at: at,
  }
  if (!before) {
    const row = { ...(seed as RecoverySeed), ...update, created_at: at }
    return { row, writes: [insertRecovery(store, row)] }
  }
  return {
    row: { ...before.row, ...update },
    writes: [updateRecovery(store, { id: before.row.id, ...update, from: before.version })],
  }
}

export const recoveryKind = (
  /** Puts the next piece back. */
  recoverSome: (id: string, piece: number) => Promise<void>,
): ActorKind<WebhookRecoveryRow, RecoveryContext, RecoveryEvent> => ({
  kind: 'webhook-recovery',
  machine: webhookRecoveryMachine,
  load: (store, id) => store.first<WebhookRecoveryRow>(getRecovery(store, { id })),
  snapshot: ({ state, version, machine_version, context }) => ({
    state,
    version,
    machineVersion: machine_version,
    context,
  }),
  describe: ({ cause }) => ({ attempt: 0, reason: cause }),
  apply,
  effects: {
    recoverSome: { durable: ({ piece }: { piece: number }, { address }) => recoverSome(address.id, piece) },
  },
})
