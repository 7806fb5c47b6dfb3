/**
 * How many entities each Environment has, counted by the store itself as they come and go: a bound on them is then looked
 * up, not counted. One that was deleted for everybody does not count, although its row is kept for a while.
 */
import { type Kysely, sql } from 'kysely'
import { clustered } from '../sqlite/fragments.ts'

const less = sql.raw(`update entity_counts set entities = entities - 1 where environment_id = old.environment_id`)

const statements = (db: Kysely<unknown>) => [
  sql`create table entity_counts (
    environment_id  text    primary key references environments (id) on delete cascade,
    entities        integer not null check (entities >= 0)
  ) ${clustered(db)}`,
  sql`insert into entity_counts (environment_id, entities)
    select environment_id, count(*) from entities where deleted_at is null group by environment_id`,
  sql`create trigger entities_that_come after insert on entities when new.deleted_at is null
    begin
      insert into entity_counts (environment_id, entities) values (new.environment_id, 1)
        on conflict (environment_id) do update set entities = entity_counts.entities + 1;
    end`,
  sql`create trigger entities_that_go after update of deleted_at on entities
    when old.deleted_at is null and new.deleted_at is not null begin ${less}; end`,
  sql`create trigger entities_that_are_removed after delete on entities
    when old.deleted_at is null begin ${less}; end`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements(db)) await statement.execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  for (const name of ['entities_that_come', 'entities_that_go', 'entities_that_are_removed']) {
    await sql`drop trigger ${sql.raw(name)}`.execute(db)
  }
  await sql`drop table entity_counts`.execute(db)
}
