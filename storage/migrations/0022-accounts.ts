/**
 * Addresses that prove nothing until they are verified: accounts of unverified addresses may share one, a verified address
 * belongs to one account. Invitations may name an account, and know whether their token went by mail alone; tokens of
 * verifications and password resets. Source: contract 1, "Invitations".
 *
 * Accounts from before came by tokens that the inviter saw, so that their addresses are unverified; the oldest account is
 * the one that the operator named for the first start.
 */
import { type Kysely, sql } from 'kysely'
import { droppedUnique, isSqlite, referencesHold } from '../sqlite/fragments.ts'

const shared = [
  sql`create unique index users_of_verified_email on users (email) where email_verified_at is not null`,
  sql`create index users_of_email on users (email, created_at, id)`,
  sql`update users set email_verified_at = created_at
    where id = (select id from users order by created_at, id limit 1)`,
  sql`create table invitations_rebuilt (
    id               text    primary key,                               -- ivt_…
    organization_id  text    not null references organizations (id) on delete cascade,
    email            text,                                              -- lower case; null when an account is invited
    user_id          text    references users (id) on delete cascade,   -- the account that alone may accept
    role             text    not null check (role in ('owner', 'admin', 'member')),
    token_hash       text    not null unique,                           -- SHA-256, hexadecimal
    mailed           integer not null check (mailed in (0, 1)),         -- the token goes by mail, and to nobody else
    mail_due_at      bigint,                                            -- when its mail is tried next
    mail_attempts    integer not null default 0 check (mail_attempts >= 0),
    invited_by       text    not null references users (id),
    created_at       bigint  not null,
    expires_at       bigint  not null,
    unique (organization_id, email),
    unique (organization_id, user_id),
    check ((email is null) <> (user_id is null)),
    check (mailed = 1 or mail_due_at is null)
  )`,
  sql`insert into invitations_rebuilt
      (id, organization_id, email, user_id, role, token_hash, mailed, invited_by, created_at, expires_at)
    select id, organization_id, email, null, role, token_hash, 0, invited_by, created_at, expires_at from invitations`,
  sql`drop table invitations`,
  sql`alter table invitations_rebuilt rename to invitations`,
  sql`create index invitations_of_organization on invitations (organization_id, id)`,
  sql`create index invitations_expiry on invitations (expires_at)`,
  sql`create index invitations_of_user on invitations (user_id) where user_id is not null`,
  sql`create index invitations_to_mail on invitations (mail_due_at) where mail_due_at is not null`,
  sql`create table account_tokens (
    id             text    primary key,                                 -- atk_…
    user_id        text    not null references users (id) on delete cascade,
    purpose        text    not null check (purpose in ('verification', 'password-reset')),
    token_hash     text    not null unique,                             -- SHA-256, hexadecimal
    mail_due_at    bigint,                                              -- when its mail is tried next
    mail_attempts  integer not null default 0 check (mail_attempts >= 0),
    created_at     bigint  not null,
    expires_at     bigint  not null
  )`,
  sql`create index account_tokens_of_user on account_tokens (user_id, purpose)`,
  sql`create index account_tokens_expiry on account_tokens (expires_at)`,
  sql`create index account_tokens_to_mail on account_tokens (mail_due_at) where mail_due_at is not null`,
]

/** SQLite takes the `unique` of a column back only with its table; what refers to it refers to it by its name. */
const rebuiltUsers = [
  sql`create table users_rebuilt (
    id                 text   primary key,                              -- usr_…
    email              text   not null,                                 -- lower case
    name               text   not null,
    password_hash      text   not null,                                 -- argon2id
    created_at         bigint not null,
    email_verified_at  bigint                                           -- null: the address proves nothing
  )`,
  sql`insert into users_rebuilt (id, email, name, password_hash, created_at)
    select id, email, name, password_hash, created_at from users`,
  sql`drop table users`,
  sql`alter table users_rebuilt rename to users`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  const users = isSqlite(db)
    ? rebuiltUsers
    : [droppedUnique('users', 'email'), sql`alter table users add column email_verified_at bigint`]
  for (const statement of [...users, ...shared]) await statement.execute(db)
  if (isSqlite(db)) await referencesHold(db, ['memberships', 'sessions', 'api_keys', 'invitations'])
}
