/** Background work on rows, one after another. */
import { isStoreAway } from '../runtime/refusals.ts'

/**
 * Calls the function for each row. One that fails, such as a damaged record, does not stop the others. Throws if the
 * store is unavailable.
 */
export async function oneByOne<Row extends { id: string }>(
  rows: readonly Row[],
  work: (row: Row) => Promise<void>,
  onError: (error: unknown, id: string) => void,
): Promise<void> {
  for (const row of rows) {
    try {
      await work(row)
    } catch (error) {
      if (isStoreAway(error)) throw error
      onError(error, row.id)
    }
  }
}
