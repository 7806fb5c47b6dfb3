/** Ended spans that have not been exported yet. */
import { integersOf } from '../by-engine.ts'
import { rowsOf } from '../rows.ts'
import { query, together, write } from '../statement.ts'

const spans = rowsOf('trace_spans', 'id')

export const insertTraceSpans = together('rows', spans.insert())

/** Spans that other processes stored by a given time, in id order; the process that takes them over exports them. */
export const listTraceSpansLeft = query((db, values: { server: string; until: number; after: number; limit: number }) =>
  db
    .selectFrom('trace_spans')
    .selectAll()
    .where('id', '>', values.after)
    .where('server', '<>', values.server)
    .where('created_at', '<=', values.until)
    .orderBy('id')
    .limit(values.limit),
)

/** Takes a span over. Fails with `StaleWrite` if another process was faster. */
export const takeOverTraceSpans = write(
  (db, values: { id: number; from: string; server: string; at: number }) =>
    db
      .updateTable('trace_spans')
      .set({ server: values.server, created_at: values.at })
      .where('id', '=', values.id)
      .where('server', '=', values.from),
  1,
)

/** `ids` is a JSON array. */
export const deleteTraceSpans = write((db, values: { ids: string }) =>
  db.deleteFrom('trace_spans').where('id', 'in', integersOf(values.ids)),
)
