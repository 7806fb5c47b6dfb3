/** Iterates over rows of a table, page by page. */

/** The rows of a page. */
export const foundAtOnce = 100

/** Calls the function for each row that `read` finds after an id, one after another. */
export async function eachFound<Found extends { id: string }>(
  read: (after: string) => Promise<Found[]>,
  work: (id: string, row: Found) => Promise<void>,
  onError: (error: unknown, id: string) => void,
): Promise<void> {
  for (let after = ''; ; ) {
    const found = await read(after)
    for (const row of found) {
      await work(row.id, row).catch((error) => onError(error, row.id))
      after = row.id
    }
    if (found.length < foundAtOnce) return
  }
}
