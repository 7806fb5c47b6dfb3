/**
 * The timers and effects of actors; `journal.ts` has their journals. A run has at most one timer at a time, and most
 * runs set several one after another, so the timer of a run is stored in its own row.
 */
import { sql } from 'kysely'
import { heldBy, heldByOther, inSlots, textsOf } from '../by-engine.ts'
import { rowsOf } from '../rows.ts'
import type { OfSlots } from '../slots.ts'
import { query, together, write } from '../statement.ts'
import type { Query, Store } from '../store.ts'
import type { EffectRow, RunTimer, TimerRow } from '../tables.ts'

const timers = rowsOf('timers', 'actor_id', 'kind', 'name')
const effects = rowsOf('effects', 'id')

export const insertTimer = together('rows', timers.insert())

/** Deletes all timers of an actor: a statechart without nesting cancels them all when it leaves a state. */
export const deleteTimers = together('rows', timers.remove('actor_id', 'kind'))

export const deleteTimer = together('rows', timers.remove())

interface DueTimer {
  name: string
  due_at: number
}

const listStoredTimers = query((db, values: { kind: string; actorId: string }) =>
  db
    .selectFrom('timers')
    .select(['name', 'due_at'])
    .where('actor_id', '=', values.actorId)
    .where('kind', '=', values.kind)
    .orderBy('due_at'),
)

const getRunTimer = query((db, values: { actorId: string }) =>
  db
    .selectFrom('runs')
    .select(['due_timer as name', 'due_at'])
    .where('id', '=', values.actorId)
    .where('due_at', 'is not', null)
    .$castTo<DueTimer>(),
)

/** The timers of an actor, earliest first. */
export const listTimers = (
  store: Pick<Store, 'db'>,
  { kind, actorId }: { kind: string; actorId: string },
): Query<DueTimer> => (kind === 'run' ? getRunTimer(store, { actorId }) : listStoredTimers(store, { kind, actorId }))

/** Sets the timer of a run without changing the rest of its row; null clears it. */
export const setRunTimer = together(
  'rows',
  write((db, { id, timer }: { id: string; timer: RunTimer | null }) =>
    db
      .updateTable('runs')
      .set({ due_timer: timer?.name ?? null, due_at: timer?.dueAt ?? null })
      .where('id', '=', id),
  ),
)

/** The due timers of actors other than runs. A server of an earlier version may still store timers of runs here. */
export const dueTimers = query((db, values: OfSlots & { now: number; limit: number }) =>
  db
    .selectFrom('timers')
    .select(['kind', 'actor_id', 'name'])
    .where('due_at', '<=', values.now)
    .where('kind', '<>', 'run')
    .where(inSlots('actor_id', values.slots))
    .orderBy('due_at')
    .limit(values.limit),
)

/** The due timers of runs. */
export const dueRunTimers = query((db, values: OfSlots & { now: number; limit: number }) =>
  db
    .selectFrom('runs')
    .select([sql.lit('run').as('kind'), 'id as actor_id', 'due_timer as name'])
    .where('due_at', '<=', values.now)
    .where(inSlots('id', values.slots))
    .orderBy('due_at')
    .limit(values.limit)
    .$castTo<Pick<TimerRow, 'kind' | 'actor_id' | 'name'>>(),
)

/** When the next timer of an actor other than a run is due. */
export const nextTimer = query((db, values: OfSlots) =>
  db
    .selectFrom('timers')
    .select('due_at')
    .where('kind', '<>', 'run')
    .where(inSlots('actor_id', values.slots))
    .orderBy('due_at')
    .limit(1),
)

/** When the next timer of a run is due. */
export const nextRunTimer = query((db, values: OfSlots) =>
  db
    .selectFrom('runs')
    .select('due_at')
    .where('due_at', 'is not', null)
    .where(inSlots('id', values.slots))
    .orderBy('due_at')
    .limit(1)
    .$castTo<{ due_at: number }>(),
)

export const insertEffect = together('rows', effects.insert<Omit<EffectRow, 'holder'> & Partial<EffectRow>>())

export const deleteEffect = together('rows', effects.remove())

export const postponeEffect = write((db, values: { id: string; dueAt: number; attempts: number }) =>
  db.updateTable('effects').set({ due_at: values.dueAt, attempts: values.attempts }).where('id', '=', values.id),
)

/**
 * The due effects that this server holds, and those in its slots that no other living server holds. `without`: a JSON
 * array of kinds.
 */
export const dueEffects = query((db, values: OfSlots & { self: string; without: string; now: number; limit: number }) =>
  db
    .selectFrom('effects')
    .selectAll()
    .where('due_at', '<=', values.now)
    .where('kind', 'not in', textsOf(values.without))
    .where(({ or, and, not }) =>
      or([
        heldBy('holder', values.self),
        and([not(heldByOther('holder', values.self)), inSlots('actor_id', values.slots)]),
      ]),
    )
    .orderBy('due_at')
    .limit(values.limit),
)
