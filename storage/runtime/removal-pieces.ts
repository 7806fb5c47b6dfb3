/**
 * The sorts of rows that go with an organization, a Project or an Agent besides its runs, each found by an index.
 *
 * A table that grows with use gets a piece here, so that no single statement has to take all of it; what has none goes
 * with its foreign key. Source: contract 2, "Deletion".
 */

import { integrations } from '../accounts/integration-removal.ts'
import { entities, entityCalls } from '../automation/entity-removal.ts'
import { invocations } from '../automation/invocation-removal.ts'
import { agentJobs } from '../automation/job-removal.ts'
import { workflowRuns } from '../automation/workflow-removal.ts'
import { billingEvents, subscriptions } from '../billing/billing-removal.ts'
import { deleteDelivery } from '../events/deliveries.ts'
import { deleteRecovery } from '../events/webhook-recoveries.ts'
import { runTallies } from '../runs/run-tallies.ts'
import { query, write } from '../statement.ts'
import type { Store, Write } from '../store.ts'
import { deleteDeletion } from '../tenancy/deletions.ts'
import { belowEnvironments, type Piece, removeActor, type Values } from './removal-piece.ts'

/** The receipt of a removal, with its journal. */
export const removeReceipt = (store: Pick<Store, 'db'>, id: string): Write[] => [
  deleteDeletion(store, { id }),
  ...removeActor(store, { kind: 'deletion', id }),
]

const deleteAgentRevision = write((db, values: { id: string }) =>
  db.deleteFrom('agent_revisions').where('id', '=', values.id),
)
const agentRevisions: Piece = {
  keys: {
    organization: query((db, values: Values) =>
      db.selectFrom('agent_revisions').select('id as key').where('organization_id', '=', values.id).limit(values.limit),
    ),
    project: query((db, values: Values) =>
      db
        .selectFrom('agents')
        .innerJoin('agent_revisions', 'agent_revisions.agent_id', 'agents.id')
        .select('agent_revisions.id as key')
        .where('agents.project_id', '=', values.id)
        .limit(values.limit),
    ),
    agent: query((db, values: Values) =>
      db.selectFrom('agent_revisions').select('id as key').where('agent_id', '=', values.id).limit(values.limit),
    ),
  },
  remove: (store, id) => [deleteAgentRevision(store, { id })],
}

const deleteAgent = write((db, values: { id: string }) => db.deleteFrom('agents').where('id', '=', values.id))
const agents: Piece = {
  keys: {
    organization: query((db, values: Values) =>
      db.selectFrom('agents').select('id as key').where('organization_id', '=', values.id).limit(values.limit),
    ),
    project: query((db, values: Values) =>
      db.selectFrom('agents').select('id as key').where('project_id', '=', values.id).limit(values.limit),
    ),
  },
  remove: (store, id) => [deleteAgent(store, { id })],
}

const deleteConfigurationRevision = write((db, values: { id: string }) =>
  db.deleteFrom('configuration_revisions').where('id', '=', values.id),
)
const configurationRevisions: Piece = {
  keys: belowEnvironments((db, values, of) =>
    db
      .selectFrom('environments')
      .innerJoin('configuration_revisions', 'configuration_revisions.environment_id', 'environments.id')
      .select('configuration_revisions.id as key')
      .where(of, '=', values.id)
      .limit(values.limit),
  ),
  remove: (store, id) => [deleteConfigurationRevision(store, { id })],
}

const deleteEnvironmentEvent = write((db, values: { id: string }) =>
  db.deleteFrom('environment_events').where('id', '=', values.id),
)
const environmentEvents: Piece = {
  keys: belowEnvironments((db, values, of) =>
    db
      .selectFrom('environments')
      .innerJoin('environment_events', 'environment_events.environment_id', 'environments.id')
      .select('environment_events.id as key')
      .where(of, '=', values.id)
      .limit(values.limit),
  ),
  remove: (store, id) => [deleteEnvironmentEvent(store, { id })],
}

/** What a webhook was to be sent, also of those that are deleted already; the webhooks go with their Environment. */
const deliveries: Piece = {
  kind: 'delivery',
  keys: belowEnvironments((db, values, of) =>
    db
      .selectFrom('environments')
      .innerJoin('webhooks', 'webhooks.environment_id', 'environments.id')
      .innerJoin('deliveries', 'deliveries.webhook_id', 'webhooks.id')
      .select('deliveries.id as key')
      .where(of, '=', values.id)
      .limit(values.limit),
  ),
  remove: (store, id) => [deleteDelivery(store, { id }), ...removeActor(store, { kind: 'delivery', id })],
}

/** What a webhook is being sent again. */
const recoveries: Piece = {
  kind: 'webhook-recovery',
  keys: belowEnvironments((db, values, of) =>
    db
      .selectFrom('environments')
      .innerJoin('webhook_recoveries', 'webhook_recoveries.environment_id', 'environments.id')
      .select('webhook_recoveries.id as key')
      .where(of, '=', values.id)
      .limit(values.limit),
  ),
  remove: (store, id) => [deleteRecovery(store, { id }), ...removeActor(store, { kind: 'webhook-recovery', id })],
}

const deleteDeployment = write((db, values: { id: string }) => db.deleteFrom('deployments').where('id', '=', values.id))
const deployments: Piece = {
  kind: 'deployment',
  keys: belowEnvironments((db, values, of) =>
    db
      .selectFrom('environments')
      .innerJoin('deployments', 'deployments.environment_id', 'environments.id')
      .select('deployments.id as key')
      .where(of, '=', values.id)
      .limit(values.limit),
  ),
  remove: (store, id) => [deleteDeployment(store, { id }), ...removeActor(store, { kind: 'deployment', id })],
}

const deleteEnvironment = write((db, values: { id: string }) =>
  db.deleteFrom('environments').where('id', '=', values.id),
)
const environments: Piece = {
  kind: 'environment',
  keys: {
    organization: query((db, values: Values) =>
      db.selectFrom('environments').select('id as key').where('organization_id', '=', values.id).limit(values.limit),
    ),
    project: query((db, values: Values) =>
      db.selectFrom('environments').select('id as key').where('project_id', '=', values.id).limit(values.limit),
    ),
  },
  remove: (store, id) => [deleteEnvironment(store, { id }), ...removeActor(store, { kind: 'environment', id })],
}

const deleteProject = write((db, values: { id: string }) => db.deleteFrom('projects').where('id', '=', values.id))
const projects: Piece = {
  keys: {
    organization: query((db, values: Values) =>
      db.selectFrom('projects').select('id as key').where('organization_id', '=', values.id).limit(values.limit),
    ),
  },
  remove: (store, id) => [deleteProject(store, { id })],
}

/** Removals of what belongs to the target; those under way end with that. */
const receipts: Piece = {
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

const deleteAuditEvent = write((db, values: { organizationId: string; id: string }) =>
  db.deleteFrom('audit_events').where('organization_id', '=', values.organizationId).where('id', '=', values.id),
)
const auditEvents: Piece = {
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
const answers: Piece = {
  keys: {
    organization: (store, { id, limit }) => answersOf(store, { from: `${id}\n`, to: `${id}\u000b`, limit }),
  },
  remove: (store, scope) => [deleteAnswer(store, { scope })],
}

/** In this order: what is below first, and last what a repeated request is still answered from. */
export const pieces = [
  receipts,
  agentJobs,
  agentRevisions,
  agents,
  recoveries,
  deliveries,
  entities,
  entityCalls,
  invocations,
  workflowRuns,
  runTallies,
  environmentEvents,
  deployments,
  configurationRevisions,
  environments,
  projects,
  integrations,
  billingEvents,
  subscriptions,
  auditEvents,
  answers,
] as const
