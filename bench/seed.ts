/**
 * Fills a store with many runs in one go: real ones are made through the API, then copied row by row with ids of their
 * own. A store that was seeded cannot be told from one in which all these runs were run.
 */
import { Database } from 'bun:sqlite'
import type { StoredFrame } from '../src/runs/frames.ts'
import { newId } from '../storage/ids.ts'
import { countStored } from '../storage/migrations/0019-run-tallies.ts'
import { Connection } from './http-client.ts'
import { until } from './load.ts'
import { type Server, startTroupe, storePath } from './server.ts'
import { assistant, getJson, runsPath, startBytes, startRun } from './troupe.ts'

export const summarizer = 'agt_system_summarizer'

/** One run in so many is one of the summarizer's, and failed; all others are the assistant's, and completed. */
const failedOneIn = 10
/** Integer ids of a copy are those of its original and so many more for each copy before. */
const idsPerRun = 1_000
/** The runs are spread over the time before now. */
const spreadMs = 30 * 24 * 60 * 60 * 1_000

/** Per table: the column with the run's id, and what else is not copied as it is. `copy` has `n`, `id` and `at`. */
const copied: Record<string, Record<string, string>> = {
  runs: { id: 'copy.id', created_at: 'copy.at', updated_at: 'copy.at' },
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
}

/** Makes a store in the folder that holds so many runs. Returns the API key of it. */
export async function seedStore(folder: string, runs: number): Promise<string> {
  const server = await startTroupe({ folder })
  const [completed, failed] = await originals(server)
  await server.stop()

  const database = new Database(storePath(folder))
  database.run(
    'create temp table copy (n integer primary key, id text not null, at bigint not null, original text not null)',
  )
  const insert = database.prepare('insert into copy (n, id, at, original) values (?, ?, ?, ?)')
  const now = Date.now()
  database.transaction(() => {
    for (let n = 1; n <= runs - 2; n += 1) {
      const at = now - Math.floor(spreadMs * (1 - n / runs))
      insert.run(n, newId('run', at), at, n % failedOneIn === 0 ? failed : completed)
    }
    for (const [table, changed] of Object.entries(copied)) copyRows(database, table, changed)
    for (const original of [completed, failed]) copyStream(database, original)
    database.run('delete from run_tallies')
    database.run(countStored)
    database.run('update counters set next = next + ?', [runs * idsPerRun])
  })()
  insert.finalize()
  database.run('pragma wal_checkpoint(truncate)')
  database.close()
  return server.key
}

function copyRows(database: Database, table: string, changed: Record<string, string>) {
  const columns = database.prepare<{ name: string }, []>(`pragma table_info(${table})`).all()
  const names = columns.map(({ name }) => name)
  const values = names.map((name) => changed[name] ?? `original.${name}`)
  const runId = names.find((name) => changed[name] === 'copy.id')
  database.run(
    `insert into ${table} (${names.join(', ')}) select ${values.join(', ')} from copy join ${table} as original on original.${runId} = copy.original`,
  )
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
    .map((group) => ({ ...group, frames: JSON.parse(group.frames) as StoredFrame[] }))
  const copies = database
    .prepare<{ n: number; id: string }, [string]>('select n, id from copy where original = ?')
    .all(original)
  const insert = database.prepare(
    'insert into run_events (run_id, first_sequence, last_sequence, frames) values (?, ?, ?, ?)',
  )
  for (const { n, id } of copies) {
    for (const { first_sequence, last_sequence, frames } of groups) {
      const text = JSON.stringify(frames.map((frame) => moved(frame, n * idsPerRun)))
      insert.run(id, first_sequence, last_sequence, text.replaceAll(original, id))
    }
  }
  insert.finalize()
}

function moved([sequence, type, at, attempt, place, pointer]: StoredFrame, by: number): StoredFrame {
  const movedPointer =
    'step' in pointer
      ? { step: pointer.step + by }
      : 'checkpoint' in pointer
        ? { checkpoint: pointer.checkpoint + by }
        : pointer
  return [sequence, type, at, attempt, place && [place[0] + by, place[1]], movedPointer]
}

/** A completed run of the assistant and a failed one of the summarizer. */
async function originals(server: Server): Promise<[completed: string, failed: string]> {
  const connection = await Connection.open(server.port)
  const completed = await startRun(connection, startBytes(server.key, 'How are you?', assistant))
  const failed = await startRun(connection, startBytes(server.key, '/fail No words for this.', summarizer))
  for (const [id, state] of [
    [completed, 'completed'],
    [failed, 'failed'],
  ]) {
    await until(`the ${state} run`, 10_000, async () => {
      const { data } = await getJson<{ data: { state: string } }>(server, `${runsPath}/${id}`)
      return data.state === state
    })
  }
  connection.close()
  return [completed, failed]
}
