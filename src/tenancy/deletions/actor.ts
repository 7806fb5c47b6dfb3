/** The deletion as a kind of actor: its row is the receipt, its effects are rounds of work. */
import { type DeletionContext, type DeletionEvent, deletionMachine } from '../../../machines/deletion.ts'
import type { DeletionTarget } from '../../../storage/runs/run-removal.ts'
import type { DeletionRow } from '../../../storage/tables.ts'
import { findDeletion, getDeletion, insertDeletion, updateDeletion } from '../../../storage/tenancy/deletions.ts'
import { isBound, isWithinScope } from '../../platform/http/guard/authorization-scope.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import { defineActor } from '../../runtime/define-actor.ts'
import type { Actor, Address, Again } from '../../runtime/kind.ts'

/** The columns of a new deletion besides its snapshot. */
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

/** The rounds of work. Each may run twice and is idempotent. */
export interface DeletionEffects {
  endRuns(id: string, round: number): Promise<Again | undefined>
  removeBatch(id: string, round: number): Promise<void>
  sweep(id: string): Promise<void>
}

/** The progress is written with the removed rows, not by the statechart. */
const nothingYet = { runs_counted: 0, counted_to: '', runs_removed: 0, records_removed: 0 }

/** Whether the caller may delete the target. */
function mayDelete(caller: Caller, { id, target, project_id: projectId }: DeletionRow): boolean {
  if (target === 'organization') return caller.permissions.has('organizations:delete') && !isBound(caller)
  const place = { projectId, environmentId: null, agentId: target === 'agent' ? id : null }
  return isWithinScope(caller, target === 'agent' ? 'agents:delete' : 'projects:delete', place)
}

export const deletionKind = (rounds: DeletionEffects) =>
  defineActor<DeletionRow, DeletionContext, DeletionEvent, DeletionSeed>({
    machine: deletionMachine,
    table: { get: getDeletion, insert: insertDeletion, update: updateDeletion },
    seeded: (seed) => ({ ...seed, ...nothingYet }),
    effects: {
      endRuns: { durable: ({ round }: { round: number }, { address }) => rounds.endRuns(address.id, round) },
      removeBatch: { durable: ({ round }: { round: number }, { address }) => rounds.removeBatch(address.id, round) },
      sweep: { durable: (_, { address }) => rounds.sweep(address.id) },
    },
    // anyone who may request such a deletion may watch it
    view: {
      permission: 'agents:delete',
      orPermissions: ['projects:delete', 'organizations:delete'],
      async isVisible(store, caller, id) {
        const row = await store.first(findDeletion(store, { organizationId: caller.organizationId, id }))
        return row !== undefined && mayDelete(caller, row)
      },
      show: ({ target, round }) => ({ target, round }),
    },
  })
