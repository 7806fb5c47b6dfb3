/** Pages of lists whose items are found by words of their names. */
import { Type } from '@sinclair/typebox'
import { nextTurn } from '../time/next-turn.ts'
import type { CursorScope, Cursors, Position } from './cursor.ts'
import { type Page, type PageRequest, page, readPage } from './pagination.ts'
import { searchFor } from './search.ts'

/** The rows that one request looks at. */
const lookedMax = 5_000
/** The rows that are read at once. */
const stretchLength = 500

/** The filter of such a list; `where` names the texts that are searched. */
export const searchIn = (where: string) =>
  Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description:
        `Items that have all these words in their ${where}, whatever their case. One request looks at ` +
        `${lookedMax.toLocaleString('en')} items: a page may be short, or empty, and \`nextCursor\` searches on.`,
    }),
  )

/** As `readPage`, of the rows that the search finds in their text; of all rows without one. */
export async function readSearchedPage<Row, Item>(
  place: { cursors: Cursors; scope: CursorScope },
  { search, ...request }: PageRequest & { search?: string },
  read: (after: Position | undefined, limit: number) => Promise<Row[]>,
  position: (row: Row) => Position,
  present: (row: Row) => Item,
  textOf: (row: Row) => string,
): Promise<{ data: { items: Item[] }; pagination: Page }> {
  if (search === undefined) return readPage(place, request, read, position, present)
  const { cursors, scope } = place
  const { limit, cursor } = request
  const isFound = searchFor(search)
  const found: Row[] = []
  let from = cursor === undefined ? undefined : cursors.open(scope, cursor)
  let isWhole = false
  for (let looked = 0; found.length <= limit && looked < lookedMax && !isWhole; looked += stretchLength) {
    if (looked > 0) await nextTurn()
    const stretch = await read(from, stretchLength)
    found.push(...stretch.filter((row) => isFound(textOf(row))))
    isWhole = stretch.length < stretchLength
    if (!isWhole) from = position(stretch.at(-1) as Row)
  }
  const { items, pagination } = page(found, limit, (row) => cursors.seal(scope, position(row)))
  const data = { items: items.map(present) }
  if (pagination.hasMore || isWhole) return { data, pagination }
  return { data, pagination: { limit, hasMore: true, nextCursor: cursors.seal(scope, from as Position) } }
}
