/** Rows written directly to a store, and all occurrences of an id in a store. */
import { Database } from 'bun:sqlite'
import { createRunMachine, type RunContext } from '../../../machines/run.ts'
import { begin } from '../../../src/runtime/decisions/decide.ts'
import { compile } from '../../../src/runtime/decisions/table.ts'
import { newId } from '../../../storage/ids.ts'

export const liveStates = [
  'queued',
  'acquiring',
  'starting',
  'running',
  'awaitingToolResult',
  'awaitingDelegateResult',
  'canceling',
] as const
export const endedStates = ['completed', 'failed', 'canceled', 'expired'] as const
export type RunState = (typeof liveStates)[number] | (typeof endedStates)[number]

const attempted: readonly RunState[] = ['acquiring', 'starting', 'running', 'canceling']
const born = begin(compile(createRunMachine()), { maxRetries: 0, at: 1 }).context as unknown as RunContext

interface RunPlace {
  organizationId: string
  projectId?: string | null
  environmentId?: string | null
  agentId: string
  agentRevisionId?: string
}

/** Opens the file while the server uses it. */
export function openFile(file: string): Database {
  const database = new Database(file)
  database.run('pragma busy_timeout = 5000')
  database.run('pragma foreign_keys = on')
  return database
}

type Row = Record<string, string | number | null>

export function insert(database: Database, table: string, row: Row): void {
  const columns = Object.keys(row)
  database
    .query(`insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`)
    .run(...Object.values(row))
}

let integers = 1_000_000

/** A run in this state with a row in every table of runs; returns its id. */
export function insertRun(database: Database, place: RunPlace, state: RunState, events = 1): string {
  const id = newId('run')
  const lease = attempted.includes(state)
    ? { attemptId: newId('att'), machine: `elsewhere#${id}`, fencingToken: 7 }
    : null
  const stepId = integers++
  const at = Date.now()
  insert(database, 'runs', {
    id,
    organization_id: place.organizationId,
    project_id: place.projectId ?? null,
    environment_id: place.environmentId ?? null,
    agent_id: place.agentId,
    agent_revision_id: place.agentRevisionId ?? newId('agr'),
    created_by_type: 'apiKey',
    created_by_id: newId('key'),
    state,
    version: 3,
    machine_version: '1',
    context: JSON.stringify({ ...born, attempt: lease ? 1 : 0, lease }),
    binding: JSON.stringify({ provider: 'sandbox', model: 'sandbox', reasoningBudget: null, credential: 'platform' }),
    input_digest: `sha256:${'0'.repeat(64)}`,
    runtime_version: '0',
    retention_expires_at: at + 1e9,
    available_at: at,
    last_activity_kind: 'start',
    last_activity_at: at,
    created_at: at,
    updated_at: at,
    due_timer: 'cancelDeadline',
    due_at: at + 86_400_000,
  })
  insert(database, 'run_inputs', { run_id: id, chain: 1, body: '{"query":"Hello","contents":[]}', created_at: at })
  insert(database, 'transitions', {
    kind: 'run',
    actor_id: id,
    sequence: 1,
    from_state: null,
    to_state: state,
    event: 'start',
    by_type: 'system',
    by_id: 'troupe',
    attempt: 0,
    at,
    stream_sequence: 1,
  })
  insert(database, 'effects', {
    id: crypto.randomUUID(),
    kind: 'run',
    actor_id: id,
    name: 'none',
    params: 'null',
    due_at: at + 86_400_000,
    attempts: 0,
  })
  for (let sequence = 2; sequence < 2 + events; sequence += 1) {
    insert(database, 'run_events', { run_id: id, first_sequence: sequence, last_sequence: sequence, frames: '[]' })
  }
  insert(database, 'agent_steps', {
    agent_step_id: stepId,
    run_id: id,
    kind: 'agent',
    name: 'Agent',
    status: 'completed',
    attempt: 1,
    agent: '{}',
    execution: '{}',
    token_usage: '{}',
    started_at: at,
    created_at: at,
    updated_at: at,
  })
  insert(database, 'checkpoints', {
    checkpoint_id: integers++,
    run_id: id,
    agent_step_id: stepId,
    attempt: 1,
    sequence: 1,
    kind: 'step',
    digest: 'sha256:0',
    size_bytes: 2,
    messages: '[]',
    message_count: 0,
    remainder: '{}',
    created_at: at,
  })
  insert(database, 'call_results', { run_id: id, tool_call_id: 'call_1', outcome: '{}', created_at: at })
  return id
}

export function insertAgent(database: Database, place: { organizationId: string; projectId: string }, slug: string) {
  const [id, revisionId, at] = [newId('agt'), newId('agr'), Date.now()]
  const whose = { organization_id: place.organizationId, created_at: at }
  insert(database, 'agents', {
    id,
    ...whose,
    project_id: place.projectId,
    slug,
    name: slug,
    status: 'active',
    latest_revision_id: revisionId,
    updated_at: at,
  })
  insert(database, 'agent_revisions', {
    id: revisionId,
    ...whose,
    agent_id: id,
    number: 1,
    content: '{"instructions":"Help."}',
    content_digest: `sha256:${'0'.repeat(64)}`,
    granted_operations: '[]',
    created_by_type: 'user',
    created_by_id: newId('usr'),
  })
  return { id, revisionId }
}

/** The number of occurrences of these ids in each text column: `table.column`. */
export function traces(database: Database, ids: readonly string[]): Record<string, number> {
  const found: Record<string, number> = {}
  const tables = database
    .query<{ name: string }, []>("select name from sqlite_master where type = 'table' and name not like 'sqlite_%'")
    .all()
  for (const { name: table } of tables) {
    const columns = database.query<{ name: string; type: string }, []>(`pragma table_info(${table})`).all()
    for (const { name: column, type } of columns) {
      if (!/text/i.test(type)) continue
      const texts = database.query<{ text: string | null }, []>(`select ${column} as text from ${table}`).all()
      const count = texts.filter(({ text }) => text !== null && ids.some((id) => text.includes(id))).length
      if (count > 0) found[`${table}.${column}`] = count
    }
  }
  return found
}

/** The same without the bill, on which an active run stays with its Agent and its Project. */
export const tracesOffTheBill = (database: Database, ids: readonly string[]): Record<string, number> =>
  Object.fromEntries(Object.entries(traces(database, ids)).filter(([place]) => !place.startsWith('usage_shares.')))
