/** Runs: their rows, inputs and stream. Lists, the queue, call results, steps and checkpoints are in separate files. */
import { sql } from 'kysely'
import { rowsOf } from '../rows.ts'
import { firstEntry, lastTransition } from '../runtime/journal.ts'
import { query, together, write, writeTexts } from '../statement.ts'
import type { Store, Write } from '../store.ts'
import type { RunEventsRow, RunInputRow, RunRow, RunTimer } from '../tables.ts'

const runs = rowsOf('runs', 'id')
const runInputs = rowsOf('run_inputs', 'run_id', 'chain')

type TimerColumns = { due_timer: string | null; due_at: number | null }
const timerColumns = (timer: RunTimer | null): TimerColumns => ({
  due_timer: timer?.name ?? null,
  due_at: timer?.dueAt ?? null,
})

export const insertRun = together(
  'rows',
  write((db, row: RunRow & Partial<TimerColumns>) => db.insertInto('runs').values(row)),
)

// Conditions checked at commit: each is an UPDATE that must match no row, a lookup by key. As a SELECT within the
// INSERT, they would double the cost of the row.
// The row of a deletion exists from its start, and outlives every request.
export const noneGoing = together(
  'rows',
  write(
    (db, place: Pick<RunRow, 'organization_id' | 'project_id' | 'agent_id'>) =>
      db
        .updateTable('deletions')
        .set({ updated_at: sql<number>`updated_at` })
        .where('id', 'in', [place.organization_id, place.project_id, place.agent_id] as string[]),
    0,
  ),
)
export const projectAdmits = together(
  'rows',
  write(
    (db, { project_id }: { project_id: string }) =>
      db
        .updateTable('projects')
        .set({ status: sql<'active'>`status` })
        .where('id', '=', project_id)
        .where('status', '<>', 'active'),
    0,
  ),
)
export const stillActive = together(
  'rows',
  write(
    (db, { environment_id, deployment_id }: { environment_id: string; deployment_id: string }) =>
      db
        .updateTable('environments')
        .set({ state: sql<string>`state` })
        .where('id', '=', environment_id)
        .where('active_deployment_id', 'is distinct from', deployment_id),
    0,
  ),
)

/** The place of new work. */
type WorkPlace = Pick<RunRow, 'organization_id' | 'project_id' | 'environment_id' | 'deployment_id' | 'agent_id'> &
  Partial<Pick<RunRow, 'forked_from'>>

/**
 * Fails the unit of work with `StaleWrite` if the organization, the Project or the Agent is being deleted or gone, the
 * Project is paused, or another Deployment has become active (not for a fork, which keeps its source's Deployment).
 */
export function admission(store: { db: Store['db'] }, place: WorkPlace): Write[] {
  const { project_id, environment_id, deployment_id, forked_from = null } = place
  const guards = [noneGoing(store, place)]
  if (project_id !== null) guards.push(projectAdmits(store, { project_id }))
  if (environment_id !== null && deployment_id !== null && forked_from === null) {
    guards.push(stillActive(store, { environment_id, deployment_id }))
  }
  return guards
}

/** The same for an ended run that goes on, and keeps its Deployment. */
export const admitTurn = (store: { db: Store['db'] }, row: Omit<WorkPlace, 'deployment_id'>): Write[] =>
  admission(store, { ...row, deployment_id: null })

/**
 * Inserts a run; `StaleWrite` as for `admission`, which is checked once for runs that start together in one place. The
 * run of an operation call (`ofCall`) is part of work that was admitted: nothing may be being deleted, no more.
 */
export function admitRun(
  store: { db: Store['db'] },
  row: RunRow,
  timer: RunTimer | null,
  { ofCall = false }: { ofCall?: boolean | undefined } = {},
): Write[] {
  const { organization_id, project_id, environment_id, deployment_id, agent_id } = row
  const once = `${organization_id} ${project_id} ${environment_id} ${deployment_id} ${agent_id}`
  const guards = ofCall ? [noneGoing(store, row)] : admission(store, row)
  return [...guards.map((guard) => ({ ...guard, once })), insertRun(store, { ...row, ...timerColumns(timer) })]
}

const changed = [
  'binding',
  'output_digest',
  'available_at',
  'reserved_ms',
  'reserved_in',
  'counted_bytes',
  'last_activity_kind',
  'last_activity_at',
] as const
const keepTimer = together('rows', runs.move(...changed))
const moveTimer = together('rows', runs.move(...changed, 'due_timer', 'due_at'))

/** Updates a run at version `from`, otherwise `StaleWrite`. An omitted `timer` keeps the timer; null removes it. */
export const updateRun = (store: Pick<Store, 'db'>, row: RunRow & { from: number }, timer?: RunTimer | null): Write =>
  timer === undefined ? keepTimer(store, row) : moveTimer(store, { ...row, ...timerColumns(timer) })

/** Any run, for the runtime; a request looks it up with its organization. */
export const getRun = runs.find()

export const insertRunInput = together(
  'rows',
  writeTexts(
    (db, row: Omit<RunInputRow, 'artifact_digest' | 'artifact_bytes'>) => db.insertInto('run_inputs').values(row),
    ({ run_id }) => run_id,
  ),
)

export const getRunInput = runInputs.only('body').find()

/** The digest and size of the checkpoint made from a run's first input, if already computed. */
export const getInputArtifact = query((db, values: { runId: string }) =>
  db
    .selectFrom('run_inputs')
    .select(['artifact_digest', 'artifact_bytes'])
    .where('run_id', '=', values.runId)
    .where('chain', '=', 1),
)

export const keepInputArtifact = write((db, values: { runId: string; digest: string; bytes: number }) =>
  db
    .updateTable('run_inputs')
    .set({ artifact_digest: values.digest, artifact_bytes: values.bytes })
    .where('run_id', '=', values.runId)
    .where('chain', '=', 1),
)

/** The first input of the chains between two chains, both exclusive. */
export const nextRunInput = query((db, values: { runId: string; after: number; before: number }) =>
  db
    .selectFrom('run_inputs')
    .select(['chain', 'body'])
    .where('run_id', '=', values.runId)
    .where('chain', '>', values.after)
    .where('chain', '<', values.before)
    .orderBy('chain')
    .limit(1),
)

export const insertRunEvents = together(
  'rows',
  writeTexts(
    (db, row: RunEventsRow) => db.insertInto('run_events').values(row),
    ({ run_id }) => run_id,
  ),
)

const runEvents = rowsOf('run_events', 'run_id', 'first_sequence')
const lastGroup = runEvents.only('last_sequence').latest('first_sequence', 'run_id')

/** The last frame group of the run's stream. */
export const lastFrames = runEvents.only('frames').latest('first_sequence', 'run_id')

/** The last sequence number of the run's stream, which the journal and the frame groups share; 0 if it is empty. */
export async function lastStreamSequence(store: Store, runId: string): Promise<number> {
  const [group, transition] = await Promise.all([
    store.first(lastGroup(store, { runId })),
    store.first(lastTransition(store, { kind: 'run', actorId: runId })),
  ])
  return Math.max(group?.last_sequence ?? 0, transition?.stream_sequence ?? 0)
}

const lastContinue = query((db, values: { runId: string }) =>
  db
    .selectFrom('transitions')
    .select(['sequence', 'at'])
    .where('actor_id', '=', values.runId)
    .where('kind', '=', 'run')
    .where('event', '=', 'continue')
    .where('to_state', '=', 'queued')
    .orderBy('sequence', 'desc')
    .limit(1),
)

/** When the run was last continued, and when it first became `running` since then; null if that has not happened. */
export async function chainTimes(
  store: Store,
  runId: string,
): Promise<{ openedAt: number | null; begunAt: number | null }> {
  const opening = await store.first(lastContinue(store, { runId }))
  const after = opening?.sequence ?? 0
  const begunAt = await firstEntry(store, { kind: 'run', actorId: runId, after, state: 'running' })
  return { openedAt: opening?.at ?? null, begunAt: begunAt ?? null }
}

/** Frame groups that extend beyond a sequence number, ascending. */
export const listRunEvents = query((db, values: { runId: string; after: number; lowest: number; limit: number }) =>
  db
    .selectFrom('run_events')
    .select(['first_sequence', 'last_sequence', 'frames'])
    .where('run_id', '=', values.runId)
    .where('last_sequence', '>', values.after)
    // Bounds the key scan; `lowest` is `after - groupSizeMax`: no group up to there extends beyond `after`.
    .where('first_sequence', '>', values.lowest)
    .orderBy('first_sequence')
    .limit(values.limit),
)

/** The maximum number of frames written by a unit of work; larger ones are split. */
export const groupSizeMax = 1_000
