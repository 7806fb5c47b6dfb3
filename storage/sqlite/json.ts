/** JSON made by the engine. */
import { type RawBuilder, sql } from 'kysely'

/** All rows of a query as one JSON text: an array of arrays, in this order; `[]` without rows. */
export const rowsAsJson = (columns: readonly RawBuilder<unknown>[], order: RawBuilder<unknown>): RawBuilder<string> =>
  sql<string>`json_group_array(json_array(${sql.join(columns)}) order by ${order})`
