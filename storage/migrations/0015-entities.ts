/**
 * Entities: data with a life of its own, written by operations only. Source: contract 3, "entity source"; contract 6,
 * `Entity`, "Entity inputs".
 */
import { type Kysely, sql } from 'kysely'
import { clustered } from '../sqlite/fragments.ts'

const statements = (db: Kysely<unknown>) => [
  sql`create table entities (
    id                      text    primary key,                          -- ent_…
    organization_id         text    not null,
    project_id              text    not null,
    environment_id          text    not null references environments (id) on delete cascade,
    type                    text    not null,                             -- the name of its Definition
    definition_revision_id  text    not null,                             -- dfr_…: whose statechart it is run by
    state                   text    not null,
    version                 integer not null check (version > 0),         -- of the snapshot: compare-and-swap
    machine_version         text    not null,
    context                 text    not null,                             -- JSON: what the statechart decides on
    entity_version          integer not null check (entity_version > 0),  -- grows with every change
    data                    text    not null,                             -- JSON
    created_at              bigint  not null,
    updated_at              bigint  not null,
    deleted_at              bigint,                                       -- gone for everybody; its events are kept for a while
    check ((state = 'entity/deleted') = (deleted_at is not null))
  )`,
  sql`create index entities_of_environment on entities (environment_id, id)`,
  sql`create index entities_of_type on entities (environment_id, type, id) where deleted_at is null`,
  sql`create index entities_in_state on entities (environment_id, type, state, id) where deleted_at is null`,
  sql`create index entities_deleted on entities (deleted_at) where deleted_at is not null`,
  // The statecharts that entities of an Environment have or have had; a Definition may be deleted before they are.
  sql`create table entity_charts (
    environment_id          text not null references environments (id) on delete cascade,
    definition_revision_id  text not null,                                -- dfr_…
    states                  text not null,                                -- JSON
    primary key (environment_id, definition_revision_id)
  )`,
  // Whose statechart an entity was run by before: it made the journal up to this number.
  sql`create table entity_past_charts (
    entity_id               text    not null references entities (id) on delete cascade,
    until_sequence          integer not null,
    definition_revision_id  text    not null,
    primary key (entity_id, until_sequence)
  ) ${clustered(db)}`,
  // What calls were answered, so that one that is made again is answered alike.
  sql`create table entity_calls (
    key             text   primary key,                                   -- the Environment, and what the caller calls it
    environment_id  text   not null references environments (id) on delete cascade,
    output          text   not null,                                      -- JSON: the Entity
    created_at      bigint not null
  )`,
  sql`create index entity_calls_of_environment on entity_calls (environment_id)`,
  sql`create index entity_calls_by_age on entity_calls (created_at)`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements(db)) await statement.execute(db)
}
