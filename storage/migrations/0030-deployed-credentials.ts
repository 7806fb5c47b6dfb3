/**
 * Which versions of credentials a Deployment serves with: those that its Configuration Revision pins, or those that were
 * current when it was put together. Source: contract 3, "pinned ones".
 */
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table deployments add column credentials text not null default 'pinned'
    check (credentials in ('pinned', 'current'))`.execute(db)
}
