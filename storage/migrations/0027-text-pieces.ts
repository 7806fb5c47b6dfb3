/**
 * Long texts of runs, such as attachments, in pieces that are committed one after the other, each in a transaction of its
 * own: one of 13 MB would hold everybody up. The row that has the text names it.
 */
import { type Kysely, sql } from 'kysely'

const statements = [
  sql`create table text_pieces (
    piece_id  integer primary key,
    run_id    text    not null,
    text_id   text    not null,
    number    integer not null,                                         -- 0, 1, 2 … in the text
    body      text    not null,
    unique (run_id, text_id, number)
  )`,
  // Those that no row names, not yet or not any more: whatever is found here is to go, unless it is being written.
  sql`create table loose_texts (
    run_id   text not null,
    text_id  text not null,
    primary key (run_id, text_id)
  ) without rowid`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db)
}
