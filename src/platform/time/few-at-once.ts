/** For commands to actors that come in masses, as after a start: so many take the event loop for a few milliseconds. */
export const fewMax = 10

/** Does the work with all of them, a few at a time, so that requests go in between. Throws what went wrong first. */
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
