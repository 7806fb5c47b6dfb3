/** Pages of a list. Source: contract 0, "Envelope", "Paging"; requirement 8, "Page size". */
import { Type } from '@sinclair/typebox'
import type { CursorScope, Cursors, Position } from './cursor.ts'

/** The query of every paged list; spread its `properties` to add filters. */
export const pageQuery = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'Page size.', parameter: 'Limit' }),
  cursor: Type.Optional(
    // a malformed cursor answers `invalid_cursor`, not `validation_failed`
    Type.String({
      description: '`nextCursor` of the previous page; leave it out for the first page.',
      parameter: 'Cursor',
      opaque: true,
    }),
  ),
})

const exactly = (what: 'slug' | 'name' | 'label') =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: `Only the item with exactly this ${what}.` }))

/** The query of a paged list whose items have slugs. */
export const pageQueryBySlug = Type.Object({ ...pageQuery.properties, slug: exactly('slug') })
/** The query of a paged list whose items have names. */
export const pageQueryByName = Type.Object({ ...pageQuery.properties, name: exactly('name') })
/** The query of an unpaged list whose items have labels. */
export const queryByLabel = Type.Object({ label: exactly('label') })

/** `last` of a list that is read oldest first: a read without a cursor begins this far before the end. */
export const beforeEnd = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000, description }))

export interface Page {
  limit: number
  hasMore: boolean
  nextCursor?: string
}

/** The largest page, in characters as stored; the first item is shown whatever its size. */
export const pageCharactersMax = 1_048_576

/** How many of the rows fit on the page: at most `limit`, fewer if they are large, at least one. */
function fitting<Row>(rows: readonly Row[], limit: number): number {
  let characters = 0
  for (const [index, row] of rows.entries()) {
    if (index === limit) return limit
    characters += charactersIn(row)
    if (characters > pageCharactersMax) return Math.max(1, index)
  }
  return rows.length
}

/** The characters of text in a value. */
export function charactersIn(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce((sum: number, part: unknown) => sum + charactersIn(part), 0)
}

/**
 * Makes a page of the rows of a query for `limit + 1` rows: a surplus row, or one that makes the page too large, means that
 * there is another page. `sealLast` makes the cursor of the last item shown.
 */
export function page<Row>(
  rows: Row[],
  limit: number,
  sealLast: (row: Row) => string,
): { items: Row[]; pagination: Page } {
  const count = fitting(rows, limit)
  if (rows.length <= count) return { items: rows, pagination: { limit, hasMore: false } }
  const items = rows.slice(0, count)
  return { items, pagination: { limit, hasMore: true, nextCursor: sealLast(items.at(-1)!) } }
}

/** The request for a page. */
export interface PageRequest {
  limit: number
  cursor?: string
}
export type PageRequestBySlug = PageRequest & { slug?: string }
export type PageRequestByName = PageRequest & { name?: string }

/** The id below which a list with the newest ids first continues. */
export const belowId = (after: Position | undefined): string => String(after?.[0] ?? '~')

/** The same for a list with the highest numbers first. */
export const belowNumber = (after: Position | undefined): number => Number(after?.[0] ?? Number.MAX_SAFE_INTEGER)

type Read<Row> = (after: Position | undefined, limit: number) => Promise<Row[]>

/**
 * A page of a list in the API's form. `read` gets the position to continue after (undefined: from the start) and the number
 * of rows to read; `position` returns that of a row. Throws `invalid_cursor` (422).
 */
export async function readPage<Row, Item>(
  { cursors, scope }: { cursors: Cursors; scope: CursorScope },
  { limit, cursor }: PageRequest,
  read: Read<Row>,
  position: (row: Row) => Position,
  present: (row: Row) => Item,
): Promise<{ data: { items: Item[] }; pagination: Page }> {
  const after = cursor === undefined ? undefined : cursors.open(scope, cursor)
  const { items, pagination } = page(await read(after, limit + 1), limit, (row) => cursors.seal(scope, position(row)))
  return { data: { items: items.map(present) }, pagination }
}

/** Rows that are read before their size is checked. */
export const readAtOnceMax = 8

/**
 * Like `readPage`, for items whose size their author decides: a page ends before it exceeds a mebibyte, so that reading and
 * writing it does not block other requests.
 */
export async function readLargePage<Row, Item>(
  place: { cursors: Cursors; scope: CursorScope },
  request: PageRequest,
  read: Read<Row>,
  position: (row: Row) => Position,
  present: (row: Row) => Item,
): Promise<{ data: { items: Item[] }; pagination: Page }> {
  const { cursor, limit } = request
  const after = cursor === undefined ? undefined : place.cursors.open(place.scope, cursor)
  const { rows, shown } = await readPieces(read, position, after, limit)
  const { data, pagination } = await readPage(place, { ...request, limit: shown }, async () => rows, position, present)
  return { data, pagination: { ...pagination, limit } }
}

/** The rows of a page and one more, if there is one, up to the size of a large page. */
async function readPieces<Row>(
  read: Read<Row>,
  position: (row: Row) => Position,
  after: Position | undefined,
  limit: number,
): Promise<{ rows: Row[]; shown: number }> {
  const rows: Row[] = []
  let characters = 0
  let from = after
  while (rows.length <= limit) {
    const asked = Math.min(readAtOnceMax, limit + 1 - rows.length)
    const piece = await read(from, asked)
    for (const row of piece) {
      characters += charactersIn(row)
      rows.push(row)
      if (characters > pageCharactersMax && rows.length > 1) return { rows, shown: rows.length - 1 }
    }
    if (piece.length < asked) break
    from = position(piece.at(-1) as Row)
  }
  return { rows, shown: limit }
}
