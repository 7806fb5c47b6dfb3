/** Versions of provider credentials that nothing uses any more, whatever pins them. Source: contract 4, "revoke". */
import { type Kysely, sql } from 'kysely'
import { clustered, immutable } from '../sqlite/fragments.ts'

export async function up(db: Kysely<unknown>): Promise<void> {
  // beside the versions, which never change
  await sql`create table revoked_credential_versions (
    credential_id  text    not null references provider_credentials (id) on delete cascade,
    version        integer not null check (version > 0),
    revoked_at     bigint  not null,
    primary key (credential_id, version)
  ) ${clustered(db)}`.execute(db)
  await immutable('revoked_credential_versions').execute(db)
  // who uses a credential is found by it
  await sql`create index provider_settings_of_credential on provider_settings (provider_credential_id)
    where provider_credential_id is not null`.execute(db)
}
