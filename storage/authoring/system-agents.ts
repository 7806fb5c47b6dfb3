/** The revisions of System Agents, never changed once written, and who may start them. Source: contract 5, "System Agents". */
import { query, write } from '../statement.ts'
import type { DisabledSystemAgentRow, SystemAgentRow } from '../tables.ts'

export const insertSystemAgentRevision = write((db, row: SystemAgentRow) =>
  db.insertInto('system_agent_revisions').values(row),
)

export const latestSystemAgentRevision = query((db, values: { agentId: string }) =>
  db
    .selectFrom('system_agent_revisions')
    .selectAll()
    .where('agent_id', '=', values.agentId)
    .orderBy('number', 'desc')
    .limit(1),
)

export const getSystemAgentRevision = query((db, values: { agentRevisionId: string }) =>
  db.selectFrom('system_agent_revisions').selectAll().where('agent_revision_id', '=', values.agentRevisionId),
)

export const listDisabledSystemAgents = query((db, _values: object) =>
  db.selectFrom('disabled_system_agents').select('agent_id'),
)

/** `UniqueViolation` when it is disabled already. */
export const disableSystemAgent = write((db, row: DisabledSystemAgentRow) =>
  db.insertInto('disabled_system_agents').values(row),
)

/** `StaleWrite` when it is not disabled. */
export const enableSystemAgent = write(
  (db, values: { agentId: string }) => db.deleteFrom('disabled_system_agents').where('agent_id', '=', values.agentId),
  1,
)

/** The row of the installation if this is the organization of the first start, whose owners speak for the platform. */
export const findInstallationOf = query((db, values: { organizationId: string }) =>
  db.selectFrom('installation').select('id').where('first_organization_id', '=', values.organizationId),
)
