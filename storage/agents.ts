/** Agents and their revisions. Source: requirement 2, 4.9; contract 3. */
import { query, write } from './statement.ts'
import type { AgentRevisionRow, AgentRow } from './tables.ts'

/** Only into a Project that is not being deleted. */
export const insertAgent = write(
  (db, row: AgentRow) =>
    db
      .insertInto('agents')
      .columns([
        'id',
        'organization_id',
        'project_id',
        'slug',
        'name',
        'description',
        'status',
        'latest_revision_id',
        'created_at',
        'updated_at',
      ])
      .expression((eb) =>
        eb
          .selectFrom('projects')
          .select([
            eb.val(row.id).as('id'),
            'projects.organization_id',
            'projects.id as project_id',
            eb.val(row.slug).as('slug'),
            eb.val(row.name).as('name'),
            eb.val(row.description).as('description'),
            eb.val(row.status).as('status'),
            eb.val(row.latest_revision_id).as('latest_revision_id'),
            eb.val(row.created_at).as('created_at'),
            eb.val(row.updated_at).as('updated_at'),
          ])
          .where('projects.id', '=', row.project_id)
          .where('projects.organization_id', '=', row.organization_id)
          .where('projects.status', '<>', 'deleting'),
      ),
  1,
)

/** An Agent, named by its path. */
export interface AgentKey {
  organizationId: string
  projectId: string
  agentId: string
}

export const findAgent = query((db, values: AgentKey) =>
  db
    .selectFrom('agents')
    .selectAll()
    .where('id', '=', values.agentId)
    .where('project_id', '=', values.projectId)
    .where('organization_id', '=', values.organizationId),
)

/** The Agents of a Project before an id, newest first. */
export const listAgents = query(
  (db, values: { organizationId: string; projectId: string; beforeId: string; limit: number }) =>
    db
      .selectFrom('agents')
      .selectAll()
      .where('project_id', '=', values.projectId)
      .where('organization_id', '=', values.organizationId)
      .where('id', '<', values.beforeId)
      .orderBy('id', 'desc')
      .limit(values.limit),
)

export const renameAgent = write(
  (db, values: AgentKey & { name: string; at: number }) =>
    db
      .updateTable('agents')
      .set({ name: values.name, updated_at: values.at })
      .where('id', '=', values.agentId)
      .where('project_id', '=', values.projectId)
      .where('organization_id', '=', values.organizationId)
      .where('status', '=', 'active'),
  1,
)

export const describeAgent = write(
  (db, values: AgentKey & { description: string | null; at: number }) =>
    db
      .updateTable('agents')
      .set({ description: values.description, updated_at: values.at })
      .where('id', '=', values.agentId)
      .where('project_id', '=', values.projectId)
      .where('organization_id', '=', values.organizationId)
      .where('status', '=', 'active'),
  1,
)

/** Says which revision is the latest one; only of an Agent that is not being deleted. */
export const advanceAgent = write(
  (db, values: AgentKey & { revisionId: string; at: number }) =>
    db
      .updateTable('agents')
      .set({ latest_revision_id: values.revisionId, updated_at: values.at })
      .where('id', '=', values.agentId)
      .where('project_id', '=', values.projectId)
      .where('organization_id', '=', values.organizationId)
      .where('status', '=', 'active'),
  1,
)

/** The revision gets the Agent's next number as it is stored, so that there are no gaps and no repeats. */
export const insertAgentRevision = write(
  (db, row: Omit<AgentRevisionRow, 'number'>) =>
    db.insertInto('agent_revisions').values(({ selectFrom, fn, val }) => ({
      id: row.id,
      organization_id: row.organization_id,
      agent_id: row.agent_id,
      number: selectFrom('agent_revisions')
        .select(({ eb }) => eb(fn.coalesce(fn.max('number'), val(0)), '+', 1).as('next'))
        .where('agent_id', '=', row.agent_id),
      content: row.content,
      content_digest: row.content_digest,
      granted_operations: row.granted_operations,
      created_by_type: row.created_by_type,
      created_by_id: row.created_by_id,
      created_at: row.created_at,
    })),
  1,
)

export const findAgentRevision = query(
  (db, values: { organizationId: string; agentId: string; agentRevisionId: string }) =>
    db
      .selectFrom('agent_revisions')
      .selectAll()
      .where('id', '=', values.agentRevisionId)
      .where('agent_id', '=', values.agentId)
      .where('organization_id', '=', values.organizationId),
)

/** The revisions of an Agent before a number, newest first. */
export const listAgentRevisions = query(
  (db, values: { organizationId: string; agentId: string; beforeNumber: number; limit: number }) =>
    db
      .selectFrom('agent_revisions')
      .selectAll()
      .where('agent_id', '=', values.agentId)
      .where('organization_id', '=', values.organizationId)
      .where('number', '<', values.beforeNumber)
      .orderBy('number', 'desc')
      .limit(values.limit),
)
