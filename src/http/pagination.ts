/** Pages of a list. Source: contract 0, "Envelope", "Paging"; requirement 8, "Page size". */
import { Type } from '@sinclair/typebox'

/** The query of every paged list: spread its `properties` beside the filters, or use it as it is. */
export const pageQuery = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'Page size.' }),
  cursor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1024,
      description: '`nextCursor` of the page before; omitted for the first.',
    }),
  ),
})

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
