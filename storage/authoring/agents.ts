/** Agents and their revisions. Source: requirement 2, 4.9; contract 3. */

import { activeProject } from '../active-parents.ts'
import { insertFrom, rowsOf } from '../rows.ts'
import { write } from '../statement.ts'
import type { AgentRevisionRow, AgentRow } from '../tables.ts'
import { type AuthoredKey, authored } from './authored.ts'

const agents = rowsOf('agents', 'id')
const revisions = rowsOf('agent_revisions', 'id')
const { change, describe, advance } = authored('agents')

/** The Agent at this path; undefined if it does not exist or belongs elsewhere. */
export const findAgent = agents.find('id', 'project_id', 'organization_id')

/** A Project's Agents, newest first, ids below `before`. */
export const listAgents = agents.newestByName('id', 'slug', 'project_id', 'organization_id')

export const findAgentRevision = revisions.find('id', 'agent_id', 'organization_id')

/** An Agent's revisions, newest first, numbers below `before`. */
export const listAgentRevisions = revisions.newest('number', 'agent_id', 'organization_id')

export const describeAgent = describe
export const advanceAgent = advance

/** `StaleWrite` if the Project is being deleted. */
export const insertAgent = write((db, row: AgentRow) => insertFrom(db, 'agents', row, activeProject(db, row)), 1)

/** `StaleWrite` if the Agent is being deleted. */
export const renameAgent = write(
  (db, values: AuthoredKey & { name: string; at: number }) =>
    change(db, values).set({ name: values.name, updated_at: values.at }),
  1,
)

/** The insert takes the Agent's next number, so that numbers have no gaps or duplicates. */
export const insertAgentRevision = write(
  (db, row: Omit<AgentRevisionRow, 'number'>) =>
    db.insertInto('agent_revisions').values(({ selectFrom, fn, val }) => ({
      ...row,
      number: selectFrom('agent_revisions')
        .select(({ eb }) => eb(fn.coalesce(fn.max('number'), val(0)), '+', 1).as('next'))
        .where('agent_id', '=', row.agent_id),
    })),
  1,
)
