/** The removal as a kind of actor: its row is the receipt, its effects are the rounds of work. */
import { type DeletionContext, type DeletionEvent, deletionMachine } from '../../../machines/deletion.ts'
import type { Doomed } from '../../../storage/runs/run-removal.ts'
import type { Store } from '../../../storage/store.ts'
import type { DeletionRow } from '../../../storage/tables.ts'
import { getDeletion, insertDeletion, updateDeletion } from '../../../storage/tenancy/deletions.ts'
import type { Actor, ActorKind, Address, Applied, Change } from '../../runtime/kind.ts'

/** What the row of a new removal holds besides its snapshot. */
export type DeletionSeed = Pick<
  DeletionRow,
  'id' | 'target' | 'organization_id' | 'project_id' | 'requested_by_type' | 'requested_by_id'
>

export type DeletionActor = Actor<DeletionRow, DeletionContext>
type DeletionChange = Change<DeletionRow, DeletionContext, DeletionEvent>

export const deletionAddress = (id: string): Address => ({ kind: 'deletion', id })

export const doomedBy = ({ id, target, organization_id }: DeletionRow): Doomed => ({
  id,
  target,
  organizationId: organization_id,
})

/** One round of work. Each of them may be begun twice, and then does what is left to do. */
export interface DeletionRounds {
  endRuns(id: string, round: number): Promise<void>
  removeBatch(id: string, round: number): Promise<void>
  sweep(id: string): Promise<void>
}

/** How far it has come is written beside its snapshot: with what has gone, and not by the statechart. */
const nothingYet = { runs_counted: 0, counted_to: '', runs_removed: 0, records_removed: 0 }

const machineVersion = deletionMachine.version ?? '1'

function apply({ before, state, context, version, at, seed }: DeletionChange, store: Store): Applied<DeletionRow> {
  const snapshot = { state, version, machine_version: machineVersion, context: JSON.stringify(context), updated_at: at }
  if (!before) {
    const row: DeletionRow = { ...(seed as DeletionSeed), ...snapshot, ...nothingYet, created_at: at }
    return { row, writes: [insertDeletion(store, row)] }
  }
  if (version === before.version) return { row: before.row, writes: [] }
  return {
    row: { ...before.row, ...snapshot },
    writes: [updateDeletion(store, { id: before.row.id, ...snapshot, from: before.version })],
  }
}

export const deletionKind = (rounds: DeletionRounds): ActorKind<DeletionRow, DeletionContext, DeletionEvent> => ({
  kind: 'deletion',
  machine: deletionMachine,
  load: (store, id) => store.first<DeletionRow>(getDeletion(store, { id })),
  snapshot: ({ state, version, machine_version, context }) => ({
    state,
    version,
    machineVersion: machine_version,
    context,
  }),
  apply,
  effects: {
    endRuns: { durable: ({ round }: { round: number }, { address }) => rounds.endRuns(address.id, round) },
    removeBatch: { durable: ({ round }: { round: number }, { address }) => rounds.removeBatch(address.id, round) },
    sweep: { durable: (_, { address }) => rounds.sweep(address.id) },
  },
})
