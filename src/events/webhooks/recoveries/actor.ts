/** The recovery as a kind of actor: its row. `recovery-work.ts` has its effects. */
import {
  type RecoveryContext,
  type RecoveryEvent,
  webhookRecoveryMachine,
} from '../../../../machines/webhook-recovery.ts'
import {
  findPlaceOfRecovery,
  getRecovery,
  insertRecovery,
  updateRecovery,
} from '../../../../storage/events/webhook-recoveries.ts'
import type { WebhookRecoveryRow } from '../../../../storage/tables.ts'
import { timestampOrNull } from '../../../platform/http/timestamp.ts'
import { defineActor } from '../../../runtime/define-actor.ts'
import type { Address } from '../../../runtime/kind.ts'

/** The columns of a new recovery besides its snapshot. */
export type RecoverySeed = Omit<
  WebhookRecoveryRow,
  'state' | 'version' | 'machine_version' | 'context' | 'created_at' | 'updated_at'
>

export const recoveryAddress = (id: string): Address => ({ kind: 'webhook-recovery', id })

export const recoveryKind = (
  /** Recovers the next piece. */
  recoverSome: (id: string, piece: number) => Promise<void>,
) =>
  defineActor<WebhookRecoveryRow, RecoveryContext, RecoveryEvent, RecoverySeed>({
    machine: webhookRecoveryMachine,
    table: { get: getRecovery, insert: insertRecovery, update: updateRecovery },
    seeded: (seed) => seed,
    describe: ({ cause }) => ({ attempt: 0, reason: cause }),
    effects: {
      recoverSome: { durable: ({ piece }: { piece: number }, { address }) => recoverSome(address.id, piece) },
    },
    view: {
      permission: 'webhooks:list',
      place: findPlaceOfRecovery,
      show: ({ left, pieces, afterSequence, retried, made, cause, endedAt }) => ({
        left,
        pieces,
        afterSequence,
        retried,
        made,
        cause,
        endedAt: timestampOrNull(endedAt),
      }),
    },
  })
