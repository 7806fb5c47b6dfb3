/** The immutable revisions of System Agents, and which of them are disabled. Source: contract 5, "System Agents". */
import { rowsOf } from '../rows.ts'
import { query } from '../statement.ts'

const systemAgentRevisions = rowsOf('system_agent_revisions', 'agent_id', 'number')
const disabledSystemAgents = rowsOf('disabled_system_agents', 'agent_id')

export const insertSystemAgentRevision = systemAgentRevisions.insert()

export const latestSystemAgentRevision = systemAgentRevisions.latest('number', 'agent_id')

export const getSystemAgentRevision = systemAgentRevisions.find('agent_revision_id')

export const listDisabledSystemAgents = query((db, _values: object) =>
  db.selectFrom('disabled_system_agents').select('agent_id'),
)

/** `UniqueViolation` if it is disabled already. */
export const disableSystemAgent = disabledSystemAgents.insert()

/** `StaleWrite` if it is not disabled. */
export const enableSystemAgent = disabledSystemAgents.removeOne()

/** The installation's row, if this is its first organization, whose owners manage System Agents. */
export const findInstallationOf = query((db, values: { organizationId: string }) =>
  db.selectFrom('installation').select('id').where('first_organization_id', '=', values.organizationId),
)
