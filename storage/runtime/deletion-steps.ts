/**
 * The rows that are deleted with an organization, a Project or an Agent, besides its runs. An index finds each kind of
 * row.
 *
 * A table that grows with use needs a `piece` here, or a step of `version-steps.ts`, so that no single statement deletes
 * all of its rows; the rows of other tables are deleted by their foreign keys. Source: contract 2, "Deletion".
 */

import { costTalliesStep } from '../billing/costs.ts'
import { runTalliesStep } from '../runs/run-tallies.ts'
import { query, write } from '../statement.ts'
import type { Store, Write } from '../store.ts'
import { deleteDeletion } from '../tenancy/deletions.ts'
import { loosenTexts } from '../texts.ts'
import { belowEnvironments, type DeletionStep, piece, removeActor, type Values } from './deletion-step.ts'
import {
  boundConnections,
  boundVariables,
  connectionVersions,
  credentialVersions,
  definitionRevisions,
  organizationVariableVersions,
  variableVersions,
} from './version-steps.ts'

/** Deletes the receipt of a removal, with its journal. */
export const removeReceipt = (store: Pick<Store, 'db'>, id: string): Write[] => [
  deleteDeletion(store, { id }),
  ...removeActor(store, { kind: 'deletion', id }),
]

/** Receipts of removals of the target's contents, including those in progress. */
const receipts: DeletionStep = {
  kind: 'deletion',
  keys: {
    organization: query((db, values: Values) =>
      db
        .selectFrom('deletions')
        .select('id as key')
        .where('organization_id', '=', values.id)
        .where('id', '<>', values.id)
        .limit(values.limit),
    ),
    project: query((db, values: Values) =>
      db
        .selectFrom('deletions')
        .select('id as key')
        .where('organization_id', '=', values.organizationId)
        .where('project_id', '=', values.id)
        .where('id', '<>', values.id)
        .limit(values.limit),
    ),
  },
  remove: removeReceipt,
}

const agentJobs = piece({
  table: 'agent_jobs',
  kind: 'agent-job',
  environment: 'environment_id',
  agent: 'agent_id',
})
const agentRevisions = piece(
  { table: 'agent_revisions', organization: 'organization_id', agent: 'agent_id' },
  {
    project: query((db, values: Values) =>
      db
        .selectFrom('agents')
        .innerJoin('agent_revisions', 'agent_revisions.agent_id', 'agents.id')
        .select('agent_revisions.id as key')
        .where('agents.project_id', '=', values.id)
        .limit(values.limit),
    ),
  },
)
const agents = piece({ table: 'agents', organization: 'organization_id', project: 'project_id' })
/** Recoveries: events that are sent to a webhook again. */
const recoveries = piece({ table: 'webhook_recoveries', kind: 'webhook-recovery', environment: 'environment_id' })
/** Deliveries of webhooks, including webhooks marked as deleted. The webhooks are deleted with their Environment. */
const deliveries = piece(
  { table: 'deliveries', kind: 'delivery' },
  belowEnvironments((db, values, of) =>
    db
      .selectFrom('environments')
      .innerJoin('webhooks', 'webhooks.environment_id', 'environments.id')
      .innerJoin('deliveries', 'deliveries.webhook_id', 'webhooks.id')
      .select('deliveries.id as key')
      .where(of, '=', values.id)
      .limit(values.limit),
  ),
)
/** Includes the earlier statecharts of each entity. */
const entities = piece({ table: 'entities', kind: 'entity', environment: 'environment_id' })
/** The stored outputs of entity calls. */
const entityCalls = piece({ table: 'entity_calls', key: 'key', environment: 'environment_id' })
/** Includes their approvals. */
const invocations = piece({
  table: 'operation_invocations',
  kind: 'operation-invocation',
  environment: 'environment_id',
  agent: 'agent_id',
})
/** Includes their inputs and outputs. */
const workflowRuns = piece(
  { table: 'workflow_runs', kind: 'workflow-run', environment: 'environment_id' },
  {
    agent: query((db, values: Values) =>
      db
        .selectFrom('workflow_runs')
        .select('id as key')
        .where('organization_id', '=', values.organizationId)
        .where('agent_id', '=', values.id)
        .limit(values.limit),
    ),
  },
)
const environmentEvents = piece({ table: 'environment_events', environment: 'environment_id' })
/** Includes the manifests of applies that have not ended. */
const applies = piece({ table: 'applies', kind: 'apply', environment: 'environment_id' })
const deploymentRows = piece({ table: 'deployments', kind: 'deployment', environment: 'environment_id' })
/** Includes their bundles, whose long texts are removed in pieces afterwards. */
const deployments: DeletionStep = {
  ...deploymentRows,
  remove: (store, id, deletion) => [loosenTexts(store, { ownerId: id }), ...deploymentRows.remove(store, id, deletion)],
}
const configurationRevisions = piece({ table: 'configuration_revisions', environment: 'environment_id' })
const environments = piece({
  table: 'environments',
  kind: 'environment',
  organization: 'organization_id',
  project: 'project_id',
})
const projects = piece({ table: 'projects', organization: 'organization_id' })
/** Includes their versions. */
const integrations = piece({ table: 'integrations', kind: 'integration', organization: 'organization_id' })
const billingEvents = piece({ table: 'billing_events', organization: 'organization_id' })
const subscriptions = piece({
  table: 'subscriptions',
  kind: 'subscription',
  key: 'organization_id',
  organization: 'organization_id',
})

/** Operation calls for workers; before their invocations, which would cascade to them but not to their journals. */
const workerCalls = piece({
  table: 'worker_calls',
  kind: 'worker-call',
  environment: 'environment_id',
  agent: 'agent_id',
})

const deleteAuditEvent = write((db, values: { organizationId: string; id: string }) =>
  db.deleteFrom('audit_events').where('organization_id', '=', values.organizationId).where('id', '=', values.id),
)
const auditEvents: DeletionStep = {
  keys: {
    organization: query((db, values: Values) =>
      db.selectFrom('audit_events').select('id as key').where('organization_id', '=', values.id).limit(values.limit),
    ),
  },
  remove: (store, id, { organizationId }) => [deleteAuditEvent(store, { organizationId, id })],
}

// A scope begins with the organization's id and a line break.
const answersOf = query((db, values: { from: string; to: string; limit: number }) =>
  db
    .selectFrom('idempotency_keys')
    .select('scope as key')
    .where('scope', '>=', values.from)
    .where('scope', '<', values.to)
    .limit(values.limit),
)
const deleteAnswer = write((db, values: { scope: string }) =>
  db.deleteFrom('idempotency_keys').where('scope', '=', values.scope),
)
const answers: DeletionStep = {
  keys: {
    organization: (store, { id, limit }) => answersOf(store, { from: `${id}\n`, to: `${id}\u000b`, limit }),
  },
  remove: (store, scope) => [deleteAnswer(store, { scope })],
}

/** Includes their incidents. */
const alertRules = piece({
  table: 'alert_rules',
  kind: 'alert',
  organization: 'organization_id',
  project: 'project_id',
})

const bulkActions = piece({
  table: 'bulk_actions',
  kind: 'bulk-action',
  organization: 'organization_id',
  project: 'project_id',
})
const workflowEvents = piece({ table: 'workflow_events', environment: 'environment_id' })
const activations = piece({ table: 'activations', environment: 'environment_id' })
/** Includes their pins. */
const releases = piece(
  { table: 'releases', project: 'project_id' },
  {
    organization: query((db, values: Values) =>
      db
        .selectFrom('projects')
        .innerJoin('releases', 'releases.project_id', 'projects.id')
        .select('releases.id as key')
        .where('projects.organization_id', '=', values.id)
        .limit(values.limit),
    ),
  },
)

/** In this order: children before their parents, and last the stored answers to repeated requests. */
export const deletionSteps = [
  receipts,
  bulkActions,
  agentJobs,
  variableVersions,
  connectionVersions,
  boundVariables,
  boundConnections,
  agentRevisions,
  agents,
  definitionRevisions,
  releases,
  recoveries,
  deliveries,
  entities,
  entityCalls,
  workerCalls,
  invocations,
  workflowRuns,
  workflowEvents,
  runTalliesStep,
  costTalliesStep,
  environmentEvents,
  applies,
  activations,
  deployments,
  configurationRevisions,
  alertRules,
  environments,
  projects,
  integrations,
  organizationVariableVersions,
  credentialVersions,
  billingEvents,
  subscriptions,
  auditEvents,
  answers,
] as const
