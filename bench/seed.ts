/**
 * Fills a store with many runs at once: real ones are created through the API, then copied by the engine, each with new
 * ids and everything that a run leaves behind: journal, steps, checkpoints, stream, events of its Environment, a line
 * of the audit log, and counts. A seeded store equals one in which all these runs were executed.
 */
import { Database } from 'bun:sqlite'
import type { Pointer, StoredFrame } from '../src/runs/stream/frames.ts'
import { newId } from '../storage/ids.ts'
import { countStored } from '../storage/migrations/0019-run-tallies.ts'
import { type DeployedEnvironment, deployAgent } from './environments.ts'
import { Connection, requestBytes } from './http-client.ts'
import { until } from './load.ts'
import { type Expression, id, moved, textWith } from './seeded-text.ts'
import { freshFolder, type Server, startTroupe, storePath } from './server.ts'
import { assistant, getJson, runsPath, startBytes, startRun } from './troupe.ts'

export const summarizer = 'agt_system_summarizer'

/**
 * One run in ten is the summarizer's, and failed; every third of the others is a Project's, the rest the assistant's.
 */
const failedOneIn = 10
const inProjectOneIn = 3
/** The offset of integer ids between consecutive copies. */
const idsPerRun = 1_000
/** The runs are spread over the recent past, none so old that it expires. */
const spreadMs = 28 * 24 * 60 * 60 * 1_000

export interface SeededStore {
  folder: string
  key: string
  /** The place of a part of the runs. */
  place: DeployedEnvironment
}

/**
 * By table: the column with the run's id, and other columns that are not copied unchanged. `copy` has `n`, `id` and
 * `at`.
 */
const copied: Record<string, Record<string, string>> = {
  runs: { id: 'copy.id', created_at: 'copy.at', updated_at: 'copy.at', state_since: 'copy.at' },
  transitions: { actor_id: 'copy.id' },
  run_inputs: { run_id: 'copy.id' },
  agent_steps: {
    run_id: 'copy.id',
    agent_step_id: `original.agent_step_id + copy.n * ${idsPerRun}`,
    parent_agent_step_id: `original.parent_agent_step_id + copy.n * ${idsPerRun}`,
    last_checkpoint_id: `original.last_checkpoint_id + copy.n * ${idsPerRun}`,
  },
  checkpoints: {
    run_id: 'copy.id',
    checkpoint_id: `original.checkpoint_id + copy.n * ${idsPerRun}`,
    agent_step_id: `original.agent_step_id + copy.n * ${idsPerRun}`,
  },
  audit_events: { resource_id: 'copy.id', id: 'copy.audit_id', at: 'copy.at' },
}

/** Creates a store with this many runs in the folder. */
export async function seedStore(folder: string, runs: number): Promise<SeededStore> {
  const server = await startTroupe({ folder })
  const place = await deployAgent(server, 'seeded')
  const originals = await startOriginals(server, place)
  await server.stop()

  const database = new Database(storePath(folder))
  // no other process has it open, and after a power loss it is seeded again
  for (const setting of ['journal_mode = delete', 'journal_mode = off', 'synchronous = off', 'cache_size = -524288']) {
    database.run(`pragma ${setting}`)
  }
  planCopies(database, originals, runs)
  const indexes = takeIndexes(database, 'runs')
  for (const [table, changed] of Object.entries(copied)) copyRows(database, table, changed)
  for (const original of Object.values(originals)) copyStream(database, original)
  copyEvents(database, originals.inProject)
  for (const index of indexes) database.run(index)
  count(database, runs)
  database.close()
  return { folder, key: server.key, place }
}

const seeded = new Map<number, Promise<SeededStore>>()

/** A store with this many runs, created once for all scenarios. */
export function storeOf(runs: number): Promise<SeededStore> {
  const known = seeded.get(runs) ?? seedStore(freshFolder(), runs)
  seeded.set(runs, known)
  return known
}

interface Originals {
  completed: string
  failed: string
  inProject: string
}

/** The copies to make, in the order of creation; `k` numbers those in the Project. */
function planCopies(database: Database, { completed, failed, inProject }: Originals, runs: number) {
  database.run(`create temp table copy (
    n integer primary key, id text not null, at bigint not null, original text not null, audit_id text not null, k integer)`)
  const insert = database.prepare('insert into copy (n, id, at, original, audit_id, k) values (?, ?, ?, ?, ?, ?)')
  const now = Date.now()
  let k = 0
  database.transaction(() => {
    for (let n = 1; n <= runs - 3; n += 1) {
      const at = now - Math.floor(spreadMs * (1 - n / runs))
      const original = n % failedOneIn === 0 ? failed : n % inProjectOneIn === 0 ? inProject : completed
      if (original === inProject) k += 1
      insert.run(n, newId('run', at), at, original, newId('aud', at), original === inProject ? k : null)
    }
  })()
  insert.finalize()
}

/** Drops the indexes of a table; returns the statements that create them again, which is faster when all rows exist. */
function takeIndexes(database: Database, table: string): string[] {
  const indexes = database
    .query<{ name: string; sql: string }, [string]>(
      "select name, sql from sqlite_schema where type = 'index' and sql is not null and tbl_name = ?",
    )
    .all(table)
  for (const { name } of indexes) database.run(`drop index ${name}`)
  return indexes.map(({ sql }) => sql)
}

function copyRows(database: Database, table: string, changed: Record<string, string>) {
  const columns = database.prepare<{ name: string }, []>(`pragma table_info(${table})`).all()
  const names = columns.map(({ name }) => name)
  const values = names.map((name) => changed[name] ?? `original.${name}`)
  const runId = names.find((name) => changed[name] === 'copy.id')
  database.run(
    `create temp table originals as select * from ${table} where ${runId} in (select distinct original from copy)`,
  )
  database.run(`insert into ${table} (${names.join(', ')}) select ${values.join(', ')}
    from copy cross join originals as original on original.${runId} = copy.original order by copy.n`)
  database.run('drop table originals')
}

interface Group {
  first_sequence: number
  last_sequence: number
  frames: string
}

/** Frames point to steps and checkpoints by their ids, and end with the run itself. */
function copyStream(database: Database, original: string) {
  const groups = database
    .prepare<Group, [string]>('select first_sequence, last_sequence, frames from run_events where run_id = ?')
    .all(original)
  for (const { first_sequence, last_sequence, frames } of groups) {
    const text = JSON.stringify((JSON.parse(frames) as StoredFrame[]).map(movable)).replaceAll(original, id('copy.id'))
    database.run(
      `insert into run_events (run_id, first_sequence, last_sequence, frames)
        select id, ${first_sequence}, ${last_sequence}, ${textWith(text)} from copy where original = ? order by n`,
      [original],
    )
  }
}

const later = (integer: number): Expression => moved(`${integer} + copy.n * ${idsPerRun}`)

/** The frame with its ids moved. */
const movable = ([sequence, type, at, attempt, place, pointer]: StoredFrame) => [
  sequence,
  type,
  at,
  attempt,
  place && [later(place[0]), place[1]],
  movedPointer(pointer),
]

/** A pointer as it is stored. */
function movedPointer(pointer: Pointer | readonly unknown[] | number): unknown {
  if (typeof pointer === 'number') return later(pointer)
  if (Array.isArray(pointer)) {
    // the end of a step: five counts, then its last checkpoint
    const isEnd = typeof pointer[0] === 'number' && typeof pointer[5] === 'number'
    return isEnd ? pointer.with(5, later(pointer[5])) : pointer
  }
  const named = pointer as Pointer
  if ('step' in named) return { ...named, step: later(named.step) }
  return 'checkpoint' in named ? { checkpoint: later(named.checkpoint) } : named
}

interface EventRow {
  environment_id: string
  sequence: number
  id: string
  type: string
  body: string
}

/** The events of a Project's run are the last ones of its Environment; those of copies follow. */
function copyEvents(database: Database, original: string) {
  const events = database
    .prepare<EventRow, [string]>('select * from environment_events where instr(body, ?) > 0 order by sequence')
    .all(original)
  for (const [number, { environment_id, sequence, id: eventId, type, body }] of events.entries()) {
    const next = `${sequence} + copy.k * ${events.length}`
    // as unique as the run's own, and in order
    const newEventId = `'evt_' || substr(copy.id, 5, 25) || '${number}'`
    const text = JSON.stringify({ ...JSON.parse(body), sequence: moved(next) })
      .replaceAll(original, id('copy.id'))
      .replaceAll(eventId, id(newEventId))
    database.run(
      `insert into environment_events (environment_id, sequence, id, type, body, at)
        select '${environment_id}', ${next}, ${newEventId}, '${type}', ${textWith(text)}, copy.at
        from copy where original = ? order by n`,
      [original],
    )
  }
  database.run(`update environment_sequences set sequence =
    (select max(sequence) from environment_events where environment_id = environment_sequences.environment_id)`)
}

/** The other counts of ended runs. The store itself counts states. */
function count(database: Database, runs: number) {
  database.run('delete from run_tallies')
  database.run(countStored)
  database.run('update counters set next = next + ?', [runs * idsPerRun])
  database.run('update run_counts set stored_bytes = (select sum(counted_bytes) from runs)')
  const times = runs / 3
  for (const table of ['usage_counters', 'usage_shares']) {
    database.run(`update ${table} set runs_started = runs_started * ${times}, runs_completed = runs_completed * ${times},
      runs_failed = runs_failed * ${times}, input_tokens = input_tokens * ${times}, output_tokens = output_tokens * ${times}`)
  }
}

/** A completed run of the assistant, a failed one of the summarizer, a completed one of the Project's Agent. */
async function startOriginals(server: Server, { agentId, environmentId }: DeployedEnvironment): Promise<Originals> {
  const connection = await Connection.open(server.port)
  const inProject = requestBytes('POST', runsPath, {
    key: server.key,
    body: { agentId, environmentId, query: 'How are you?' },
  })
  const originals = {
    completed: await startRun(connection, startBytes(server.key, 'How are you?', assistant)),
    failed: await startRun(connection, startBytes(server.key, '/fail No words for this.', summarizer)),
    inProject: await startRun(connection, inProject),
  }
  for (const [what, runId] of Object.entries(originals)) {
    await until(`the run ${what}`, 10_000, async () => {
      const { data } = await getJson<{ data: { state: string } }>(server, `${runsPath}/${runId}`)
      return data.state === (what === 'failed' ? 'failed' : 'completed')
    })
  }
  connection.close()
  return originals
}
