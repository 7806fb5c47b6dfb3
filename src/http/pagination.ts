/** Pages of a list. Source: contract 0, "Envelope", "Paging"; requirement 8, "Page size". */
import { Type } from '@sinclair/typebox'
import type { CursorScope, Cursors, Position } from './cursor.ts'

/** The query of every paged list: spread its `properties` beside the filters, or use it as it is. */
export const pageQuery = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'Page size.', parameter: 'Limit' }),
  cursor: Type.Optional(
    // one that is not ours is `invalid_cursor`, however it looks: the list says so
    Type.String({
      description: '`nextCursor` of the page before; omitted for the first.',
      parameter: 'Cursor',
      opaque: true,
    }),
  ),
})

const exactly = (what: 'slug' | 'name' | 'label') =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: `Only what has exactly this ${what}.` }))

/** The query of a paged list of things with slugs. */
export const pageQueryBySlug = Type.Object({ ...pageQuery.properties, slug: exactly('slug') })
/** The same of things with names. */
export const pageQueryByName = Type.Object({ ...pageQuery.properties, name: exactly('name') })
/** The query of an unpaged list of things with labels. */
export const queryByLabel = Type.Object({ label: exactly('label') })

export interface Page {
  limit: number
  hasMore: boolean
  nextCursor?: string
}

/**
 * Cuts a page from what a list's query found, which is asked for `limit + 1` rows: one more than shown says that there
 * is more. `sealLast` makes the cursor of the last item shown.
 */
export function page<Row>(
  rows: Row[],
  limit: number,
  sealLast: (row: Row) => string,
): { items: Row[]; pagination: Page } {
  if (rows.length <= limit) return { items: rows, pagination: { limit, hasMore: false } }
  const items = rows.slice(0, limit)
  return { items, pagination: { limit, hasMore: true, nextCursor: sealLast(items.at(-1)!) } }
}

/** What every paged list is asked. */
export interface PageRequest {
  limit: number
  cursor?: string
}
export type PageRequestBySlug = PageRequest & { slug?: string }
export type PageRequestByName = PageRequest & { name?: string }

/** The id below which a list that shows the newest ids first goes on; from the start no id is out of it. */
export const belowId = (after: Position | undefined): string => String(after?.[0] ?? '~')

/** The same of a list that shows the highest numbers first. */
export const belowNumber = (after: Position | undefined): number => Number(after?.[0] ?? Number.MAX_SAFE_INTEGER)

/**
 * A page of a list, as the API answers it. `read` gets the position after which to go on (undefined: from the start) and
 * how many rows to look for; `position` says where a row is. Throws `invalid_cursor` (422).
 */
export async function readPage<Row, Item>(
  { cursors, scope }: { cursors: Cursors; scope: CursorScope },
  { limit, cursor }: PageRequest,
  read: (after: Position | undefined, limit: number) => Promise<Row[]>,
  position: (row: Row) => Position,
  present: (row: Row) => Item,
): Promise<{ data: { items: Item[] }; pagination: Page }> {
  const after = cursor === undefined ? undefined : cursors.open(scope, cursor)
  const { items, pagination } = page(await read(after, limit + 1), limit, (row) => cursors.seal(scope, position(row)))
  return { data: { items: items.map(present) }, pagination }
}
