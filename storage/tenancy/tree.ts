/** The parts of an organization's tree as the guard asks for them: by id, within what they belong to. */
import { query } from '../statement.ts'

export const findProjectStatus = query((db, values: { organizationId: string; projectId: string }) =>
  db
    .selectFrom('projects')
    .select('status')
    .where('id', '=', values.projectId)
    .where('organization_id', '=', values.organizationId),
)

export const findOrganizationOfProject = query((db, values: { projectId: string }) =>
  db.selectFrom('projects').select('organization_id').where('id', '=', values.projectId),
)

export const findEnvironmentState = query((db, values: { projectId: string; environmentId: string }) =>
  db
    .selectFrom('environments')
    .select('state')
    .where('id', '=', values.environmentId)
    .where('project_id', '=', values.projectId),
)

export const findAgentStatus = query((db, values: { projectId: string; agentId: string }) =>
  db.selectFrom('agents').select('status').where('id', '=', values.agentId).where('project_id', '=', values.projectId),
)

/** The Project of an Agent that is somewhere in the organization. */
export const findProjectOfAgent = query((db, values: { organizationId: string; agentId: string }) =>
  db
    .selectFrom('agents')
    .select('project_id')
    .where('id', '=', values.agentId)
    .where('organization_id', '=', values.organizationId)
    .where('status', '<>', 'deleting'),
)
