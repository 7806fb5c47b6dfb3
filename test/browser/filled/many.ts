/** More than anybody makes by hand, written straight into the store: steps of a run, runs of an organization. */
import { Database } from 'bun:sqlite'
import { newId } from '../../../storage/ids.ts'

/** Ids of copies, far from those that the server gives. */
const idsFrom = 1_000_000_000

const columnsOf = (database: Database, table: string) =>
  database
    .query<{ name: string }, []>(`pragma table_info(${table})`)
    .all()
    .map(({ name }) => name)

/** `insert into … select …` of one row as often as there are rows in `numbers`; `changed` has expressions over them. */
function copy(database: Database, table: string, changed: Record<string, string>, where: string, id: string) {
  const columns = columnsOf(database, table)
  const values = columns.map((name) => changed[name] ?? `original.${name}`)
  const from = `from numbers, (select * from ${table} where ${where} limit 1) as original`
  database.query(`insert into ${table} (${columns.join(', ')}) select ${values.join(', ')} ${from}`).run(id)
}

function inStore(
  file: string,
  { count, everyMs }: { count: number; everyMs: number },
  work: (database: Database) => void,
): void {
  const database = new Database(file)
  try {
    database.run('pragma busy_timeout = 5000')
    database.run('create temp table numbers (n integer primary key, id text not null, at bigint not null)')
    const insert = database.prepare('insert into numbers (n, id, at) values (?, ?, ?)')
    database.transaction(() => {
      // the newest first
      for (let n = 1; n <= count; n += 1) {
        const at = Date.now() - n * everyMs
        insert.run(n, newId('run', at), at)
      }
      work(database)
    })()
    insert.finalize()
  } finally {
    database.close()
  }
}

/** So many model steps more in the run, each a millisecond after the one before. */
export const addSteps = (file: string, runId: string, count: number): void =>
  inStore(file, { count, everyMs: 1 }, (database) => {
    const later = (column: string) => `original.${column} + numbers.n`
    copy(
      database,
      'agent_steps',
      {
        agent_step_id: `${idsFrom} + numbers.n`,
        name: `'step ' || numbers.n`,
        started_at: later('started_at'),
        ended_at: later('started_at'),
        created_at: later('created_at'),
        updated_at: later('updated_at'),
      },
      `run_id = ? and kind = 'model'`,
      runId,
    )
  })

/** So many runs more, like this one, each so long before the next. */
export const addRuns = (file: string, runId: string, count: number, everyMs = 60_000): void =>
  inStore(file, { count, everyMs }, (database) => {
    const moved = (instant: string) => `${instant} - original.created_at + numbers.at`
    const inContext = (name: string) => moved(`json_extract(original.context, '$.${name}')`)
    const changed = {
      id: 'numbers.id',
      context: `json_set(original.context, '$.startedAt', ${inContext('startedAt')}, '$.endedAt', ${inContext('endedAt')})`,
      created_at: 'numbers.at',
      updated_at: moved('original.updated_at'),
    }
    copy(database, 'runs', changed, 'id = ?', runId)
  })
