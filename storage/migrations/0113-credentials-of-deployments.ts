/**
 * The credentials that each Deployment uses, so that their deletion need not search bundles, which may have megabytes and
 * be stored in pieces. A long text belongs to a run or a Deployment.
 */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { elementsOf } from '../by-engine.ts'

/** The credentials of one list of all bundles, at this path of its items. */
const from = (list: string, path: RawBuilder<unknown>) => sql`select deployment_id, ${path} as credential_id
  from deployment_bundles, ${elementsOf('bundle', list, 'item')} where ${path} is not null`

const statements = [
  sql`create table deployment_credentials (
    deployment_id  text not null references deployments (id) on delete cascade,
    credential_id  text not null,
    primary key (deployment_id, credential_id)
  )`,
  sql`insert into deployment_credentials (deployment_id, credential_id)
    ${from('connections', sql`item.value -> 'credential' ->> 'id'`)}
    union ${from('agents', sql`item.value -> 'setting' -> 'credential' ->> 'id'`)}`,
  ...['text_pieces', 'loose_texts'].map(
    (table) => sql`alter table ${sql.table(table)} rename column run_id to owner_id`,
  ),
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db)
}
