/** Large amounts of data, written directly into the store: steps of a run, runs of an organization. */
import { Database } from 'bun:sqlite'
import { countStored } from '../../../storage/migrations/0019-run-tallies.ts'

/** Ids of copies, disjoint from those that the server generates. */
const idsFrom = 1_000_000_000

const columnsOf = (database: Database, table: string) =>
  database
    .query<{ name: string }, []>(`pragma table_info(${table})`)
    .all()
    .map(({ name }) => name)

interface Copies {
  count: number
  /** The time between two copies. */
  everyMs: number
}

/**
 * Copies one row as often as requested: `numbers` counts from 1, `changed` has expressions for the columns that differ
 * from the original. One statement: a hundred thousand rows take about a second.
 */
function copy(file: string, table: string, where: string, id: string, copies: Copies, changed: Record<string, string>) {
  const database = new Database(file)
  try {
    database.run('pragma busy_timeout = 5000')
    const columns = columnsOf(database, table)
    const values = columns.map((name) => changed[name] ?? `original.${name}`)
    database
      .query(
        `with recursive numbers (n, at) as (
           select 1, $now - $everyMs union all select n + 1, $now - (n + 1) * $everyMs from numbers where n < $count
         )
         insert into ${table} (${columns.join(', ')}) select ${values.join(', ')}
         from numbers, (select * from ${table} where ${where} limit 1) as original`,
      )
      .run({ $id: id, $now: Date.now(), $count: copies.count, $everyMs: copies.everyMs })
  } finally {
    database.close()
  }
}

/** Adds this many model steps to the run, each a millisecond after the previous one. */
export function addSteps(file: string, runId: string, count: number): void {
  const later = (column: string) => `original.${column} + numbers.n`
  copy(
    file,
    'agent_steps',
    `run_id = $id and kind = 'model'`,
    runId,
    { count, everyMs: 1 },
    {
      agent_step_id: `${idsFrom} + numbers.n`,
      name: `'step ' || numbers.n`,
      started_at: later('started_at'),
      ended_at: later('started_at'),
      created_at: later('created_at'),
      updated_at: later('updated_at'),
    },
  )
}

const digits = '0123456789abcdefghjkmnpqrstvwxyz'
/** A number as this many base32 digits. */
const base32 = (number: string, length: number) =>
  Array.from(
    { length },
    (_, place) => `substr('${digits}', ((${number} >> ${5 * (length - 1 - place)}) & 31) + 1, 1)`,
  ).join(' || ')
/** A TypeID for the time `at`: ten digits of time, the original's random digits, and five that make copies unique. */
const idOfCopy = `'run_' || ${base32('numbers.at', 10)} || substr(original.id, 15, 11) || ${base32('numbers.n', 5)}`

/** Adds this many runs like the given one, the newest first, each this long before the next. */
export function addRuns(file: string, runId: string, count: number, everyMs = 60_000): void {
  const moved = (instant: string) => `${instant} - original.created_at + numbers.at`
  const inContext = (name: string) => moved(`json_extract(original.context, '$.${name}')`)
  copy(
    file,
    'runs',
    'id = $id',
    runId,
    { count, everyMs },
    {
      id: idOfCopy,
      context: `json_set(original.context, '$.startedAt', ${inContext('startedAt')}, '$.endedAt', ${inContext('endedAt')})`,
      created_at: 'numbers.at',
      updated_at: moved('original.updated_at'),
    },
  )
  const database = new Database(file)
  database.run('pragma busy_timeout = 5000')
  database.transaction(() => {
    database.run('delete from run_tallies')
    database.run(countStored)
  })()
  database.close()
}
