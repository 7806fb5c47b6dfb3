/** Alert rules, their alerts, and the counts that they watch, which are read along an index up to the threshold. */
import { type RawBuilder, sql } from 'kysely'
import { activeOrganization } from '../active-parents.ts'
import { insertFrom, rowsOf, untyped } from '../rows.ts'
import { query, write } from '../statement.ts'
import type { Store } from '../store.ts'
import type { AlertRuleRow } from '../tables.ts'

const rules = rowsOf('alert_rules', 'id')
const incidents = rowsOf('alert_incidents', 'id')

/**
 * `StaleWrite` if the organization or the Environment is being deleted, or the organization has `rulesMax` rules;
 * `MissingReference` without the Environment.
 */
export const insertAlertRule = write(
  (db, { rulesMax, ...row }: AlertRuleRow & { rulesMax: number }) =>
    insertFrom(
      db,
      'alert_rules',
      row,
      activeOrganization(db, row)
        // a rule of the whole organization has no Environment
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('environments')
                .innerJoin('projects', 'projects.id', 'environments.project_id')
                .select('environments.id')
                .where('environments.id', '=', row.environment_id)
                .where(({ eb, or }) =>
                  or([eb('environments.state', '=', 'deleting'), eb('projects.status', '=', 'deleting')]),
                ),
            ),
          ),
        )
        .where(rules.fewerThan(rulesMax, 'organization_id', row.organization_id)),
    ),
  1,
)
export const updateAlertRule = rules.move(
  'name',
  'condition',
  'hold_ms',
  'cool_down_ms',
  'tells_webhooks',
  'tells_mail',
)

/** Any rule, for the runtime; requests also filter by organization. */
export const getAlertRule = rules.find()
export const findAlertRule = rules.find('id', 'organization_id')
export const findPlaceOfAlertRule = rules.only('project_id', 'environment_id').find('id', 'organization_id')
export const countAlertRules = rules.count('organization_id')
export const deleteAlertRule = rules.removeOne()

/** Newest first, ids below `before`. */
export const listAlertRules = rules.newest('id', 'organization_id')
export const listAlertRulesOfProject = rules.newest('id', 'project_id', 'organization_id')
export const listAlertRulesOfEnvironment = rules.newest('id', 'environment_id', 'organization_id')

/** The next rules to evaluate, by id. */
export const listWatchedRules = query((db, values: { after: string; limit: number }) =>
  db
    .selectFrom('alert_rules')
    .select(['id', 'organization_id', 'environment_id', 'condition', 'state'])
    // A literal: a partial index serves a query only if the text implies the index's condition.
    .where(sql<boolean>`state <> 'disabled'`)
    .where('id', '>', values.after)
    .orderBy('id')
    .limit(values.limit),
)

export const insertIncident = incidents.insert()
/** Newest first, ids below `before`. */
export const listIncidents = incidents.newest('id', 'alert_rule_id')

/** Resolves the rule's open alert. */
export const resolveIncidents = write(
  (db, values: { alertRuleId: string; at: number; resolution: 'cleared' | 'changed' | 'disabled' }) =>
    db
      .updateTable('alert_incidents')
      .set({ resolved_at: values.at, resolution: values.resolution })
      .where('alert_rule_id', '=', values.alertRuleId)
      .where('resolved_at', 'is', null),
)

/** Removes all but the last hundred alerts of a rule. */
export const pruneIncidents = write((db, values: { alertRuleId: string }) =>
  db
    .deleteFrom('alert_incidents')
    .where('alert_rule_id', '=', values.alertRuleId)
    .where('id', '<', ({ selectFrom }) =>
      selectFrom('alert_incidents as kept')
        .select('kept.id')
        .where('kept.alert_rule_id', '=', values.alertRuleId)
        .orderBy('kept.id', 'desc')
        .limit(1)
        .offset(99),
    ),
)

interface InState {
  place: string
  state: string
  /** Actors that entered the state in this time span. */
  from: number
  until: number
  limit: number
}

type Waiting = Pick<InState, 'place' | 'until' | 'limit'>

const since = sql<number>`coalesce(state_since, updated_at)`
const placeOfRun = sql<string>`coalesce(environment_id, organization_id)`
const countIn = (table: string, place: RawBuilder<string>) =>
  query((db, values: InState) =>
    db
      .selectFrom(
        untyped(db)
          .selectFrom(table)
          .select('id')
          .where(place, '=', values.place)
          .where('state', '=', values.state)
          .where(since, '>=', values.from)
          .where(since, '<=', values.until)
          .limit(values.limit)
          .as('counted'),
      )
      .select(({ fn }) => fn.countAll<number>().as('count')),
  )
const counts = {
  run: countIn('runs', placeOfRun),
  delivery: countIn('deliveries', sql<string>`environment_id`),
  'operation-invocation': countIn('operation_invocations', sql<string>`environment_id`),
}
export type CountedActors = keyof typeof counts

/** Number of actors at a place that entered the state in the time span, counted up to `limit`. */
export async function countInState(store: Store, kind: CountedActors, values: InState): Promise<number> {
  return Number((await store.first(counts[kind](store, values)))?.count ?? 0)
}

const queued = query((db, values: Waiting) =>
  db
    .selectFrom((runs) =>
      runs
        .selectFrom('runs')
        .select('id')
        .where(placeOfRun, '=', values.place)
        .where('state', '=', 'queued')
        .where(since, '<=', values.until)
        .where('available_at', '<=', values.until)
        .limit(values.limit)
        .as('counted'),
    )
    .select(({ fn }) => fn.countAll<number>().as('count')),
)
/**
 * Number of runs at a place that could have been leased since `until` or earlier, counted up to `limit`: the time of a
 * delayed run in the queue counts from its start.
 */
export async function countQueuedSince(store: Store, values: Waiting): Promise<number> {
  return Number((await store.first(queued(store, values)))?.count ?? 0)
}

const waiting = query((db, values: Waiting) =>
  db
    .selectFrom((runs) =>
      runs
        .selectFrom('waiting_runs')
        .select('run_id')
        .where('place', '=', values.place)
        .where('since', '<=', values.until)
        .limit(values.limit)
        .as('counted'),
    )
    .select(({ fn }) => fn.countAll<number>().as('count')),
)
/** Number of runs at a place that have waited for a person since `until` or earlier, counted up to `limit`. */
export async function countWaitingSince(store: Store, values: Waiting): Promise<number> {
  return Number((await store.first(waiting(store, values)))?.count ?? 0)
}
