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

/** What a page shows at most, in characters as they are stored; its first item is shown whatever it has. */
export const pageCharactersMax = 1_048_576

/** How many of the rows make a page: as many as are asked for, less where they are large, but at least one. */
function fitting<Row>(rows: readonly Row[], limit: number): number {
  let characters = 0
  for (const [index, row] of rows.entries()) {
    if (index === limit) return limit
    characters += charactersIn(row)
    if (characters > pageCharactersMax) return Math.max(1, index)
  }
  return rows.length
}

/** How much text there is in a row. */
export function charactersIn(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce((sum: number, part: unknown) => sum + charactersIn(part), 0)
}

/**
 * Cuts a page from what a list's query found, which is asked for `limit + 1` rows: one more than shown says that there
 * is more, and so does one that would make the page too large. `sealLast` makes the cursor of the last item shown.
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

type Read<Row> = (after: Position | undefined, limit: number) => Promise<Row[]>

/**
 * A page of a list, as the API answers it. `read` gets the position after which to go on (undefined: from the start) and
 * how many rows to look for; `position` says where a row is. Throws `invalid_cursor` (422).
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

/** So many rows are read before their size is looked at. */
export const readAtOnceMax = 8

/**
 * As `readPage`, for items whose size their author decides: a page ends early where it would have more than a mebibyte, so
 * that nobody waits while it is read and written. What is left out comes with the next page.
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

/** The rows of a page and one more, if there is one, and how many of them fit into a large page. */
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
