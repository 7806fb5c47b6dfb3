/** What the runtime stores for every actor besides its own row: journal, timers, effects. */
import { query, write } from '../statement.ts'
import type { EffectRow, TimerRow, TransitionRow } from '../tables.ts'

export const insertTransition = write((db, row: TransitionRow) => db.insertInto('transitions').values(row))

/** The journal of one actor, ascending, after a sequence. */
export const listTransitions = query((db, values: { kind: string; actorId: string; after: number; limit: number }) =>
  db
    .selectFrom('transitions')
    .selectAll()
    .where('actor_id', '=', values.actorId)
    .where('kind', '=', values.kind)
    .where('sequence', '>', values.after)
    .orderBy('sequence')
    .limit(values.limit),
)

/** The part of one actor's journal that its resource's stream tells of, ascending, after a number of that stream. */
export const listTransitionsInStream = query(
  (db, values: { kind: string; actorId: string; after: number; limit: number }) =>
    db
      .selectFrom('transitions')
      .selectAll()
      .where('actor_id', '=', values.actorId)
      .where('kind', '=', values.kind)
      .where('stream_sequence', '>', values.after)
      .orderBy('sequence')
      .limit(values.limit),
)

export const lastTransition = query((db, values: { kind: string; actorId: string }) =>
  db
    .selectFrom('transitions')
    .select(['sequence', 'stream_sequence', 'at'])
    .where('actor_id', '=', values.actorId)
    .where('kind', '=', values.kind)
    .orderBy('sequence', 'desc')
    .limit(1),
)

export const insertTimer = write((db, row: TimerRow) => db.insertInto('timers').values(row))

/** A statechart without nesting cancels all its timers when it leaves a state. */
export const deleteTimers = write((db, values: { kind: string; actorId: string }) =>
  db.deleteFrom('timers').where('actor_id', '=', values.actorId).where('kind', '=', values.kind),
)

export const deleteTimer = write((db, values: { kind: string; actorId: string; name: string }) =>
  db
    .deleteFrom('timers')
    .where('actor_id', '=', values.actorId)
    .where('kind', '=', values.kind)
    .where('name', '=', values.name),
)

export const listTimers = query((db, values: { kind: string; actorId: string }) =>
  db
    .selectFrom('timers')
    .select(['name', 'due_at'])
    .where('actor_id', '=', values.actorId)
    .where('kind', '=', values.kind)
    .orderBy('due_at'),
)

export const dueTimers = query((db, values: { now: number; limit: number }) =>
  db
    .selectFrom('timers')
    .select(['kind', 'actor_id', 'name'])
    .where('due_at', '<=', values.now)
    .orderBy('due_at')
    .limit(values.limit),
)

export const nextTimer = query((db, _values: object) =>
  db.selectFrom('timers').select('due_at').orderBy('due_at').limit(1),
)

export const insertEffect = write((db, row: EffectRow) => db.insertInto('effects').values(row))

export const deleteEffect = write((db, values: { id: string }) => db.deleteFrom('effects').where('id', '=', values.id))

export const postponeEffect = write((db, values: { id: string; dueAt: number; attempts: number }) =>
  db.updateTable('effects').set({ due_at: values.dueAt, attempts: values.attempts }).where('id', '=', values.id),
)

export const dueEffects = query((db, values: { now: number; limit: number }) =>
  db.selectFrom('effects').selectAll().where('due_at', '<=', values.now).orderBy('due_at').limit(values.limit),
)
