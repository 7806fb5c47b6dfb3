/** Removes ended runs with all their data. Source: contract 2, "Deletion"; 9, "Decided since". */
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
 * Removes a run: its many rows piece by piece, then the rest in one unit of work with the writes `behind`. The writes
 * `before` precede each of these units. Throws `StaleWrite` if the run is active (again) or deleted.
 */
export async function removeRun(
  { store, actors }: RemovalParts,
  { id, rows }: RunToRemove,
  { before = [], behind = [] }: { before?: Write[]; behind?: Write[] },
): Promise<void> {
  for (let left: number | undefined = rows; left !== undefined && left > rowsAtOnce; left = await rowsLeft(store, id)) {
    await store.commit([...before, ...removeRowsOfRun(store, id)])
  }
  await store.commit([...before, ...removeEndedRun(store, id), ...behind])
  actors.forget(runAddress(id))
}
