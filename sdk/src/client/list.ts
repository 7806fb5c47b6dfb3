/** Lists, which are read in pages. */
import type { Pagination } from '../generated/schemas.ts'

/** One page of a list. */
export interface Page<Item, Paging = Pagination> {
  items: Item[]
  /** The position of the next page. A list without pages has only one. */
  pagination: Paging
}

/**
 * A list: `await` it for the first page, or loop over it with `for await` for every item of every page.
 *
 *     const { items } = await troupe.projects.list({ slug: 'shop' })
 *     for await (const run of troupe.runs.list({ states: ['failed'] })) console.log(run.id)
 */
export type List<Item, Paging = Pagination> = Promise<Page<Item, Paging>> & AsyncIterable<Item>

/** The start of the next page, under the parameter names of lists. */
interface Cursors {
  hasMore?: boolean
  nextCursor?: string
  resumeCursor?: string
}

/** A list whose pages come from `load`; the first page is requested at once, the others when the loop reaches them. */
export function listOf<Item>(load: (cursor?: string) => Promise<Page<Item, Cursors>>): List<Item, Cursors> {
  const first = load()
  async function* items(): AsyncGenerator<Item, void, undefined> {
    for (let page = await first; ; ) {
      yield* page.items
      const { hasMore, nextCursor, resumeCursor } = page.pagination
      const cursor = nextCursor ?? resumeCursor
      if (!hasMore || cursor === undefined) return
      page = await load(cursor)
    }
  }
  return Object.assign(first, { [Symbol.asyncIterator]: items })
}
