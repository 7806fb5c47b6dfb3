/** Goes through rows of a table, page by page. */

/** What a page holds. */
export const foundAtOnce = 100

/** Works on what `read` finds behind an id, one after the other. */
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
