/** The removal as a kind of actor: its row is the receipt, its effects are the rounds of work. */
import { type DeletionContext, type DeletionEvent, deletionMachine } from '../../../machines/deletion.ts'
import type { DeletionTarget } from '../../../storage/runs/run-removal.ts'
import type { DeletionRow } from '../../../storage/tables.ts'
import { getDeletion, insertDeletion, updateDeletion } from '../../../storage/tenancy/deletions.ts'
import { defineActor } from '../../runtime/define-actor.ts'
import type { Actor, Address } from '../../runtime/kind.ts'

/** What the row of a new removal holds besides its snapshot. */
export type DeletionSeed = Pick<
  DeletionRow,
  'id' | 'target' | 'organization_id' | 'project_id' | 'requested_by_type' | 'requested_by_id'
>

export type DeletionActor = Actor<DeletionRow, DeletionContext>

export const deletionAddress = (id: string): Address => ({ kind: 'deletion', id })

export const deletionTargetOf = ({ id, target, organization_id }: DeletionRow): DeletionTarget => ({
  id,
  target,
  organizationId: organization_id,
})

/** One round of work. Each of them may be begun twice, and then does what is left to do. */
export interface DeletionEffects {
  endRuns(id: string, round: number): Promise<void>
  removeBatch(id: string, round: number): Promise<void>
  sweep(id: string): Promise<void>
}

/** How far it has come is written beside its snapshot: with what has gone, and not by the statechart. */
const nothingYet = { runs_counted: 0, counted_to: '', runs_removed: 0, records_removed: 0 }

export const deletionKind = (rounds: DeletionEffects) =>
  defineActor<DeletionRow, DeletionContext, DeletionEvent, DeletionSeed>({
    kind: 'deletion',
    machine: deletionMachine,
    table: { get: getDeletion, insert: insertDeletion, update: updateDeletion },
    seeded: (seed) => ({ ...seed, ...nothingYet }),
    effects: {
      endRuns: { durable: ({ round }: { round: number }, { address }) => rounds.endRuns(address.id, round) },
      removeBatch: { durable: ({ round }: { round: number }, { address }) => rounds.removeBatch(address.id, round) },
      sweep: { durable: (_, { address }) => rounds.sweep(address.id) },
    },
  })
