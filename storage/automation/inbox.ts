/**
 * Items that need attention: pages of items that wait at one place, newest first, and the few items that fail in a part
 * of an organization. An index serves each query.
 */
import { type RawBuilder, sql } from 'kysely'
import { type CountScope, type CountScopeColumns, perScope } from '../count-scope.ts'
import { query } from '../statement.ts'
import type { Store } from '../store.ts'

/** A page of the items that wait at a place, before this position. */
interface Waiting {
  place: string
  before: { since: number; id: string }
  limit: number
}
type Values = { place: string; since: number; id: string; limit: number }

// the same expression as in the indexes
const since = sql<number>`coalesce(state_since, updated_at)`

const isBefore = (at: RawBuilder<number>, id: string, values: Values) =>
  sql<boolean>`${at} <= ${values.since} and (${at} < ${values.since} or ${sql.ref(id)} < ${values.id})`

const pendingApprovals = query((db, values: Values) =>
  db
    .selectFrom((invocations) =>
      invocations
        .selectFrom('operation_invocations')
        .select(['id', 'approval_id', 'operation', 'agent_id', 'agent_run_id', 'workflow_run_id'])
        .select(['project_id', 'environment_id', since.as('since')])
        .where('environment_id', '=', values.place)
        .where('state', '=', 'pending_approval')
        .where(isBefore(since, 'id', values))
        .orderBy(since, 'desc')
        .orderBy('id', 'desc')
        .limit(values.limit)
        .as('pending'),
    )
    .leftJoin('operation_approvals', 'operation_approvals.id', 'pending.approval_id')
    .selectAll('pending')
    .select('operation_approvals.expires_at'),
)

// Written as in the partial index, which serves a query only if the text implies its condition.
const isUnresolved = sql<boolean>`state || '' = 'unknown' and workflow_run_id is null`

const unresolvedInvocations = query((db, values: Values) =>
  db
    .selectFrom('operation_invocations')
    .select(['id', 'operation', 'agent_id', 'agent_run_id', 'project_id', 'environment_id', since.as('since')])
    .where('environment_id', '=', values.place)
    .where(isUnresolved)
    .where(isBefore(since, 'id', values))
    .orderBy(since, 'desc')
    .orderBy('id', 'desc')
    .limit(values.limit),
)

const unresolvedWorkflowRuns = query((db, values: Values) =>
  db
    .selectFrom('workflow_runs')
    .select(['id', 'definition_id', 'agent_id', 'project_id', 'environment_id', since.as('since')])
    .where('environment_id', '=', values.place)
    .where('state', '=', 'unknown')
    .where(sql<boolean>`actor_user_id is null`)
    .where(isBefore(since, 'id', values))
    .orderBy(since, 'desc')
    .orderBy('id', 'desc')
    .limit(values.limit),
)

const waitingRuns = query((db, values: Values) =>
  db
    .selectFrom('waiting_runs')
    .select(['run_id as id', 'tool', 'agent_id', 'project_id', 'environment_id', 'since'])
    .where('place', '=', values.place)
    .where(isBefore(sql<number>`since`, 'run_id', values))
    .orderBy('since', 'desc')
    .orderBy('run_id', 'desc')
    .limit(values.limit),
)

const firingAlerts = query((db, values: Values & { state: string }) =>
  db
    .selectFrom('alert_rules')
    .select(['id', 'name', 'condition', 'environment_id', since.as('since')])
    .where(sql<string>`coalesce(environment_id, organization_id)`, '=', values.place)
    .where('state', '=', values.state)
    .where(isBefore(since, 'id', values))
    .orderBy(since, 'desc')
    .orderBy('id', 'desc')
    .limit(values.limit),
)

const flat = ({ place, before, limit }: Waiting): Values => ({ place, ...before, limit })

export const listPendingApprovals = (store: Store, page: Waiting) => store.all(pendingApprovals(store, flat(page)))
export const listUnresolvedInvocations = (store: Store, page: Waiting) =>
  store.all(unresolvedInvocations(store, flat(page)))
export const listUnresolvedWorkflowRuns = (store: Store, page: Waiting) =>
  store.all(unresolvedWorkflowRuns(store, flat(page)))
export const listFiringAlerts = (store: Store, state: string, page: Waiting) =>
  store.all(firingAlerts(store, { ...flat(page), state }))
export const listWaitingRuns = (store: Store, page: Waiting) => store.all(waitingRuns(store, flat(page)))

/** Number of waiting items at a place, counted up to `limit`. */
export const countWaitingRuns = query((db, values: { place: string; limit: number }) =>
  db
    .selectFrom((runs) =>
      runs
        .selectFrom('waiting_runs')
        .select('run_id')
        .where('place', '=', values.place)
        .limit(values.limit)
        .as('counted'),
    )
    .select(({ fn }) => fn.countAll<number>().as('count')),
)
export const countUnresolvedInvocations = query((db, values: { place: string; limit: number }) =>
  db
    .selectFrom((invocations) =>
      invocations
        .selectFrom('operation_invocations')
        .select('id')
        .where('environment_id', '=', values.place)
        .where(isUnresolved)
        .limit(values.limit)
        .as('counted'),
    )
    .select(({ fn }) => fn.countAll<number>().as('count')),
)

/** A part of an organization, and the most items to read. */
export interface TroubleScope extends CountScope {
  limit: number
}

const environmentsIn = (db: Store['db'], columns: CountScopeColumns, values: TroubleScope) => {
  const environments = db.selectFrom('environments').where('environments.organization_id', '=', values.organizationId)
  return columns.reduce(
    (some, column) =>
      some.where(
        column === 'project_id' ? 'environments.project_id' : 'environments.id',
        '=',
        values[column] as string,
      ),
    environments,
  )
}

const failingWebhooks = perScope((columns) =>
  query((db, values: TroubleScope & { failingUntil: number }) =>
    environmentsIn(db, columns, values)
      .innerJoin('webhooks', 'webhooks.environment_id', 'environments.id')
      .select(['webhooks.id', 'webhooks.project_id', 'webhooks.environment_id', 'webhooks.endpoint_url'])
      .select(['webhooks.failing_since', 'webhooks.disabled_reason', 'webhooks.updated_at'])
      .where(
        sql<boolean>`webhooks.deleted_at is null and (webhooks.failing_since is not null or webhooks.disabled_reason is not null)`,
      )
      .where(sql<boolean>`(webhooks.disabled_reason is not null or webhooks.failing_since <= ${values.failingUntil})`)
      .limit(values.limit),
  ),
)
/** Webhooks that the server has disabled, or whose attempts have all failed since `failingUntil` or earlier. */
export const listFailingWebhooks = (store: Store, values: TroubleScope & { failingUntil: number }) =>
  store.all(failingWebhooks(values)(store, values))

const webhooksWithDeadLetters = perScope((columns) =>
  query((db, values: TroubleScope & { eventsUntil: number }) => {
    const webhooks = environmentsIn(db, columns, values)
      .innerJoin('actor_counts', 'actor_counts.place', 'environments.id')
      .innerJoin('webhooks', 'webhooks.environment_id', 'environments.id')
      .select(['webhooks.id', 'webhooks.project_id', 'webhooks.environment_id', 'webhooks.endpoint_url'])
      .select(({ selectFrom }) =>
        selectFrom('deliveries')
          .select('deliveries.updated_at')
          .whereRef('deliveries.webhook_id', '=', 'webhooks.id')
          .where('deliveries.state', '=', 'dead-letter')
          .where('deliveries.event_at', '>', values.eventsUntil)
          .orderBy('deliveries.id', 'desc')
          .limit(1)
          .as('died_at'),
      )
      .where('actor_counts.kind', '=', 'delivery')
      .where('actor_counts.state', '=', 'dead-letter')
      .where('actor_counts.count', '>', 0)
      .where('webhooks.deleted_at', 'is', null)
    return db.selectFrom(webhooks.as('webhooks')).selectAll().where('died_at', 'is not', null).limit(values.limit)
  }),
)
/** Webhooks with dead letters of events after `eventsUntil`, and when the latest of them became one. */
export const listWebhooksWithDeadLetters = (store: Store, values: TroubleScope & { eventsUntil: number }) =>
  store.all(webhooksWithDeadLetters(values)(store, values))

const failedDeployments = perScope((columns) =>
  query((db, values: TroubleScope) =>
    environmentsIn(db, columns, values)
      .innerJoin('actor_counts', 'actor_counts.place', 'environments.id')
      .innerJoin('deployments', (join) =>
        join.on('deployments.id', '=', ({ selectFrom }) =>
          selectFrom('deployments as latest')
            .select('latest.id')
            .whereRef('latest.environment_id', '=', 'environments.id')
            .orderBy('latest.id', 'desc')
            .limit(1),
        ),
      )
      .select(['deployments.id', 'deployments.project_id', 'deployments.environment_id', 'deployments.updated_at'])
      .select(['deployments.release_id', 'deployments.configuration_revision_id', 'deployments.context'])
      .where('actor_counts.kind', '=', 'deployment')
      .where('actor_counts.state', '=', 'failed')
      .where('actor_counts.count', '>', 0)
      .where('deployments.state', '=', 'failed')
      .limit(values.limit),
  ),
)
/** The latest Deployment of each Environment, if it failed. */
export const listFailedDeployments = (store: Store, values: TroubleScope) =>
  store.all(failedDeployments(values)(store, values))

const disabledConnections = perScope((columns) =>
  query((db, values: TroubleScope) =>
    environmentsIn(db, columns, values)
      .innerJoin('connections', 'connections.environment_id', 'environments.id')
      .select(['connections.id', 'connections.name', 'connections.status_reason', 'connections.updated_at'])
      .select(['connections.environment_id', 'environments.project_id', 'connections.agent_id'])
      .where(sql<boolean>`connections.status = 'disabled' and connections.status_reason is not null`)
      .limit(values.limit),
  ),
)
/** Connections that the server has disabled. */
export const listDisabledConnections = (store: Store, values: TroubleScope) =>
  store.all(disabledConnections(values)(store, values))

interface Ending {
  organizationId: string
  /** Only those that expire by this time. */
  until: number
  limit: number
}

/** Provider credentials in use that have expired or are about to, by expiry. */
export const listEndingCredentials = query((db, values: Ending) =>
  db
    .selectFrom('provider_credentials')
    .select(['id', 'label', 'provider', 'expires_at', 'created_at'])
    .where('organization_id', '=', values.organizationId)
    .where(sql<boolean>`status = 'active' and expires_at is not null`)
    .where('expires_at', '<=', values.until)
    .orderBy('expires_at')
    .limit(values.limit),
)

/** API keys that have expired since `from` or are about to, except rotated and short-lived ones. */
export const listEndingKeys = query((db, values: Ending & { from: number; lifeMin: number }) =>
  db
    .selectFrom('api_keys')
    .select(['id', 'name', 'project_id', 'environment_id', 'agent_id', 'expires_at', 'created_at'])
    .where('organization_id', '=', values.organizationId)
    .where(sql<boolean>`status = 'active'`)
    .where('expires_at', '>=', values.from)
    .where('expires_at', '<=', values.until)
    .where('replaced_by', 'is', null)
    .where(sql<boolean>`expires_at - created_at >= ${values.lifeMin}`)
    .orderBy('expires_at')
    .limit(values.limit),
)

/** The names of an Environment and its Project. */
export const namesOfEnvironments = query((db, values: { organizationId: string; environmentId: string }) =>
  db
    .selectFrom('environments')
    .innerJoin('projects', 'projects.id', 'environments.project_id')
    .select([
      'environments.id',
      'environments.name',
      'environments.kind',
      'environments.project_id',
      'projects.name as project',
    ])
    .where('environments.id', '=', values.environmentId)
    .where('environments.organization_id', '=', values.organizationId),
)
