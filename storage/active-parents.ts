/**
 * Parent rows for `insertFrom`: a row is inserted only while its parents are not being deleted. Otherwise the select is
 * empty, nothing is inserted, and the unit of work fails with `StaleWrite`.
 * Source: contract 2, "Deletion".
 */
import type { Store } from './store.ts'

type Db = Store['db']

/** The organization of the row, unless it is being deleted. */
export const activeOrganization = (db: Db, row: { organization_id: string }) =>
  db
    .selectFrom('organizations')
    .where('organizations.id', '=', row.organization_id)
    .where('organizations.status', '=', 'active')

/** The Project of the row, unless it is being deleted. */
export const activeProject = (db: Db, row: { organization_id: string; project_id: string }) =>
  db
    .selectFrom('projects')
    .where('projects.id', '=', row.project_id)
    .where('projects.organization_id', '=', row.organization_id)
    .where('projects.status', '<>', 'deleting')

/** The Environment of the row with its Project, unless either is being deleted. */
export const activeEnvironment = (db: Db, row: { organization_id: string; environment_id: string }) =>
  db
    .selectFrom('environments')
    .innerJoin('projects', 'projects.id', 'environments.project_id')
    .where('environments.id', '=', row.environment_id)
    .where('environments.organization_id', '=', row.organization_id)
    .where('environments.state', '<>', 'deleting')
    .where('projects.status', '<>', 'deleting')

/** The Environment of the row with an Agent of its Project, unless one of the three is being deleted. */
export const activeAgentInEnvironment = (
  db: Db,
  row: { organization_id: string; environment_id: string; agent_id: string },
) =>
  activeEnvironment(db, row)
    .innerJoin('agents', 'agents.project_id', 'projects.id')
    .where('agents.id', '=', row.agent_id)
    .where('agents.status', '=', 'active')
