/** The revisions of System Agents, never changed once written. Source: contract 5, "System Agents". */
import { query, write } from './statement.ts'
import type { SystemAgentRow } from './tables.ts'

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
