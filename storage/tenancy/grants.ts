/** Access grants: for authorization checks, and as lists by Project. Source: contract 1, "Access grant". */
import { activeProject } from '../active-parents.ts'
import { insertFrom, rowsOf } from '../rows.ts'
import { query, write } from '../statement.ts'
import type { AccessGrantRow } from '../tables.ts'

const accessGrants = rowsOf('access_grants', 'id')

/** The grants to the user and to the user's groups, each with its Project. */
export const listGrantsOfUser = query((db, values: { organizationId: string; userId: string }) =>
  db
    .selectFrom('access_grants')
    .select(['project_id', 'permissions'])
    .where('organization_id', '=', values.organizationId)
    .where('user_id', '=', values.userId)
    .unionAll(
      db
        .selectFrom('user_group_members')
        .innerJoin('access_grants', 'access_grants.user_group_id', 'user_group_members.user_group_id')
        .select(['access_grants.project_id', 'access_grants.permissions'])
        .where('user_group_members.organization_id', '=', values.organizationId)
        .where('user_group_members.user_id', '=', values.userId),
    ),
)

/**
 * Inserts a grant to a user; `StaleWrite` if the user is not a member of the Project's organization, or the Project is
 * being deleted.
 */
export const insertGrantToUser = write(
  (db, row: AccessGrantRow) =>
    insertFrom(
      db,
      'access_grants',
      row,
      activeProject(db, row)
        .innerJoin('memberships', 'memberships.organization_id', 'projects.organization_id')
        .where('memberships.user_id', '=', row.user_id as string),
    ),
  1,
)

/**
 * Inserts a grant to a group; `StaleWrite` if the group is not in the Project's organization, or the Project is being
 * deleted.
 */
export const insertGrantToGroup = write(
  (db, row: AccessGrantRow) =>
    insertFrom(
      db,
      'access_grants',
      row,
      activeProject(db, row)
        .innerJoin('user_groups', 'user_groups.organization_id', 'projects.organization_id')
        .where('user_groups.id', '=', row.user_group_id as string),
    ),
  1,
)

/** The grant at this path; undefined if it does not exist or belongs elsewhere. */
export const findGrant = accessGrants.find('id', 'project_id', 'organization_id')

/** A Project's grants, newest first, ids below `before`. */
export const listGrantsOfProject = accessGrants.newest('id', 'project_id', 'organization_id')

export const deleteGrant = accessGrants.removeOne('id', 'project_id', 'organization_id')
