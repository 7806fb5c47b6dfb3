/**
 * Events for steps of workflows, and the steps that wait for them. Which of the two comes first is decided in the unit of
 * work that stores it, since units of an organization commit one after another: an event is given to the waits that
 * there are, or kept; a wait takes the oldest event that is kept. A run that was given an event looks at it afterwards: if
 * it is canceled or fails before, and no other run has or took the event, it is passed on. Source: contract 14,
 * "Workflows".
 */
import { type SelectQueryBuilder, sql } from 'kysely'
import { activeEnvironment } from '../active-parents.ts'
import { insertFrom, rowsOf } from '../rows.ts'
import { query, write } from '../statement.ts'
import type { Store, Write } from '../store.ts'
import type { Tables, WorkflowEventRow, WorkflowWaitRow } from '../tables.ts'

const waits = rowsOf('workflow_waits', 'workflow_run_id', 'step_id')

// Literals: a partial index serves a query only if the text implies the index's condition.
const isOpen = sql<boolean>`event_id is null`
const isGiven = sql<boolean>`event_id is not null`
const isKept = sql<boolean>`is_kept = 1`

/** Gives the event to every wait for it. */
const giveToWaits = write(
  (db, values: Pick<WorkflowEventRow, 'id' | 'environment_id' | 'event' | 'correlation'> & { at: number }) =>
    db
      .updateTable('workflow_waits')
      .set({ event_id: values.id })
      .where('environment_id', '=', values.environment_id)
      .where('event', '=', values.event)
      .where('correlation', '=', values.correlation)
      .where(isOpen)
      // the time of the others has passed, and only their runs do not know it yet
      .where('until_at', '>', values.at),
)

const insertRow = write(
  (db, row: WorkflowEventRow) => insertFrom(db, 'workflow_events', row, activeEnvironment(db, row)),
  1,
)

const keepUnlessGiven = write((db, values: { id: string }) =>
  db
    .updateTable('workflow_events')
    .set({ is_kept: 1 })
    .where('id', '=', values.id)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('workflow_waits').select('step_id').where('event_id', '=', values.id).where(isGiven))),
    ),
)

const effectColumns = ['id', 'kind', 'actor_id', 'name', 'params', 'due_at', 'attempts'] as const

/** One effect for each of these waits: its run looks at the step again, also after a crash. */
const looksOf = (waits: SelectQueryBuilder<Tables, 'workflow_waits', object>, at: number) =>
  waits
    .select(({ val }) => [
      sql<string>`event_id || '.' || workflow_run_id || '.' || step_id`.as('id'),
      sql<string>`'workflow-run'`.as('kind'),
      'workflow_run_id as actor_id',
      sql<string>`'beginSteps'`.as('name'),
      // ids of steps have no quotes
      sql<string>`'{"steps":[{"stepId":"' || step_id || '","attempt":' || cast(attempt as text) || '}]}'`.as('params'),
      sql<number>`cast(${val(at)} as bigint)`.as('due_at'),
      sql<number>`0`.as('attempts'),
    ])
    .where(isGiven)

const tellRuns = write((db, values: { id: string; at: number }) =>
  db
    .insertInto('effects')
    .columns(effectColumns)
    .expression(({ selectFrom }) => looksOf(selectFrom('workflow_waits').where('event_id', '=', values.id), values.at)),
)

/** Stores an event. `StaleWrite` if its Environment is being deleted. */
export const insertWorkflowEvent = (store: Store, row: Omit<WorkflowEventRow, 'is_kept' | 'is_taken'>): Write[] => {
  const { id, created_at: at } = row
  return [
    giveToWaits(store, { ...row, at }),
    insertRow(store, { ...row, is_kept: 0, is_taken: 0 }),
    keepUnlessGiven(store, { id }),
    tellRuns(store, { id, at }),
  ]
}

/** The waits that were given the event. */
export const listWaitsGiven = query((db, values: { eventId: string }) =>
  db
    .selectFrom('workflow_waits')
    .select(['workflow_run_id', 'step_id', 'attempt'])
    .where('event_id', '=', values.eventId)
    .where(isGiven),
)

/** One row for each step that waits for this event, at most `limit`. */
export const listOpenWaits = query(
  (db, values: Pick<WorkflowWaitRow, 'environment_id' | 'event' | 'correlation'> & { limit: number }) =>
    db
      .selectFrom('workflow_waits')
      .select('step_id')
      .where('environment_id', '=', values.environment_id)
      .where('event', '=', values.event)
      .where('correlation', '=', values.correlation)
      .where(isOpen)
      .limit(values.limit),
)

const insertWait = waits.insert()
const deleteWait = waits.remove()

const takeKept = write((db, values: WorkflowWaitRow & { since: number }) =>
  db
    .updateTable('workflow_waits')
    .set(({ selectFrom }) => ({
      event_id: selectFrom('workflow_events')
        .select('id')
        .where('environment_id', '=', values.environment_id)
        .where('event', '=', values.event)
        .where('correlation', '=', values.correlation)
        .where(isKept)
        .where('created_at', '>', values.since)
        .orderBy('id')
        .limit(1),
    }))
    .where('workflow_run_id', '=', values.workflow_run_id)
    .where('step_id', '=', values.step_id),
)

const markTaken = write((db, values: Pick<WorkflowWaitRow, 'workflow_run_id' | 'step_id'>) =>
  db
    .updateTable('workflow_events')
    .set({ is_kept: 0 })
    .where('id', '=', ({ selectFrom }) =>
      selectFrom('workflow_waits')
        .select('event_id')
        .where('workflow_run_id', '=', values.workflow_run_id)
        .where('step_id', '=', values.step_id)
        .$castTo<string>(),
    ),
)

/** Stores the wait of a step, in place of one of an earlier attempt, and gives it the oldest event kept `since`. */
export const insertWorkflowWait = (store: Store, row: WorkflowWaitRow, since: number): Write[] => [
  deleteWait(store, { workflowRunId: row.workflow_run_id, stepId: row.step_id }),
  insertWait(store, row),
  takeKept(store, { ...row, since }),
  markTaken(store, row),
]

type WaitKey = { workflowRunId: string; stepId: string }

/** The event that a wait was given. */
const givenTo = (db: Pick<Store['db'], 'selectFrom'>, { workflowRunId, stepId }: WaitKey) =>
  db
    .selectFrom('workflow_waits')
    .select('event_id')
    .where('workflow_run_id', '=', workflowRunId)
    .where('step_id', '=', stepId)
    .$castTo<string>()

/** The other waits that were given the same event. */
const othersGiven = (db: Pick<Store['db'], 'selectFrom'>, wait: WaitKey) =>
  db
    .selectFrom('workflow_waits as other')
    .where('other.event_id', '=', givenTo(db, wait))
    .where(sql<boolean>`other.event_id is not null`)
    .where(({ eb, or }) =>
      or([eb('other.workflow_run_id', '!=', wait.workflowRunId), eb('other.step_id', '!=', wait.stepId)]),
    )

/** The same, if it is kept again. */
const keptOf = (db: Pick<Store['db'], 'selectFrom'>, wait: WaitKey) =>
  db.selectFrom('workflow_events').select('id').where('id', '=', givenTo(db, wait)).where(isKept)

const noteTaken = write((db, values: WaitKey) =>
  db.updateTable('workflow_events').set({ is_taken: 1 }).where('id', '=', givenTo(db, values)),
)

/** Keeps the event of the wait if no other wait took it, or has it. */
const keepAgain = write((db, values: WaitKey) =>
  db
    .updateTable('workflow_events')
    .set({ is_kept: 1 })
    .where('id', '=', givenTo(db, values))
    .where('is_taken', '=', 0)
    .where(({ not, exists }) => not(exists(othersGiven(db, values).select('other.step_id')))),
)

const giveKeptToWaits = write((db, values: WaitKey & Awaited) =>
  db
    .updateTable('workflow_waits')
    .set({ event_id: keptOf(db, values) })
    .where('environment_id', '=', values.environmentId)
    .where('event', '=', values.event)
    .where('correlation', '=', values.correlation)
    .where(isOpen)
    .where('until_at', '>', values.at)
    .where(({ exists }) => exists(keptOf(db, values))),
)

const tellOthers = write((db, values: WaitKey & Pick<Awaited, 'at'>) =>
  db
    .insertInto('effects')
    .columns(effectColumns)
    .expression(
      looksOf(
        db
          .selectFrom('workflow_waits')
          .where('event_id', '=', keptOf(db, values))
          .where(({ eb, or }) =>
            or([eb('workflow_run_id', '!=', values.workflowRunId), eb('step_id', '!=', values.stepId)]),
          ),
        values.at,
      ),
    )
    // one of an earlier attempt that was given the same event
    .onConflict((conflict) => conflict.doNothing()),
)

const keepNoLonger = write((db, values: WaitKey) =>
  db
    .updateTable('workflow_events')
    .set({ is_kept: 0 })
    .where('id', '=', keptOf(db, values))
    .where(({ exists }) => exists(othersGiven(db, values).select('other.step_id'))),
)

/** What a step waits for, and the time at which it no longer does. */
interface Awaited {
  environmentId: string
  event: string
  correlation: string
  at: number
}

/** Ends the wait of a step by the event that it was given. */
export const takeWorkflowEvent = (store: Store, wait: WaitKey): Write[] => [
  noteTaken(store, wait),
  deleteWait(store, wait),
]

/**
 * Ends the wait of a step without an event. If it was given one meanwhile that no other wait took or has, the event is
 * given to the present waits, or kept.
 */
export const endWorkflowWait = (store: Store, wait: WaitKey, awaited: Awaited): Write[] => [
  keepAgain(store, wait),
  giveKeptToWaits(store, { ...wait, ...awaited }),
  tellOthers(store, { ...wait, at: awaited.at }),
  keepNoLonger(store, wait),
  deleteWait(store, wait),
]

/** The wait of a step, with the data of the event that it was given. */
export const findWorkflowWait = query((db, values: { workflowRunId: string; stepId: string }) =>
  db
    .selectFrom('workflow_waits')
    .leftJoin('workflow_events', 'workflow_events.id', 'workflow_waits.event_id')
    .select(['workflow_waits.attempt', 'workflow_waits.until_at', 'workflow_events.data'])
    .where('workflow_waits.workflow_run_id', '=', values.workflowRunId)
    .where('workflow_waits.step_id', '=', values.stepId),
)

/** Events that are older, the oldest first, except those that a run is about to look at. */
export const listOldWorkflowEvents = query((db, values: { until: number; limit: number }) =>
  db
    .selectFrom('workflow_events')
    .select('id')
    .where('created_at', '<=', values.until)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('workflow_waits')
            .select('workflow_waits.step_id')
            .whereRef('workflow_waits.event_id', '=', 'workflow_events.id')
            .where(isGiven),
        ),
      ),
    )
    .orderBy('created_at')
    .limit(values.limit),
)

export const deleteWorkflowEvent = rowsOf('workflow_events', 'id').remove()
