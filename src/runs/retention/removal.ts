/** Removes runs that have ended, with everything that belongs to them. Source: contract 2, "Deletion"; 9, "Decided since". */
import {
  type RunToRemove,
  removeEndedRun,
  removeRowsOfRun,
  rowsAtOnce,
  rowsLeft,
} from '../../../storage/runs/run-removal.ts'
import type { Write } from '../../../storage/store.ts'
import type { RemovalParts } from '../../runtime/removal.ts'
import { runAddress } from '../record.ts'

/**
 * Removes a run: one with very many rows bit by bit, and at last what is left of it, in one unit of work with what is to be
 * written `before` and `behind`. Throws `StaleWrite` when it lives (again), or is gone.
 */
export async function removeRun(
  { store, actors }: RemovalParts,
  { id, rows }: RunToRemove,
  { before = [], behind = [] }: { before?: Write[]; behind?: Write[] },
): Promise<void> {
  for (let left: number | undefined = rows; left !== undefined && left > rowsAtOnce; left = await rowsLeft(store, id)) {
    await store.commit(removeRowsOfRun(store, id))
  }
  await store.commit([...before, ...removeEndedRun(store, id), ...behind])
  actors.forget(runAddress(id))
}
