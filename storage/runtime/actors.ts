/** The rows of every actor besides its own and its journal (`journal.ts`): timers, effects. */
import { heldBy, heldByOther, inSlots } from '../by-engine.ts'
import { rowsOf } from '../rows.ts'
import type { OfSlots } from '../slots.ts'
import { query, together, write } from '../statement.ts'
import type { EffectRow } from '../tables.ts'

const timers = rowsOf('timers', 'actor_id', 'kind', 'name')
const effects = rowsOf('effects', 'id')

export const insertTimer = together('rows', timers.insert())

/** A statechart without nesting cancels all its timers when it leaves a state. */
export const deleteTimers = together('rows', timers.remove('actor_id', 'kind'))

export const deleteTimer = together('rows', timers.remove())

export const listTimers = query((db, values: { kind: string; actorId: string }) =>
  db
    .selectFrom('timers')
    .select(['name', 'due_at'])
    .where('actor_id', '=', values.actorId)
    .where('kind', '=', values.kind)
    .orderBy('due_at'),
)

export const dueTimers = query((db, values: OfSlots & { now: number; limit: number }) =>
  db
    .selectFrom('timers')
    .select(['kind', 'actor_id', 'name'])
    .where('due_at', '<=', values.now)
    .where(inSlots('actor_id', values.slots))
    .orderBy('due_at')
    .limit(values.limit),
)

export const nextTimer = query((db, values: OfSlots) =>
  db.selectFrom('timers').select('due_at').where(inSlots('actor_id', values.slots)).orderBy('due_at').limit(1),
)

export const insertEffect = together('rows', effects.insert<Omit<EffectRow, 'holder'> & Partial<EffectRow>>())

export const deleteEffect = together('rows', effects.remove())

export const postponeEffect = write((db, values: { id: string; dueAt: number; attempts: number }) =>
  db.updateTable('effects').set({ due_at: values.dueAt, attempts: values.attempts }).where('id', '=', values.id),
)

/** Those that this server holds, and those of its slots that no living server holds. */
export const dueEffects = query((db, values: OfSlots & { self: string; now: number; limit: number }) =>
  db
    .selectFrom('effects')
    .selectAll()
    .where('due_at', '<=', values.now)
    .where(({ or, and, not }) =>
      or([
        heldBy('holder', values.self),
        and([not(heldByOther('holder', values.self)), inSlots('actor_id', values.slots)]),
      ]),
    )
    .orderBy('due_at')
    .limit(values.limit),
)
