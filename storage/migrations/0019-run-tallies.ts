/**
 * How many runs have ended in each hour, how, and how long they took: small rows that stand for any number of runs, so that
 * figures about them cost the same however many are stored.
 */
import { type Kysely, sql } from 'kysely'
import { clustered, isSqlite } from '../sqlite/fragments.ts'

const buckets = Array.from({ length: 32 }, (_, bucket) => bucket)
const hourMs = 3_600_000

const columns = (prefix: string, type = '') => buckets.map((bucket) => `${prefix}_${bucket}${type}`).join(', ')

/** Bucket 0 is of what took no whole millisecond, bucket n of 2^(n-1) up to 2^n milliseconds, the last of all above. */
const counted = (column: string) =>
  buckets
    .map((bucket) => {
      const least = bucket === 0 ? '' : ` and ${column} >= ${2 ** (bucket - 1)}`
      const most = bucket === 31 ? '' : ` and ${column} < ${2 ** bucket}`
      return `count(*) filter (where ${column} is not null${least}${most})`
    })
    .join(', ')

/**
 * Counts what a store holds, each run by its latest end, where nothing has been counted yet. When a run that was continued
 * began anew is only in its journal, so its times are left out. Each step is stored before the next: what is read out of a
 * record would else be read anew for each column.
 */
export const countStored = `insert into run_tallies (
    organization_id, hour, project_id, environment_id, completed, failed, canceled, expired,
    ${columns('queue')}, ${columns('work')})
  with ended as materialized (
    select organization_id, project_id, environment_id, state, created_at, updated_at,
      case when json_valid(context) then json_extract(context, '$.chain', '$.startedAt', '$.endedAt') end as known
    from runs where state in ('completed', 'failed', 'canceled', 'expired')
  ), timed as materialized (
    select organization_id, coalesce(project_id, '') as project_id, coalesce(environment_id, '') as environment_id,
      state, created_at, coalesce(known ->> 2, updated_at) as ended_at,
      case when known ->> 0 = 1 then known ->> 1 end as started_at
    from ended
  ), measured as materialized (
    select organization_id, project_id, environment_id, state, ended_at - ended_at % ${hourMs} as hour,
      max(0, started_at - created_at) as queued_ms, max(0, ended_at - started_at) as worked_ms
    from timed
  )
  select organization_id, hour, project_id, environment_id,
    count(*) filter (where state = 'completed'), count(*) filter (where state = 'failed'),
    count(*) filter (where state = 'canceled'), count(*) filter (where state = 'expired'),
    ${counted('queued_ms')}, ${counted('worked_ms')}
  from measured
  group by organization_id, hour, project_id, environment_id`

const statements = (db: Kysely<unknown>) => [
  sql`create table run_tallies (
    organization_id  text   not null,
    hour             bigint not null check (hour % ${sql.lit(hourMs)} = 0),  -- its first millisecond, in UTC
    project_id       text   not null,                                   -- '' for runs outside of Projects
    environment_id   text   not null,                                   -- '' for runs outside of Environments
    completed        bigint not null,                                   -- runs that ended so within the hour
    failed           bigint not null,
    canceled         bigint not null,
    expired          bigint not null,
    -- from admission, or the latest continue, to the beginning of work; and from there to the end
    ${sql.raw(columns('queue', ' bigint not null'))},
    ${sql.raw(columns('work', ' bigint not null'))},
    primary key (organization_id, hour, project_id, environment_id),
    check (environment_id = '' or project_id <> '')
  ) ${clustered(db)}`,
  sql`create index run_tallies_of_project on run_tallies (project_id, hour)`,
  sql`create index run_tallies_by_age on run_tallies (hour)`,
  // a store of another engine never held runs before this
  ...(isSqlite(db) ? [sql.raw(countStored)] : []),
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements(db)) await statement.execute(db)
}
