/**
 * What people of an organization are told by mail, and whom it is owed to. Rows are there only where a mail server is set up,
 * and for two days: how many there were of late says whether there may be another. Source: contract 6 and 7, "Decided since".
 */
import { type Kysely, sql } from 'kysely'

const statements = [
  sql`create table notices (
    id               text   primary key,                                -- ntc_…
    organization_id  text   not null references organizations (id) on delete cascade,
    kind             text   not null check (kind in ('budget.warning', 'budget.exhausted', 'webhook.disabled')),
    subject_id       text   not null,                                   -- what it is about
    data             text   not null,                                   -- JSON: what else the mail says
    created_at       bigint not null
  )`,
  sql`create index notices_of_organization on notices (organization_id, created_at)`,
  sql`create index notices_by_age on notices (created_at)`,
  // One for each recipient. Whoever leaves the organization is told nothing more.
  sql`create table notice_mails (
    id               text    primary key,                               -- the notice's and the user's
    notice_id        text    not null references notices (id) on delete cascade,
    organization_id  text    not null,
    user_id          text    not null,
    mail_due_at      bigint,                                            -- when it is tried next; null: sent, or given up
    mail_attempts    integer not null default 0 check (mail_attempts >= 0),
    unique (notice_id, user_id),
    foreign key (organization_id, user_id) references memberships (organization_id, user_id) on delete cascade
  )`,
  sql`create index notice_mails_of_user on notice_mails (organization_id, user_id)`,
  sql`create index notice_mails_to_mail on notice_mails (mail_due_at) where mail_due_at is not null`,
  sql`create index managers_of_organization on memberships (organization_id, created_at, user_id)
    where role in ('owner', 'admin')`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db)
}
