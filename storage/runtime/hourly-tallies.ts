/** Tables that count by the hour: the sums over a range of hours, and the removal of rows hour by hour. */
import { sql } from 'kysely'
import type { CountScope } from '../count-scope.ts'
import { rowsOf, untyped } from '../rows.ts'
import { query } from '../statement.ts'
import type { BackgroundStore } from '../store.ts'
import type { DeletionStep, Values } from './deletion-step.ts'

/** A range of hours, in intervals. */
export interface Stretch extends CountScope {
  /** The time from which intervals are numbered. */
  origin: number
  intervalMs: number
  from: number
  to: number
}

/** How rows of the table are removed. They are not removed with an Agent: they stay with its organization. */
export function hoursOf(table: 'cost_tallies' | 'run_tallies') {
  const rows = rowsOf(table, 'organization_id', 'hour')
  const deleteHour = rows.remove()
  const deleteHourOfProject = rows.remove('project_id', 'hour')
  const keysBy = (owner: 'organization_id' | 'project_id') =>
    query((db, values: Values) =>
      untyped(db)
        .selectFrom(table as string)
        .select(sql<string>`cast(hour as text)`.as('key'))
        .distinct()
        .where(owner, '=', values.id)
        .limit(values.limit),
    )
  const old = query((db, values: { until: number; limit: number }) =>
    untyped(db)
      .selectFrom(table as string)
      .select(['organization_id', 'hour'])
      .distinct()
      .where('hour', '<', values.until)
      .orderBy('hour')
      .orderBy('organization_id')
      .limit(values.limit)
      .$castTo<{ organization_id: string; hour: number }>(),
  )

  const step: DeletionStep = {
    keys: { organization: keysBy('organization_id'), project: keysBy('project_id') },
    remove: (store, key, { target, id }) => [
      target === 'organization'
        ? deleteHour(store, { organizationId: id, hour: Number(key) })
        : deleteHourOfProject(store, { projectId: id, hour: Number(key) }),
    ],
  }
  return {
    step,
    /** Deletes rows of hours before `until`, at most `limit` pairs of organization and hour. Returns their number. */
    async prune(store: BackgroundStore, until: number, limit: number): Promise<number> {
      const hours = await store.all(old(store, { until, limit }))
      await Promise.all(
        hours.map(({ organization_id, hour }) =>
          store.commit([deleteHour(store, { organizationId: organization_id, hour })]),
        ),
      )
      return hours.length
    },
  }
}
