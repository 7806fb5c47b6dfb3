/** Commands to many actors, as after a start: this many take a few milliseconds of the event loop. */
export const fewMax = 10

/** Does the work for all items, a few at a time, so that requests are served in between. Throws the first error. */
export async function fewAtOnce<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  for (let start = 0; start < items.length; start += fewMax) {
    results.push(...(await Promise.all(items.slice(start, start + fewMax).map(work))))
  }
  return results
}
